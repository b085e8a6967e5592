#include "core/transforms/edge_sorter.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace heapglot {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

Status Allocate(std::uint64_t rows, std::uint64_t row_size, Scratch* out) {
  // If that overflows, ask for the maximum.
  const std::uint64_t bytes = rows > kMax / row_size ? kMax : rows * row_size;
  Result<Scratch> scratch = Scratch::Create(bytes);
  if (!scratch.ok()) return scratch.status();
  *out = *std::move(scratch);
  return {};
}

Status NoSuchSource() {
  return {Code::kInternal, "an edge leaves a node past the last one"};
}

Status NotTheSame() {
  return {Code::kInternal, "a second pass brings other edges than the first"};
}

}  // namespace

Status EdgeSorter::Begin(std::uint64_t sources) {
  *this = EdgeSorter();
  return Allocate(sources, sizeof(std::uint32_t), &counts_);
}

Status EdgeSorter::Count(std::uint64_t source) {
  const std::span<std::uint32_t> counts = counts_.As<std::uint32_t>();
  if (source >= counts.size()) [[unlikely]]
    return NoSuchSource();
  if (++counts[source] != 0) [[likely]]
    return {};
  return {Code::kLimit, "a node has more than 4294967295 edges"};
}

Status EdgeSorter::BeginRows() {
  std::uint64_t row = 0;
  std::uint64_t source = 0;
  for (const std::uint32_t count : counts()) {
    if (buckets_.empty() ||
        source - buckets_.back().first_source == kBucketSources ||
        row + count - buckets_.back().first_row > kBucketRows) {
      buckets_.push_back({source, row, 0});
    }
    row += count;
    ++source;
  }
  buckets_.push_back({source, row, 0});
  return Allocate(row, sizeof(EdgeRow), &rows_);
}

// Edges of one source, or of adjacent ones, often come together.
void EdgeSorter::SelectBucket(std::uint64_t source) {
  if (buckets_[bucket_].first_source <= source &&
      source < buckets_[bucket_ + 1].first_source) [[likely]] {
    return;
  }
  const auto after = std::upper_bound(
      buckets_.begin(), buckets_.end(), source,
      [](std::uint64_t it, const Bucket& b) { return it < b.first_source; });
  bucket_ = static_cast<std::size_t>(after - buckets_.begin()) - 1;
}

Status EdgeSorter::Add(std::uint64_t source, EdgeRow row) {
  if (source >= counts().size()) [[unlikely]]
    return NoSuchSource();
  SelectBucket(source);
  Bucket& bucket = buckets_[bucket_];
  const std::uint64_t at = bucket.first_row + bucket.rows;
  if (at == buckets_[bucket_ + 1].first_row) [[unlikely]]
    return NotTheSame();
  row.source = static_cast<std::uint32_t>(source - bucket.first_source);
  rows_.As<EdgeRow>()[at] = row;
  ++bucket.rows;
  if (++added_ % kBucketRows == 0) rows_.Release(0, rows_.size());
  return {};
}

Status EdgeSorter::Finish() {
  const std::span<EdgeRow> rows = rows_.As<EdgeRow>();
  for (std::size_t i = 0; i + 1 < buckets_.size(); ++i) {
    const Bucket& bucket = buckets_[i];
    const Bucket& next = buckets_[i + 1];
    if (bucket.first_row + bucket.rows != next.first_row) return NotTheSame();
    SortBucket(rows.subspan(bucket.first_row, bucket.rows),
               counts().subspan(bucket.first_source,
                                next.first_source - bucket.first_source));
    Release(bucket.first_row, next.first_row);
  }
  buckets_ = {};
  unsorted_ = {};
  next_rows_ = {};
  return {};
}

void EdgeSorter::SortBucket(std::span<EdgeRow> rows,
                            std::span<const std::uint32_t> counts) {
  const auto comes_before = [](const EdgeRow& a, const EdgeRow& b) {
    return a.source < b.source;
  };
  // This also covers buckets that are too big: they have one source.
  if (std::is_sorted(rows.begin(), rows.end(), comes_before)) return;
  next_rows_.clear();
  std::uint32_t row = 0;
  for (const std::uint32_t count : counts) {
    next_rows_.push_back(row);
    row += count;
  }
  unsorted_.assign(rows.begin(), rows.end());
  for (const EdgeRow& edge : unsorted_) rows[next_rows_[edge.source]++] = edge;
}

}  // namespace heapglot
