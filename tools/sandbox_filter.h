// How the kernel answers system calls: seccomp, as a BPF program.
//
// Written by hand, without libseccomp: a flat list of numbers and a few tests
// of arguments need no compiler, and the command needs one library less.
#ifndef HEAPGLOT_TOOLS_SANDBOX_FILTER_H_
#define HEAPGLOT_TOOLS_SANDBOX_FILTER_H_

#include <linux/filter.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace heapglot::tool {

// The rules of one process. The first rule for a call decides.
class SandboxFilter {
 public:
  SandboxFilter();

  void Allow(std::initializer_list<int> calls);
  // The call ends in SIGSYS.
  void Forbid(std::initializer_list<int> calls);
  // Arguments are numbered from 0. Only the lower 32 bits of an argument are
  // tested: the kernel must take it as 32 bits, too.
  struct Test {
    int call;
    unsigned argument;
    std::uint32_t mask;
    std::vector<std::uint32_t> values;  // of what `mask` leaves
  };
  // Allowed if the argument is one of the values; otherwise fails with EPERM.
  void AllowIf(const Test& test);
  // The same, but otherwise forbidden.
  void AllowIfElseForbid(const Test& test);

  // Installs the filter on all threads, for good. Calls without a rule fail
  // with ENOSYS: this is how a kernel says that it has no such call, and C
  // libraries know how to do without. Returns 0 or an errno.
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
