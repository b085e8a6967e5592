// Sorts edges by their source node, on disk if there are many.
#ifndef HEAPGLOT_CORE_TRANSFORMS_EDGE_SORTER_H_
#define HEAPGLOT_CORE_TRANSFORMS_EDGE_SORTER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/bytes/scratch.h"
#include "heapglot/status.h"

namespace heapglot {

// What an edge has besides its source.
struct EdgeRow {
  std::uint64_t name = 0;
  std::uint64_t to = 0;
  std::uint32_t kind = 0;
  std::uint32_t flags = 0;
  std::uint32_t source = 0;  // for the sorter: relative to the bucket's first
  std::uint8_t name_form = 0;
  std::uint8_t to_form = 0;
};
static_assert(sizeof(EdgeRow) == 32);

// A stable counting sort. The edges are passed in twice, in the same order:
//
//   Begin, Count for each edge, BeginRows, Add for each edge, Finish
//
// and are then in the order of their sources.
//
// Putting each edge in its place right away would touch a page of the table
// for nearly every edge. So sources are combined into buckets of a few MiB:
// edges are appended to their bucket, and each bucket is sorted by itself.
//
// Memory: 4 bytes per source and 32 bytes per edge in scratch space, of which 8
// MiB and a page per bucket are resident; 20 MiB in Finish().
class EdgeSorter {
 public:
  // Sources are 0 ... `sources` - 1. Errors: those of Scratch::Create().
  Status Begin(std::uint64_t sources);

  // Errors of both: kInternal if there is no such source, or if what is added
  // differs from what was counted; kLimit for 2^32 edges of one source.
  Status Count(std::uint64_t source);
  Status Add(std::uint64_t source, EdgeRow row);

  // Errors: those of Scratch::Create().
  Status BeginRows();
  // Errors: kInternal if fewer edges were added than counted.
  Status Finish();

  // The number of edges of each source.
  std::span<const std::uint32_t> counts() const {
    return counts_.As<std::uint32_t>();
  }
  // All edges in the order of their sources. Valid after Finish().
  std::span<const EdgeRow> rows() const { return rows_.As<EdgeRow>(); }
  // The rows from `begin` up to `end` will not be needed soon.
  void Release(std::uint64_t begin, std::uint64_t end) const {
    rows_.Release(begin * sizeof(EdgeRow), end * sizeof(EdgeRow));
  }
  // Release() is worthwhile for this many rows.
  static constexpr std::uint64_t kBucketRows = std::uint64_t{256} << 10;

 private:
  static constexpr std::uint64_t kBucketSources = std::uint64_t{1} << 20;

  // Consecutive sources.
  struct Bucket {
    std::uint64_t first_source;
    std::uint64_t first_row;
    std::uint64_t rows;  // added so far
  };

  void SelectBucket(std::uint64_t source);
  void SortBucket(std::span<EdgeRow> rows,
                  std::span<const std::uint32_t> counts);

  Scratch counts_;
  Scratch rows_;
  std::uint64_t added_ = 0;
  std::vector<Bucket> buckets_;           // and an empty one at the end
  std::size_t bucket_ = 0;                // of the last edge that was added
  std::vector<EdgeRow> unsorted_;         // for SortBucket()
  std::vector<std::uint32_t> next_rows_;  // for each source
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TRANSFORMS_EDGE_SORTER_H_
