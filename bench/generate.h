// What the generators of generate.cc share.
#ifndef HEAPGLOT_BENCH_GENERATE_H_
#define HEAPGLOT_BENCH_GENERATE_H_

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace generate {

[[noreturn]] inline void Fail(const std::string& message) {
  std::fprintf(stderr, "generate: %s\n", message.c_str());
  std::exit(1);
}

// SplitMix64: a number for each step of a sequence.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Below `bound`, which is less than 2^32.
  std::uint64_t Below(std::uint64_t bound) {
    return (Next() >> 32) * bound >> 32;
  }

 private:
  std::uint64_t state_;
};

class Output {
 public:
  explicit Output(const char* path) : file_(std::fopen(path, "wb")) {
    if (file_ == nullptr) Fail(std::string(path) + ": cannot be written");
    buffer_.reserve(kBuffer + 4096);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() = default;

  void Text(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBuffer) Flush();
  }
  void Byte(std::uint64_t byte) { buffer_ += static_cast<char>(byte); }
  void Decimal(std::uint64_t number) {
    std::array<char, 20> digits;
    const auto end =
        std::to_chars(digits.data(), digits.data() + 20, number).ptr;
    buffer_.append(digits.data(), end);
  }
  void Uleb(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) Byte((number & 0x7f) | 0x80);
    Byte(number);
    if (buffer_.size() >= kBuffer) Flush();
  }
  void Sleb(std::int64_t number) {
    for (; number < -64 || number >= 64; number >>= 7)
      Byte((static_cast<std::uint64_t>(number) & 0x7f) | 0x80);
    Byte(static_cast<std::uint64_t>(number) & 0x7f);
    if (buffer_.size() >= kBuffer) Flush();
  }
  void Close() {
    Flush();
    if (std::fclose(file_) != 0) Fail("cannot write");
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 20;

  void Flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
      Fail("cannot write");
    buffer_.clear();
  }

  std::FILE* file_;
  std::string buffer_;
};

// A string of a dartheap.
inline void DartText(std::string_view text, Output& out) {
  out.Uleb(text.size());
  out.Text(text);
}

// Writes a dartheap whose objects are like those of a real heap
// (generate_mixed.cc).
// Memory: independent of the size.
void WriteMixedDartheap(std::uint64_t nodes, std::uint64_t edges,
                        std::uint64_t seed, Output& out);

}  // namespace generate

#endif  // HEAPGLOT_BENCH_GENERATE_H_
