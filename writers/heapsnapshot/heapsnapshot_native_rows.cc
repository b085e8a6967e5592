#include "writers/heapsnapshot/heapsnapshot_native_rows.h"

#include <algorithm>
#include <cstring>

#include "core/text/format_uint.h"

namespace heapglot::heapsnapshot {
namespace {

// Separators up to here are copied as eight bytes, whatever their size.
constexpr std::size_t kShort = 8;

// What a number takes at most: sign, digits, what FormatUint() may touch, and a
// short separator.
constexpr std::size_t kMaxNumber = 1 + kMaxUintDigits + 4 + kShort;
// Numbers between two looks at the room that is left.
constexpr std::size_t kBatch = BufferedOut::kMaxReserve / kMaxNumber;

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
      out_(out),
      column_separator_(Separator(layout.column)),
      row_separator_(Separator(layout.row)) {
  for (const bool column : is_signed) {
    columns_.push_back(
        {column, columns_.empty() ? &row_separator_ : &column_separator_});
  }
  // So that eight bytes can be copied from either.
  for (std::string* const separator : {&column_separator_, &row_separator_})
    separator->reserve(kShort);
}

void RowWriter::Write(const std::vector<std::uint64_t>& numbers) {
  if (numbers.empty()) return;
  std::size_t next = 0;
  std::size_t column = 0;
  if (is_empty_) {
    out_.Write(layout_.first);
    char* const at = out_.Reserve(kMaxNumber);
    out_.Commit(Format(numbers[next++], columns_[column++].is_signed, at));
    is_empty_ = false;
  }
  while (next < numbers.size()) {
    const std::size_t end = std::min(numbers.size(), next + kBatch);
    char* at = out_.Reserve(BufferedOut::kMaxReserve);
    for (; next < end; ++next, ++column) {
      if (column == columns_.size()) column = 0;
      const auto& [is_signed, separator] = columns_[column];
      if (separator->size() > kShort) [[unlikely]] {
        out_.Commit(at);
        out_.Write(*separator);
        at = out_.Reserve(BufferedOut::kMaxReserve);
      } else {
        std::memcpy(at, separator->data(), kShort);
        at += separator->size();
      }
      at = Format(numbers[next], is_signed, at);
    }
    out_.Commit(at);
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
    out_.Commit(Format(numbers[i], true, out_.Reserve(kMaxNumber)));
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
