// The strings of a canonical stream: each text once, numbered in the order of
// use.
#ifndef HEAPGLOT_CORE_CANONICAL_CANONICAL_STRINGS_H_
#define HEAPGLOT_CORE_CANONICAL_CANONICAL_STRINGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/chunk_builder.h"
#include "core/ir/checksum.h"
#include "core/text/string_store.h"
#include "heapglot/stream.h"

namespace heapglot {

// First takes all strings of a stream, then numbers those that are asked for,
// in that order. Texts are told apart by 128-bit hashes.
//
// Memory: 16 to 56 bytes a string; the texts are in a StringStore.
class CanonicalStrings {
 public:
  // What a string is used for. Rule 2 of chunk.proto says where each must be,
  // so a text that is used for two of them appears twice.
  enum Use {
    kName,   // of Vocabulary, Types, Roots, Externals
    kOther,  // of all other tables
    kValue,  // of Nodes.value under V_NAME: new each time
  };

  // Strings are sent to `out`.
  explicit CanonicalStrings(ChunkSink& out) : builder_(out) {}

  // Takes a chunk of strings. All of them, in order.
  Status Add(const pb::Strings& strings);
  // Whether the source gave ids to any of them. These are not kept.
  bool has_ids() const { return has_ids_; }

  // The hash of the text of string `index`.
  Hash128 HashOf(std::uint64_t index) const {
    return index < hashes_.size() ? hashes_[index] : hashes_[0];
  }

  // The next strings are used by one chunk, all as names, or none.
  void Begin(bool names);
  // The new number of string `index`.
  std::uint64_t Number(std::uint64_t index, Use use) {
    if (use != kValue && index < numbers_[use].size() &&
        numbers_[use][index] != 0)
      return numbers_[use][index];
    return NewNumber(index, use);
  }
  // Sends what is new since Begin(); afterwards the chunk that uses it may be
  // sent. Errors: those of the sink, and of StringStore.
  Status Flush();

  // How many numbers are in use, including 0.
  std::uint64_t count() const { return builder_.next(); }

 private:
  void EndString(const Hash128& hash);
  void FindFirsts();
  void GrowSlots();
  std::size_t FirstSlotOf(const Hash128& hash) const {
    return hash.high & (slots_.size() - 1);
  }
  std::uint64_t* SlotOf(const Hash128& hash);
  std::uint64_t NewNumber(std::uint64_t index, Use use);
  void AddText(std::uint64_t index);

  StringStore store_;
  StringBuilder builder_;
  Status status_;
  bool has_ids_ = false;

  // State of a string that comes in pieces.
  bool in_pieces_ = false;
  std::uint32_t encoding_ = 0;
  Digest128 pieces_;

  // The first string with a text stands for that text. The empty string is 0.
  std::vector<std::uint64_t> first_of_ = {0};  // one for each string
  std::vector<Hash128> hashes_ = {Hash128Of({})};
  std::vector<std::uint64_t> slots_;  // hash table of strings, 0 = free
  std::size_t used_slots_ = 0;
  // New numbers of strings, for kName and kOther; 0: not asked for yet.
  std::array<std::vector<std::uint64_t>, 2> numbers_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_CANONICAL_STRINGS_H_
