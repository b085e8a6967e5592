#include "core/text/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace heapglot {
namespace {

// Enough for a 64-bit integer, and for the shortest form of a double (24).
using Buffer = std::array<char, 32>;

template <typename T>
std::string_view Format(T value, Buffer& buffer) {
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  (void)error;  // the buffer is large enough for every value
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

}  // namespace

void AppendSigned(std::int64_t value, std::string* out) {
  Buffer buffer;
  out->append(Format(value, buffer));
}

void AppendUnsigned(std::uint64_t value, std::string* out) {
  Buffer buffer;
  out->append(Format(value, buffer));
}

void AppendDouble(double value, std::string* out) {
  if (std::isnan(value)) {
    out->append("NaN");
  } else if (std::isinf(value)) {
    out->append(value < 0 ? "-Infinity" : "Infinity");
  } else {
    Buffer buffer;
    const std::string_view text = Format(value, buffer);
    out->append(text);
    if (text.find_first_of(".e") == std::string_view::npos) out->append(".0");
  }
}

}  // namespace heapglot
