// XXH3, 64 bits, seed 0: checksums of heapir files, and hashes of texts.
#ifndef HEAPGLOT_CORE_IR_CHECKSUM_H_
#define HEAPGLOT_CORE_IR_CHECKSUM_H_

#include <cstdint>
#include <memory>
#include <string_view>

struct XXH3_state_s;

namespace heapglot {

std::uint64_t Checksum(std::string_view bytes);

// The checksum of numbers, 8 bytes each, little-endian.
class ChecksumOfNumbers {
 public:
  ChecksumOfNumbers();
  void Add(std::uint64_t number);
  // Of those that were added so far.
  std::uint64_t value() const;

 private:
  friend class ChecksumOfPieces;
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

// The checksum of bytes that come in pieces: that of the whole.
class ChecksumOfPieces {
 public:
  ChecksumOfPieces();
  void Add(std::string_view bytes);
  std::uint64_t value() const;
  // Begins anew.
  void Reset();

 private:
  std::unique_ptr<XXH3_state_s, ChecksumOfNumbers::Free> state_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_CHECKSUM_H_
