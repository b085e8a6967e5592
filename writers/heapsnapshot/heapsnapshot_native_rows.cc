#include "writers/heapsnapshot/heapsnapshot_native_rows.h"

#include <algorithm>

#include "core/text/format_uint.h"

namespace heapglot::heapsnapshot {
namespace {

// Numbers between two checks of the room that is left. FormatRows() takes eight
// at a time.
constexpr std::size_t kBatch = BufferedOut::kMaxReserve / kMaxFormatted / 8 * 8;

std::string Separator(const Gap& gap) { return gap.before + "," + gap.after; }

char* Format(std::uint64_t number, bool is_signed, char* at) {
  if (is_signed && number >> 63 != 0) [[unlikely]] {
    *at++ = '-';
    number = 0 - number;
  }
  return FormatUint(number, at);
}

}  // namespace

RowWriter::RowWriter(const ArrayLayout& layout,
                     const std::vector<bool>& is_signed, BufferedOut& out)
    : layout_(layout),
      is_signed_(is_signed),
      out_(out),
      column_separator_(Separator(layout.column)),
      row_separator_(Separator(layout.row)) {
  if (std::max(column_separator_.size(), row_separator_.size()) >
      RowLayout::kMaxSeparator)
    return;
  std::vector<RowLayout::Column> columns;
  columns.reserve(is_signed.size());
  for (const bool column : is_signed) {
    columns.push_back(
        {columns.empty() ? row_separator_ : column_separator_, column});
  }
  rows_.emplace(columns);
}

void RowWriter::Write(std::span<const std::uint64_t> numbers) {
  if (numbers.empty()) return;
  std::size_t next = 0;
  if (is_empty_) {
    out_.Write(layout_.first);
    char* const at = out_.Reserve(kMaxFormatted);
    out_.Commit(Format(numbers[next++], is_signed_[0], at));
    is_empty_ = false;
  }
  if (!rows_) return WriteWithLongSeparators(numbers, next);
  while (next < numbers.size()) {
    const std::size_t count = std::min(numbers.size() - next, kBatch);
    char* const at = out_.Reserve(count * kMaxFormatted);
    out_.Commit(FormatRows(*rows_, &numbers[next], count,
                           next % is_signed_.size(), at));
    next += count;
  }
}

void RowWriter::WriteWithLongSeparators(std::span<const std::uint64_t> numbers,
                                        std::size_t next) {
  for (; next < numbers.size(); ++next) {
    const std::size_t column = next % is_signed_.size();
    out_.Write(column == 0 ? row_separator_ : column_separator_);
    char* const at = out_.Reserve(kMaxFormatted);
    out_.Commit(Format(numbers[next], is_signed_[column], at));
  }
}

void RowWriter::End() {
  out_.Write(is_empty_ ? layout_.empty : layout_.last);
  out_.Write(']');
}

TreeWriter::TreeWriter(const ArrayLayout& layout, BufferedOut& out)
    : layout_(layout),
      out_(out),
      column_separator_(Separator(layout.column)),
      row_separator_(Separator(layout.row)) {}

void TreeWriter::Write(const std::uint64_t* numbers, std::size_t width,
                       std::uint64_t children) {
  CloseFinished();
  if (!open_.empty()) --open_.back();
  out_.Write(is_first_ ? layout_.first : row_separator_);
  for (std::size_t i = 0; i < width; ++i) {
    out_.Commit(Format(numbers[i], true, out_.Reserve(kMaxFormatted)));
    out_.Write(column_separator_);
  }
  out_.Write('[');
  if (children == 0) {
    out_.Write(layout_.empty);
    out_.Write(']');
  } else {
    open_.push_back(children);
  }
  is_first_ = children > 0;
}

void TreeWriter::CloseFinished() {
  while (!open_.empty() && open_.back() == 0) {
    open_.pop_back();
    out_.Write(layout_.last);
    out_.Write(']');
    is_first_ = false;
  }
}

void TreeWriter::End() {
  const bool is_empty = is_first_ && open_.empty();
  // More children may have been stated than came.
  std::fill(open_.begin(), open_.end(), 0);
  CloseFinished();
  out_.Write(is_empty ? layout_.empty : layout_.last);
  out_.Write(']');
}

}  // namespace heapglot::heapsnapshot
