// What the kernel is to answer to system calls: seccomp, as a program of BPF.
//
// Written down by hand, without libseccomp: a flat list of numbers and a few
// tests of arguments need no compiler, and the command one library less.
#ifndef HEAPGLOT_TOOLS_SANDBOX_FILTER_H_
#define HEAPGLOT_TOOLS_SANDBOX_FILTER_H_

#include <linux/filter.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace heapglot::tool {

// The rules of one process. Later rules for the same call are not looked at.
class SandboxFilter {
 public:
  SandboxFilter();

  void Allow(std::initializer_list<int> calls);
  // The call ends in SIGSYS.
  void Forbid(std::initializer_list<int> calls);
  // Numbers of arguments begin with 0. Only the lower 32 bits of an argument
  // are looked at: it must be what the kernel takes as 32 bits, too.
  struct Test {
    int call;
    unsigned argument;
    std::uint32_t mask;
    std::vector<std::uint32_t> values;  // of what `mask` leaves
  };
  // Allowed if it is one of the values; fails with EPERM otherwise.
  void AllowIf(const Test& test);
  // Forbidden otherwise.
  void AllowIfElseForbid(const Test& test);

  // Puts the filter on all threads, for ever. What no rule is about fails with
  // ENOSYS: that is how a kernel says that it has no such call, and C libraries
  // know how to do without. 0 or an errno.
  int Install();

 private:
  void Add(std::uint16_t code, std::uint32_t k, std::uint8_t if_true = 0,
           std::uint8_t if_false = 0);
  void AddRules(std::initializer_list<int> calls, std::uint32_t answer);
  void AddTest(const Test& test, std::uint32_t otherwise);

  std::vector<sock_filter> program_;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_SANDBOX_FILTER_H_
