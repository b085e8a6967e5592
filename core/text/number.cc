#include "core/text/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
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

// Writes d.ddd * 10^exponent, in positional notation where JavaScript and Dart
// use it.
void AppendPositional(std::string_view digits, int exponent, std::string* out) {
  const auto size = static_cast<int>(digits.size());
  if (exponent >= 21 || exponent < -6) {
    out->append(digits.substr(0, 1));
    if (size > 1) out->append(".").append(digits.substr(1));
    out->append(exponent < 0 ? "e-" : "e+");
    AppendUnsigned(static_cast<std::uint64_t>(std::abs(exponent)), out);
  } else if (exponent < 0) {
    out->append("0.").append(static_cast<std::size_t>(-exponent - 1), '0');
    out->append(digits);
  } else if (size <= exponent + 1) {
    out->append(digits);
    out->append(static_cast<std::size_t>(exponent + 1 - size), '0');
    out->append(".0");
  } else {
    const auto point = static_cast<std::size_t>(exponent) + 1;
    out->append(digits.substr(0, point)).append(".");
    out->append(digits.substr(point));
  }
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
    return;
  }
  if (std::signbit(value)) out->push_back('-');
  if (std::isinf(value)) {
    out->append("Infinity");
    return;
  }
  // "d.ddde+xx": the digits are the shortest ones; we place the point.
  Buffer buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                    std::fabs(value), std::chars_format::scientific);
  (void)error;
  const std::string_view text(buffer.data(),
                              static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  std::string digits(text.substr(0, 1));
  if (e > 1) digits.append(text.substr(2, e - 2));
  // from_chars accepts a minus, but not a plus.
  const char* const exponent_text =
      text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  int exponent = 0;
  std::from_chars(exponent_text, end, exponent);
  AppendPositional(digits, exponent, out);
}

}  // namespace heapglot
