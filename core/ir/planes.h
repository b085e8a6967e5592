// Numbers as byte planes: the lowest byte of each, then the next byte of each,
// and so on. Bytes that mean the same stand together, which a fast compressor
// makes the most of. Column (frame.proto) is the description.
#ifndef HEAPGLOT_CORE_IR_PLANES_H_
#define HEAPGLOT_CORE_IR_PLANES_H_

#include <cstddef>
#include <cstdint>

#include "heapglot/ir/v1/frame.pb.h"

namespace heapglot::planes {

struct Shape {
  ir::v1::Column::Encoding encoding = ir::v1::Column::PLAIN;
  std::uint32_t width = 0;  // planes
  std::uint64_t base = 0;
};

// The shape that needs the fewest planes; of those that need as many the
// first one in the order of the enumeration. T is std::uint32_t or
// std::uint64_t, here and below.
template <typename T>
Shape Choose(const T* values, std::size_t count);

// Writes shape.width * count bytes.
template <typename T>
void Split(const T* values, std::size_t count, const Shape& shape, char* out);

// Reads as many, shape.width <= sizeof(T).
template <typename T>
void Join(const char* planes, std::size_t count, const Shape& shape, T* out);

}  // namespace heapglot::planes

#endif  // HEAPGLOT_CORE_IR_PLANES_H_
