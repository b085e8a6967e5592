// Numbers as byte planes: the lowest byte of each, then the next byte of each,
// and so on. Bytes with the same meaning are then adjacent, which suits a fast
// compressor. Column (frame.proto) describes the encoding.
#ifndef HEAPGLOT_CORE_IR_PLANES_H_
#define HEAPGLOT_CORE_IR_PLANES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "heapglot/ir/v1/frame.pb.h"

namespace heapglot::planes {

struct Shape {
  ir::v1::Column::Encoding encoding = ir::v1::Column::PLAIN;
  std::uint32_t width = 0;  // planes
  std::uint64_t base = 0;
};

// The shape that needs the fewest planes; among equal ones, the first in the
// order of the enumeration. T is std::uint32_t or std::uint64_t, here and
// below.
template <typename T>
Shape Choose(const T* values, std::size_t count);

// Writes shape.width * count bytes.
template <typename T>
void Split(const T* values, std::size_t count, const Shape& shape, char* out);

// Reads as many bytes; shape.width must be <= sizeof(T).
template <typename T>
void Join(const char* planes, std::size_t count, const Shape& shape, T* out);

// The implementations that this processor can run, for values that are already
// encoded; the last one is used. `width` is at least 1.
struct Variant {
  std::string_view name;
  // Splits `rows` of the `count` values; the first of them goes to `out` in the
  // lowest plane.
  void (*split32)(const std::uint32_t* values, std::size_t rows,
                  std::size_t count, std::uint32_t width, unsigned char* out);
  void (*split64)(const std::uint64_t* values, std::size_t rows,
                  std::size_t count, std::uint32_t width, unsigned char* out);
  void (*join32)(const unsigned char* planes, std::size_t count,
                 std::uint32_t width, std::uint32_t* out);
  void (*join64)(const unsigned char* planes, std::size_t count,
                 std::uint32_t width, std::uint64_t* out);
};
std::span<const Variant> Variants();

namespace internal {

void SplitPlain(const std::uint32_t* values, std::size_t rows,
                std::size_t count, std::uint32_t width, unsigned char* out);
void SplitPlain(const std::uint64_t* values, std::size_t rows,
                std::size_t count, std::uint32_t width, unsigned char* out);
void JoinPlain(const unsigned char* planes, std::size_t count,
               std::uint32_t width, std::uint32_t* out);
void JoinPlain(const unsigned char* planes, std::size_t count,
               std::uint32_t width, std::uint64_t* out);
// Require HasAvx512().
void SplitAvx512(const std::uint32_t* values, std::size_t rows,
                 std::size_t count, std::uint32_t width, unsigned char* out);
void SplitAvx512(const std::uint64_t* values, std::size_t rows,
                 std::size_t count, std::uint32_t width, unsigned char* out);
void JoinAvx512(const unsigned char* planes, std::size_t count,
                std::uint32_t width, std::uint32_t* out);
void JoinAvx512(const unsigned char* planes, std::size_t count,
                std::uint32_t width, std::uint64_t* out);

}  // namespace internal
}  // namespace heapglot::planes

#endif  // HEAPGLOT_CORE_IR_PLANES_H_
