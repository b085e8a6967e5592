#include "readers/heapsnapshot/heapsnapshot_walk.h"

#include <algorithm>
#include <limits>

#include "core/bytes/trail.h"
#include "core/text/scan_uints.h"
#include "core/text/take_uint.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"

namespace heapglot::heapsnapshot {
namespace {

DigitRuns::Gap GapOf(char byte) {
  switch (byte) {
    case '-':
      return DigitRuns::Gap::kMinus;
    case '.':
    case 'e':
    case 'E':
    case '+':
      return DigitRuns::Gap::kFraction;
    default:
      return DigitRuns::Gap::kOther;
  }
}

}  // namespace

std::optional<std::uint64_t> FindText(const ByteSource& source,
                                      std::string_view word,
                                      const Span& within) {
  // Piece by piece, so that what has been searched can be given back.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::string_view bytes = source.bytes().substr(0, within.end);
  Trail trail(source, within.begin);
  for (std::uint64_t from = within.begin; from < bytes.size(); from += kPiece) {
    trail.Advance(from);
    const std::string_view piece = bytes.substr(from, kPiece + word.size() - 1);
    const std::size_t found = piece.find(word);
    if (found != std::string_view::npos) return from + found;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> DevtoolsWalk::Find(std::string_view word,
                                                std::uint64_t from) const {
  return FindText(source_, word, {from, bytes_.size()});
}

std::optional<Span> DevtoolsWalk::Snapshot(std::uint64_t* colon) {
  constexpr std::string_view kKey = "\"snapshot\"";
  const std::optional<std::uint64_t> key = Find(kKey, 0);
  if (!key) return std::nullopt;
  *colon = *key + kKey.size();
  std::uint64_t depth = 0;
  for (std::uint64_t at = *colon + 1; at < bytes_.size(); ++at) {
    const char byte = bytes_[at];
    if (byte == '"') {
      const char* p = bytes_.data() + at + 1;
      StringToken token;
      const char* const end = bytes_.data() + bytes_.size();
      if (ScanString(&p, end, &token) != StringEnd::kOk) return std::nullopt;
      at = static_cast<std::uint64_t>(p - bytes_.data()) - 1;
    } else if (byte == '{') {
      ++depth;
    } else if (byte == '}') {
      if (depth == 0) return std::nullopt;
      if (--depth != 0) continue;
      // DevTools looks for "nodes" in the object, too: its tokenizer reports
      // the object before removing it from the text that is left.
      at_ = *colon + 1;
      return Span{at_, at + 1};
    }
  }
  return std::nullopt;
}

std::optional<Span> DevtoolsWalk::Array(std::string_view key, bool* is_cut) {
  *is_cut = false;
  const std::string quoted = "\"" + std::string(key) + "\"";
  const std::optional<std::uint64_t> name = Find(quoted, at_);
  if (!name) return std::nullopt;
  name_ = *name;
  const std::optional<std::uint64_t> open = Find("[", *name);
  if (!open) return std::nullopt;
  const std::optional<std::uint64_t> close = Find("]", *open);
  *is_cut = !close;
  if (!close) return std::nullopt;
  at_ = *close + 1;
  return Span{*open + 1, *close};
}

std::optional<Span> DevtoolsWalk::TraceTree() {
  const std::optional<std::uint64_t> colon = Find(":", at_);
  if (!colon) return std::nullopt;
  const std::optional<std::uint64_t> quote = Find("\"", *colon);
  const std::optional<std::uint64_t> open = Find("[", at_);
  if (!quote || !open) return std::nullopt;
  const std::size_t close = bytes_.rfind(']', *quote);
  if (close == std::string_view::npos || close < *open) return std::nullopt;
  at_ = close + 1;
  return Span{*open, at_};
}

std::optional<Span> DevtoolsWalk::Strings() {
  const std::optional<std::uint64_t> key = Find("\"strings\"", at_);
  if (!key) return std::nullopt;
  const std::optional<std::uint64_t> open = Find("[", *key);
  if (!open) return std::nullopt;
  return Span{*open, bytes_.size()};
}

DigitRuns::DigitRuns(std::string_view bytes, const Span& array)
    : bytes_(bytes),
      p_(bytes.data() + array.begin),
      end_(bytes.data() + array.end),
      begin_(p_) {}

void DigitRuns::Read(std::size_t max) {
  // A number and what follows it take two bytes.
  max = std::min(max, static_cast<std::size_t>(end_ - p_) / 2 + 1);
  if (block_.size() < max) block_.resize(max);
  strays_.clear();
  begin_ = p_;
  count_ = 0;
  while (count_ < max && p_ < end_) {
    std::size_t read = 0;
    p_ = ScanUints(p_, bytes_.data() + bytes_.size(), block_.data() + count_,
                   max - count_, &read);
    count_ += read;
    if (count_ == max) break;
    SkipGap(0);
    if (p_ == end_) break;
    ReadOne();
    SkipGap(1);
  }
}

bool DigitRuns::GoesOn() const {
  const char* before = p_ - 1;
  if (*before == '-' || *before == '+') --before;
  return *before == '.' || *before == 'e' || *before == 'E';
}

void DigitRuns::ReadOne() {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  if (*p_ == '0' && IsDigit(p_[1]) && !GoesOn()) {
    strays_.push_back(
        {.gap = Gap::kZeros,
         .position = count_,
         .offset = static_cast<std::uint64_t>(p_ - bytes_.data())});
  }
  for (; p_ < end_ && IsDigit(*p_); ++p_) {
    const auto digit = static_cast<std::uint64_t>(*p_ - '0');
    value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
  }
  block_[count_++] = value;
}

void DigitRuns::SkipGap(std::size_t commas) {
  const char* stray = nullptr;
  const char* const begin = p_;
  std::size_t seen = 0;
  for (; p_ < end_ && !IsDigit(*p_); ++p_) {
    if (*p_ == ',') {
      ++seen;
    } else if (!IsSpace(*p_) && stray == nullptr) {
      stray = p_;
    }
  }
  if (stray == nullptr) {
    // Nothing may follow the last number, not even a comma.
    const std::size_t expected = p_ == end_ ? 0 : commas;
    if (seen == expected) return;
    stray = begin;
  }
  strays_.push_back(
      {.gap = GapOf(*stray),
       .position = count_,
       .offset = static_cast<std::uint64_t>(stray - bytes_.data())});
}

std::uint64_t DigitRuns::OffsetOf(std::size_t position) const {
  const char* p = begin_;
  for (;; --position) {
    while (p < end_ && !IsDigit(*p)) ++p;
    if (position == 0 || p == end_) break;
    while (p < end_ && IsDigit(*p)) ++p;
  }
  return static_cast<std::uint64_t>(p - bytes_.data());
}

}  // namespace heapglot::heapsnapshot
