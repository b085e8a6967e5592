#include "tools/sandbox_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace heapglot::tool {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // one that nobody has tried
#endif

constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
constexpr std::uint16_t kAnd = BPF_ALU | BPF_AND | BPF_K;
constexpr std::uint16_t kIfEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr std::uint16_t kIfGreaterOrEqual = BPF_JMP | BPF_JGE | BPF_K;
constexpr std::uint16_t kReturn = BPF_RET | BPF_K;

constexpr std::uint32_t Fail(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

// The lower half of an argument; both architectures are little-endian.
constexpr std::uint32_t OffsetOfArgument(std::uint32_t number) {
  constexpr std::uint32_t kArguments = offsetof(seccomp_data, args);
  return kArguments + 8 * number;
}

}  // namespace

SandboxFilter::SandboxFilter() {
  Add(kLoad, offsetof(seccomp_data, arch));
  Add(kIfEqual, kArchitecture, 1, 0);
  Add(kReturn, SECCOMP_RET_KILL_PROCESS);
  Add(kLoad, offsetof(seccomp_data, nr));
#ifdef __x86_64__
  // The calls of x32 have these numbers.
  constexpr std::uint32_t kX32 = 0x40000000;
  Add(kIfGreaterOrEqual, kX32, 0, 1);
  Add(kReturn, SECCOMP_RET_KILL_PROCESS);
#endif
}

void SandboxFilter::Allow(std::initializer_list<int> calls) {
  AddRules(calls, SECCOMP_RET_ALLOW);
}

void SandboxFilter::Forbid(std::initializer_list<int> calls) {
  AddRules(calls, SECCOMP_RET_TRAP);
}

void SandboxFilter::AllowIf(const Test& test) { AddTest(test, Fail(EPERM)); }

void SandboxFilter::AllowIfElseForbid(const Test& test) {
  AddTest(test, SECCOMP_RET_TRAP);
}

int SandboxFilter::Install() {
  if (kArchitecture == 0) return ENOSYS;
  Add(kReturn, Fail(ENOSYS));
  sock_fprog program = {.len = static_cast<unsigned short>(program_.size()),
                        .filter = program_.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                              SECCOMP_FILTER_FLAG_TSYNC, &program);
  // Positive: a thread that has a filter of its own.
  return result <= 0 ? (result == 0 ? 0 : errno) : EBUSY;
}

void SandboxFilter::Add(std::uint16_t code, std::uint32_t k,
                        std::uint8_t if_true, std::uint8_t if_false) {
  program_.push_back({.code = code, .jt = if_true, .jf = if_false, .k = k});
}

void SandboxFilter::AddRules(std::initializer_list<int> calls,
                             std::uint32_t answer) {
  for (const int call : calls) {
    Add(kIfEqual, static_cast<std::uint32_t>(call), 0, 1);
    Add(kReturn, answer);
  }
}

void SandboxFilter::AddTest(const Test& test, std::uint32_t otherwise) {
  // A load, a mask, two instructions per value, a return.
  const auto size = static_cast<std::uint8_t>(3 + 2 * test.values.size());
  Add(kIfEqual, static_cast<std::uint32_t>(test.call), 0, size);
  Add(kLoad, OffsetOfArgument(test.argument));
  Add(kAnd, test.mask);
  for (const std::uint32_t value : test.values) {
    Add(kIfEqual, value, 0, 1);
    Add(kReturn, SECCOMP_RET_ALLOW);
  }
  Add(kReturn, otherwise);
}

}  // namespace heapglot::tool
