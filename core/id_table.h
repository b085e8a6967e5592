// Hash tables whose keys are numbers chosen by a file.
#ifndef HEAPGLOT_CORE_ID_TABLE_H_
#define HEAPGLOT_CORE_ID_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace heapglot {

// Differs from process to process. The standard library hashes a number to
// itself, so a file could put all of its ids into one bucket.
class IdHash {
 public:
  std::size_t operator()(std::uint64_t id) const noexcept {
    // XORs the two halves of a product: of the id and a secret number.
    __extension__ using Product = unsigned __int128;
    const Product product = Product{id ^ kSeed.mask} * kSeed.factor;
    return static_cast<std::uint64_t>(product) ^
           static_cast<std::uint64_t>(product >> 64);
  }

 private:
  struct Seed {
    Seed();
    std::uint64_t mask;
    std::uint64_t factor;  // odd
  };
  inline static const Seed kSeed;
};

// Their iteration order means nothing: it differs from process to process.
template <typename Value>
using IdTable = std::unordered_map<std::uint64_t, Value, IdHash>;
using IdSet = std::unordered_set<std::uint64_t, IdHash>;

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_ID_TABLE_H_
