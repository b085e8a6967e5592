// A hash table by numbers that a file chooses.
#ifndef HEAPGLOT_CORE_ID_TABLE_H_
#define HEAPGLOT_CORE_ID_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace heapglot {

// Differs from process to process. The standard library's hash of a number is
// the number, so that a file could put all of its ids into one bucket.
class IdHash {
 public:
  std::size_t operator()(std::uint64_t id) const {
    // The end of SplitMix64 (Steele, Lea, Flood 2014).
    id ^= Seed();
    id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9;
    id = (id ^ (id >> 27)) * 0x94d049bb133111eb;
    return id ^ (id >> 31);
  }

 private:
  static std::uint64_t Seed();
};

// Their order tells nothing: it is another one each time.
template <typename Value>
using IdTable = std::unordered_map<std::uint64_t, Value, IdHash>;
using IdSet = std::unordered_set<std::uint64_t, IdHash>;

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_ID_TABLE_H_
