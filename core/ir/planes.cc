#include "core/ir/planes.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/text/vector_cpu.h"

namespace heapglot::planes {
namespace {

using Encoding = ir::v1::Column;

// Compilers vectorize the loops below.

template <typename T>
T Zigzag(T value) {
  return static_cast<T>(value << 1) ^
         static_cast<T>(T{0} - (value >> (std::numeric_limits<T>::digits - 1)));
}

template <typename T>
T Unzigzag(T value) {
  return static_cast<T>(value >> 1) ^ static_cast<T>(T{0} - (value & 1));
}

template <typename T>
std::uint32_t Width(T bits) {
  return static_cast<std::uint32_t>((std::bit_width(bits) + 7) / 8);
}

template <typename T, unsigned kWidth>
void JoinPlanes(const unsigned char* planes, std::size_t count, T* out) {
  for (std::size_t i = 0; i < count; ++i) {
    T value = planes[i];
    for (unsigned byte = 1; byte < kWidth; ++byte)
      value |= static_cast<T>(static_cast<T>(planes[byte * count + i])
                              << (8 * byte));
    out[i] = value;
  }
}

template <typename T>
void JoinEach(const unsigned char* planes, std::size_t count,
              std::uint32_t width, T* out) {
  switch (width) {
    case 1:
      return JoinPlanes<T, 1>(planes, count, out);
    case 2:
      return JoinPlanes<T, 2>(planes, count, out);
    case 3:
      return JoinPlanes<T, 3>(planes, count, out);
    case 4:
      return JoinPlanes<T, 4>(planes, count, out);
    default:
      break;
  }
  if constexpr (sizeof(T) == 8) {
    switch (width) {
      case 5:
        return JoinPlanes<T, 5>(planes, count, out);
      case 6:
        return JoinPlanes<T, 6>(planes, count, out);
      case 7:
        return JoinPlanes<T, 7>(planes, count, out);
      default:
        return JoinPlanes<T, 8>(planes, count, out);
    }
  }
}

template <typename T>
void SplitEach(const T* values, std::size_t rows, std::size_t count,
               std::uint32_t width, unsigned char* out) {
  for (unsigned byte = 0; byte < width; ++byte, out += count) {
    const unsigned shift = 8 * byte;
    for (std::size_t i = 0; i < rows; ++i)
      out[i] = static_cast<unsigned char>(values[i] >> shift);
  }
}

std::span<const Variant> FindVariants() {
  static constexpr Variant kAll[] = {
      {"plain", internal::SplitPlain, internal::SplitPlain, internal::JoinPlain,
       internal::JoinPlain},
#ifdef HEAPGLOT_X86_KERNELS
      {"avx512", internal::SplitAvx512, internal::SplitAvx512,
       internal::JoinAvx512, internal::JoinAvx512},
#endif
  };
  return heapglot::internal::UsableWays(kAll);
}

void SplitRows(const std::uint32_t* values, std::size_t rows, std::size_t count,
               std::uint32_t width, unsigned char* out) {
  static const auto split = Variants().back().split32;
  split(values, rows, count, width, out);
}

void SplitRows(const std::uint64_t* values, std::size_t rows, std::size_t count,
               std::uint32_t width, unsigned char* out) {
  static const auto split = Variants().back().split64;
  split(values, rows, count, width, out);
}

void JoinRows(const unsigned char* planes, std::size_t count,
              std::uint32_t width, std::uint32_t* out) {
  static const auto join = Variants().back().join32;
  join(planes, count, width, out);
}

void JoinRows(const unsigned char* planes, std::size_t count,
              std::uint32_t width, std::uint64_t* out) {
  static const auto join = Variants().back().join64;
  join(planes, count, width, out);
}

// The width of the differences, or any width of `enough` or more if they reach
// it, as those of most columns soon do.
template <typename T>
std::uint32_t DeltaWidth(const T* values, std::size_t count,
                         std::uint32_t enough) {
  constexpr std::size_t kAtOnce = 256;
  T delta = 0;
  for (std::size_t begin = 1; begin < count && Width(delta) < enough;
       begin += kAtOnce) {
    const std::size_t end = std::min(count, begin + kAtOnce);
    for (std::size_t i = begin; i < end; ++i)
      delta |= Zigzag(static_cast<T>(values[i] - values[i - 1]));
  }
  return Width(delta);
}

}  // namespace

template <typename T>
Shape Choose(const T* values, std::size_t count) {
  if (count == 0) return {};
  T plain = 0;
  for (std::size_t i = 0; i < count; ++i) plain |= values[i];
  Shape shape = {.width = Width(plain)};
  // Without negative numbers, zigzag takes one more bit.
  if (plain >> (std::numeric_limits<T>::digits - 1) != 0) {
    T zigzag = 0;
    for (std::size_t i = 0; i < count; ++i) zigzag |= Zigzag(values[i]);
    if (Width(zigzag) < shape.width)
      shape = {.encoding = Encoding::ZIGZAG, .width = Width(zigzag)};
  }
  const std::uint32_t width = DeltaWidth(values, count, shape.width);
  if (width < shape.width)
    shape = {.encoding = Encoding::DELTA, .width = width, .base = values[0]};
  return shape;
}

template <typename T>
void Split(const T* values, std::size_t count, const Shape& shape, char* out) {
  auto* const planes = reinterpret_cast<unsigned char*>(out);
  if (shape.width == 0) return;
  if (shape.encoding == Encoding::PLAIN)
    return SplitRows(values, count, count, shape.width, planes);
  // Encode this many values at a time.
  constexpr std::size_t kAtOnce = 512;
  T encoded[kAtOnce];
  const bool is_delta = shape.encoding == Encoding::DELTA;
  for (std::size_t begin = 0; begin < count; begin += kAtOnce) {
    const std::size_t rows = std::min(count - begin, kAtOnce);
    const T* const from = values + begin;
    if (is_delta) {
      // The base is the first value.
      encoded[0] = begin == 0 ? 0 : Zigzag(static_cast<T>(from[0] - from[-1]));
      for (std::size_t i = 1; i < rows; ++i)
        encoded[i] = Zigzag(static_cast<T>(from[i] - from[i - 1]));
    } else {
      for (std::size_t i = 0; i < rows; ++i) encoded[i] = Zigzag(from[i]);
    }
    SplitRows(encoded, rows, count, shape.width, planes + begin);
  }
}

template <typename T>
void Join(const char* planes, std::size_t count, const Shape& shape, T* out) {
  if (shape.width == 0)
    std::fill_n(out, count, T{0});
  else
    JoinRows(reinterpret_cast<const unsigned char*>(planes), count, shape.width,
             out);
  if (shape.encoding == Encoding::PLAIN) return;
  for (std::size_t i = 0; i < count; ++i) out[i] = Unzigzag(out[i]);
  if (shape.encoding != Encoding::DELTA) return;
  T value = static_cast<T>(shape.base);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = value = static_cast<T>(value + out[i]);
}

std::span<const Variant> Variants() {
  static const std::span<const Variant> variants = FindVariants();
  return variants;
}

void internal::SplitPlain(const std::uint32_t* values, std::size_t rows,
                          std::size_t count, std::uint32_t width,
                          unsigned char* out) {
  SplitEach(values, rows, count, width, out);
}

void internal::SplitPlain(const std::uint64_t* values, std::size_t rows,
                          std::size_t count, std::uint32_t width,
                          unsigned char* out) {
  SplitEach(values, rows, count, width, out);
}

void internal::JoinPlain(const unsigned char* planes, std::size_t count,
                         std::uint32_t width, std::uint32_t* out) {
  JoinEach(planes, count, width, out);
}

void internal::JoinPlain(const unsigned char* planes, std::size_t count,
                         std::uint32_t width, std::uint64_t* out) {
  JoinEach(planes, count, width, out);
}

template Shape Choose(const std::uint32_t*, std::size_t);
template Shape Choose(const std::uint64_t*, std::size_t);
template void Split(const std::uint32_t*, std::size_t, const Shape&, char*);
template void Split(const std::uint64_t*, std::size_t, const Shape&, char*);
template void Join(const char*, std::size_t, const Shape&, std::uint32_t*);
template void Join(const char*, std::size_t, const Shape&, std::uint64_t*);

}  // namespace heapglot::planes
