// A compact column of numbers with random access.
#ifndef HEAPGLOT_CORE_PACKED_NUMBERS_H_
#define HEAPGLOT_CORE_PACKED_NUMBERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapglot {

// Any 64-bit numbers. Each block of them is stored as a line (a base and a
// step) and how far each number lies above it, in as many bits as the farthest
// one takes.
//
// Memory: 0.2 bytes a number, plus the bits: none as long as numbers grow in
// equal steps, as ids that a program counts up do; otherwise about as many as
// the spread of the numbers in a block takes, and never more than 8 bytes.
class PackedNumbers {
 public:
  void Add(std::uint64_t number) {
    block_[size_++ % kBlock] = number;
    if (size_ % kBlock == 0) Pack();
  }
  std::uint64_t size() const { return size_; }
  void Clear() { *this = PackedNumbers(); }

  // Number `i`, which must have been added.
  std::uint64_t operator[](std::uint64_t i) const {
    const std::uint64_t at = i % kBlock;
    if (i / kBlock >= lines_.size()) return block_[at];
    const Line& line = lines_[i / kBlock];
    const std::uint64_t on_line = line.base + at * line.step;
    return line.bits() == 0 ? on_line : on_line + Above(line, at);
  }

 private:
  static constexpr std::uint64_t kBlock = 128;
  // Words are kept in pieces, since growing one array would take twice the
  // memory. Only the first piece grows: there may be very many columns with
  // next to nothing in them.
  static constexpr std::uint64_t kPieceWords = 1 << 12;

  struct Line {
    std::uint64_t base = 0;  // all arithmetic is modulo 2^64
    std::uint64_t step = 0;
    std::uint64_t place = 0;  // of the bits above the line: 128 times
                              // their first word, plus the bits of each
    std::uint64_t first_word() const { return place >> 7; }
    std::uint64_t bits() const { return place & 0x7F; }
  };

  std::uint64_t Above(const Line& line, std::uint64_t at) const {
    const std::uint64_t bit = at * line.bits();
    const std::uint64_t word = line.first_word() + bit / 64;
    const std::uint64_t shift = bit % 64;
    std::uint64_t number = Word(word) >> shift;
    if (shift + line.bits() > 64) number |= Word(word + 1) << (64 - shift);
    return number & ~std::uint64_t{0} >> (64 - line.bits());
  }
  std::uint64_t Word(std::uint64_t i) const {
    return words_[i / kPieceWords][i % kPieceWords];
  }

  Line LineBy(std::uint64_t step) const;
  void Pack();
  void AddWord(std::uint64_t word);

  std::uint64_t size_ = 0;
  std::array<std::uint64_t, kBlock> block_ = {};  // being filled
  std::vector<Line> lines_;
  std::vector<std::vector<std::uint64_t>> words_;
  std::uint64_t word_count_ = 0;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_PACKED_NUMBERS_H_
