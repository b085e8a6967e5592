// Whether a sanitizer watches: what is done a thousand times over takes ten times
// as long then.
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

// How many of `all` random cases are looked at: fuzzers with the same sanitizers
// look at millions.
constexpr int Rounds(int all) { return kSanitized ? all / 4 : all; }

// From one flipped bit to the next: with a sanitizer one of eleven, which is each
// bit of a byte in turn.
inline constexpr int kBitStep = kSanitized ? 11 : 1;

// Whether a sanitizer would see in an input what it has seen in smaller ones, for
// minutes.
inline bool TakesTooLong(const std::filesystem::path& input) {
  constexpr std::uintmax_t kLarge = 100'000;
  return kSanitized && std::filesystem::file_size(input) > kLarge;
}

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_SANITIZED_H_
