// From the ids of records to their positions.
#ifndef HEAPGLOT_READERS_NDJSON_NDJSON_ID_MAP_H_
#define HEAPGLOT_READERS_NDJSON_NDJSON_ID_MAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heapglot::ndjson {

// Ids are added in the order of their positions 0, 1, ...; then Finish(), then
// Find().
//
// Memory: nothing while the ids are an arithmetic progression (what counts its
// records writes such ones); 8 bytes an id, while they ascend, or when their
// spread leaves room for the position in one word (a process's addresses do);
// else 12. 0.5 bytes an id more for the lookup.
class IdMap {
 public:
  void Add(std::uint64_t id);
  // An id that was there before, at `first`. It is found there.
  struct Twin {
    std::uint64_t position;
    std::uint64_t first;
  };
  // Answers with all twins, in the order of their ids.
  std::vector<Twin> Finish();

  std::uint64_t size() const { return size_; }
  // kNone if there is no such id.
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t Find(std::uint64_t id) const;
  std::uint64_t max() const { return max_; }

 private:
  enum class Form : std::uint8_t { kProgression, kSorted, kPacked, kPermuted };

  void LeaveProgression();
  void Push(std::uint64_t id);
  void JoinBlocks();
  void Pack();
  void Permute();
  void BuildBuckets();
  std::uint64_t KeyAt(std::size_t rank) const;
  std::uint64_t PositionAt(std::size_t rank) const;

  Form form_ = Form::kProgression;
  std::uint64_t size_ = 0;
  std::uint64_t min_ = 0;  // the first one, in a progression
  std::uint64_t max_ = 0;
  std::uint64_t step_ = 0;
  bool ascending_ = true;
  std::uint64_t last_ = 0;
  // kSorted, kPermuted: ids; kPacked: (id - min) >> align << index bits | index.
  std::vector<std::uint64_t> ids_;
  // The ids until Finish(): a vector that grows would hold them twice.
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::vector<std::uint32_t> order_;  // kPermuted: ranks to positions
  int align_bits_ = 0;
  int index_bits_ = 0;
  // buckets_[k]: the first rank whose (key - min) >> bucket_shift_ is >= k.
  std::vector<std::uint32_t> buckets_;
  int bucket_shift_ = 0;
};

}  // namespace heapglot::ndjson

#endif  // HEAPGLOT_READERS_NDJSON_NDJSON_ID_MAP_H_
