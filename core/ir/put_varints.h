// Writes many varints at once: canonical digests are computed over little else.
#ifndef HEAPGLOT_CORE_IR_PUT_VARINTS_H_
#define HEAPGLOT_CORE_IR_PUT_VARINTS_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot::wire {

// Writes the numbers one after another, each in as few bytes as possible, and
// returns the end. `out` has room for kMaxVarint bytes per number.
char* PutVarints(std::span<const std::uint32_t> numbers, char* out);
char* PutVarints(std::span<const std::uint64_t> numbers, char* out);

// The implementations that this processor can run; the last one is used.
struct PutVarintsVariant {
  std::string_view name;
  char* (*put32)(std::span<const std::uint32_t> numbers, char* out);
  char* (*put64)(std::span<const std::uint64_t> numbers, char* out);
};
std::span<const PutVarintsVariant> PutVarintsVariants();

namespace internal {

char* PutVarintsPlain(std::span<const std::uint32_t> numbers, char* out);
char* PutVarintsPlain(std::span<const std::uint64_t> numbers, char* out);
char* PutVarintsAvx512(std::span<const std::uint32_t> numbers, char* out);
char* PutVarintsAvx512(std::span<const std::uint64_t> numbers, char* out);

}  // namespace internal
}  // namespace heapglot::wire

#endif  // HEAPGLOT_CORE_IR_PUT_VARINTS_H_
