// XXH3: checksums of heapir files and hashes of texts (64 bits), digests (128
// bits). The seed is 0 unless another one is given.
#ifndef HEAPGLOT_CORE_IR_CHECKSUM_H_
#define HEAPGLOT_CORE_IR_CHECKSUM_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace heapglot {

std::uint64_t Checksum(std::string_view bytes);

// 128 bits: different inputs never have the same hash by chance. Does not
// protect against inputs that are made to collide.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  // Adds hashes; the sum does not depend on their order.
  Hash128& operator+=(const Hash128& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  // Undoes such an addition.
  Hash128 operator-(const Hash128& other) const {
    return {low - other.low, high - other.high};
  }
  bool operator==(const Hash128&) const = default;
  bool operator<(const Hash128& other) const {
    return low != other.low ? low < other.low : high < other.high;
  }
};

Hash128 Hash128Of(std::string_view bytes);

struct FreeXxh3 {
  void operator()(XXH3_state_s* state) const;
};

// The digest of bytes that come in pieces.
class Digest128 {
 public:
  // With a secret seed (ProcessRandom()), even inputs that are made to collide
  // hardly ever do; such a digest is only useful in this process.
  explicit Digest128(std::uint64_t seed = 0);
  void Add(std::string_view bytes);
  // Of the bytes added so far: 16 bytes, in canonical form.
  std::string value() const;
  // The same as numbers; with seed 0, what Hash128Of() returns for the whole.
  Hash128 hash() const;
  // Starts over.
  void Reset();

 private:
  std::uint64_t seed_;
  std::unique_ptr<XXH3_state_s, FreeXxh3> state_;
};

// The checksum of numbers, 8 bytes each, little-endian.
class ChecksumOfNumbers {
 public:
  ChecksumOfNumbers();
  void Add(std::uint64_t number);
  // Of the numbers added so far.
  std::uint64_t value() const;

 private:
  std::unique_ptr<XXH3_state_s, FreeXxh3> state_;
};

// The checksum of bytes that come in pieces; equal to that of the whole.
class ChecksumOfPieces {
 public:
  ChecksumOfPieces();
  void Add(std::string_view bytes);
  std::uint64_t value() const;
  // Starts over.
  void Reset();

 private:
  std::unique_ptr<XXH3_state_s, FreeXxh3> state_;
};

// The implementations that this processor can run, the fastest one last. For
// tests and benchmarks; everything else here uses the last one.
struct Xxh3Variant {
  std::string_view name;
  std::uint64_t (*checksum)(std::string_view bytes);
  Hash128 (*hash)(std::string_view bytes);
  // Adds bytes to a checksum or a digest.
  void (*add)(std::string_view bytes, XXH3_state_s* state);
};
std::span<const Xxh3Variant> Xxh3Variants();

namespace internal {

// The library's implementation, compiled for any processor: SSE2.
std::uint64_t ChecksumPlain(std::string_view bytes);
Hash128 Hash128Plain(std::string_view bytes);
void AddXxh3Plain(std::string_view bytes, XXH3_state_s* state);
// The same source compiled for AVX2, three times as fast. Requires HasAvx2().
std::uint64_t ChecksumAvx2(std::string_view bytes);
Hash128 Hash128Avx2(std::string_view bytes);
void AddXxh3Avx2(std::string_view bytes, XXH3_state_s* state);

}  // namespace internal
}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IR_CHECKSUM_H_
