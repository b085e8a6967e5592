// Many varints: canonical digests are taken over little else.
#ifndef HEAPGLOT_CORE_IR_PUT_VARINTS_H_
#define HEAPGLOT_CORE_IR_PUT_VARINTS_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot::wire {

// Writes one number after another, each in as few bytes as it takes. `out` has
// room for kMaxVarint bytes a number. The end is returned.
char* PutVarints(std::span<const std::uint32_t> numbers, char* out);
char* PutVarints(std::span<const std::uint64_t> numbers, char* out);

// The ways to do it that this processor has; the last one is used.
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
