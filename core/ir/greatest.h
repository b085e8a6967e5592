// The greatest of many numbers; checking most columns takes little else.
#ifndef HEAPGLOT_CORE_IR_GREATEST_H_
#define HEAPGLOT_CORE_IR_GREATEST_H_

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heapglot {

// 0 if there are no numbers.
std::uint32_t GreatestOf(std::span<const std::uint32_t> numbers);
std::uint64_t GreatestOf(std::span<const std::uint64_t> numbers);

// The same for a column.
template <typename T>
T GreatestOf(const google::protobuf::RepeatedField<T>& column) {
  return GreatestOf(std::span<const T>(
      column.data(), static_cast<std::size_t>(column.size())));
}

// The implementations that this processor can run; the last one is used.
struct GreatestVariant {
  std::string_view name;
  std::uint32_t (*of32)(std::span<const std::uint32_t> numbers);
  std::uint64_t (*of64)(std::span<const std::uint64_t> numbers);
};
std::span<const GreatestVariant> GreatestVariants();

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_GREATEST_H_
