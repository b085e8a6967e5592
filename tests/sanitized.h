// Whether a sanitizer is on: tests that do something thousands of times then
// take ten times as long.
#ifndef HEAPGLOT_TESTS_SANITIZED_H_
#define HEAPGLOT_TESTS_SANITIZED_H_

#include <cstdint>
#include <filesystem>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEAPGLOT_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEAPGLOT_SANITIZED
#endif
#endif

namespace heapglot {

#ifdef HEAPGLOT_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// How many of `all` random cases are tried: fuzzers with the same sanitizers
// try millions.
constexpr int Rounds(int all) { return kSanitized ? all / 4 : all; }

// The step from one flipped bit to the next. With a sanitizer it is 11, which
// goes through all bits of a byte in turn.
inline constexpr int kBitStep = kSanitized ? 11 : 1;

// Whether an input would take minutes with a sanitizer, which has seen the same
// in smaller ones.
inline bool TakesTooLong(const std::filesystem::path& input) {
  constexpr std::uintmax_t kLarge = 100'000;
  return kSanitized && std::filesystem::file_size(input) > kLarge;
}

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_SANITIZED_H_
