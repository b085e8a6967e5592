#include "core/text/string_store.h"

#include <algorithm>
#include <cstring>

#include "core/column.h"

namespace heapglot {
namespace {

constexpr int kEncodingBits = 2;
static_assert(pb::StringEncoding_MAX < 1 << kEncodingBits);

}  // namespace

void StringStore::Add(const pb::Strings& strings) {
  std::uint64_t begin = bytes_.size();
  std::uint64_t index = strings.first();
  const int rows = strings.length_size();
  for (int row = 0; row < rows; ++row) {
    const auto piece = static_cast<pb::StringEncoding>(
        At(strings.encoding(), row) & ((1 << kEncodingBits) - 1));
    if (!continued_) {
      if (runs_.empty() || index != next_)
        runs_.push_back({index, row_count(), begin});
      encoding_ = pb::UTF8;
    }
    encoding_ = std::max(encoding_, piece);
    begin += strings.length(row);
    continued_ = strings.continued() && row + 1 == rows;
    if (continued_) break;
    ++index;
    next_ = is_lost_ ? kNoIndex : index;
    if (!is_lost_) {
      const std::uint64_t entry = begin << kEncodingBits | encoding_;
      char* const at = rows_.Reserve(sizeof entry);
      std::memcpy(at, &entry, sizeof entry);
      rows_.Commit(at + sizeof entry);
    }
    is_lost_ = false;
  }
  bytes_.Write(strings.data());
}

void StringStore::Clear() {
  bytes_.Clear();
  rows_.Clear();
  runs_.clear();
  next_ = kNoIndex;
  is_lost_ = continued_;
}

const StringStore::Run* StringStore::RunOf(std::uint64_t index) const {
  const auto after = std::upper_bound(
      runs_.begin(), runs_.end(), index,
      [](std::uint64_t wanted, const Run& run) { return wanted < run.first; });
  return after == runs_.begin() ? nullptr : &*(after - 1);
}

std::uint64_t StringStore::RowOf(std::uint64_t index) const {
  const Run* const run = RunOf(index);
  if (run == nullptr) return kNoRow;
  const std::uint64_t row = run->first_row + (index - run->first);
  const std::uint64_t end =
      run == &runs_.back() ? row_count() : (run + 1)->first_row;
  return row < end ? row : kNoRow;
}

std::uint64_t StringStore::Row(std::uint64_t row) {
  std::uint64_t entry = 0;
  const std::string_view bytes = rows_.View(row * sizeof entry, sizeof entry);
  if (bytes.size() == sizeof entry)
    std::memcpy(&entry, bytes.data(), sizeof entry);
  return entry;
}

StringStore::Text StringStore::Locate(std::uint64_t index) {
  const std::uint64_t row = RowOf(index);
  if (row == kNoRow) return {};
  const Run& run = *RunOf(index);
  const std::uint64_t begin =
      row == run.first_row ? run.begin : Row(row - 1) >> kEncodingBits;
  const std::uint64_t entry = Row(row);
  const std::uint64_t end = entry >> kEncodingBits;
  // An entry is 0 if the file could not be read.
  if (end < begin) return {};
  return {begin, end - begin,
          static_cast<pb::StringEncoding>(entry & ((1 << kEncodingBits) - 1))};
}

}  // namespace heapglot
