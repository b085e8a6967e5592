#include "core/canonical/canonical_strings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/column.h"
#include "core/text/utf.h"

namespace heapglot {

Status CanonicalStrings::Add(const pb::Strings& strings) {
  store_.Add(strings);
  has_ids_ = has_ids_ || !strings.source_id().empty();
  std::string_view rest = strings.data();
  for (int row = 0; row < strings.length_size(); ++row) {
    const std::string_view text = rest.substr(0, strings.length(row));
    rest.remove_prefix(text.size());
    encoding_ = std::max<std::uint32_t>(
        encoding_, static_cast<std::uint32_t>(At(strings.encoding(), row)));
    const bool goes_on =
        strings.continued() && row + 1 == strings.length_size();
    if (!goes_on && !in_pieces_) {
      EndString(Hash128Of(text));
      continue;
    }
    if (!in_pieces_) pieces_.Reset();
    pieces_.Add(text);
    in_pieces_ = goes_on;
    if (!goes_on) EndString(pieces_.hash());
  }
  FindFirsts();
  return store_.status();
}

void CanonicalStrings::EndString(const Hash128& hash) {
  // The same bytes in another encoding are another text.
  hashes_.push_back({hash.low + std::exchange(encoding_, 0), hash.high});
}

// Finds the first string with the same text for all strings that have none yet.
// They are many and anywhere in memory, so they are prefetched a few strings
// ahead: first the slot, then what it names.
void CanonicalStrings::FindFirsts() {
  constexpr std::uint64_t kAhead = 8;
  const std::uint64_t end = hashes_.size();
  for (std::uint64_t index = first_of_.size(); index < end; ++index) {
    if (used_slots_ * 2 >= slots_.size()) GrowSlots();
    if (index + 2 * kAhead < end)
      __builtin_prefetch(&slots_[FirstSlotOf(hashes_[index + 2 * kAhead])]);
    if (index + kAhead < end) {
      const std::uint64_t named = slots_[FirstSlotOf(hashes_[index + kAhead])];
      __builtin_prefetch(&hashes_[named]);
    }
    const Hash128& text = hashes_[index];
    if (text == hashes_[0]) {
      first_of_.push_back(0);
      continue;
    }
    std::uint64_t* const slot = SlotOf(text);
    if (*slot == 0) {
      *slot = index;
      ++used_slots_;
    }
    first_of_.push_back(*slot);
  }
}

void CanonicalStrings::GrowSlots() {
  constexpr std::size_t kFirstSlots = 1024;
  const std::vector<std::uint64_t> old = std::exchange(
      slots_,
      std::vector<std::uint64_t>(std::max(kFirstSlots, 2 * slots_.size())));
  for (const std::uint64_t index : old)
    if (index != 0) *SlotOf(hashes_[index]) = index;
}

// The slot of the string with this hash, or the one that it would get.
std::uint64_t* CanonicalStrings::SlotOf(const Hash128& hash) {
  std::size_t at = FirstSlotOf(hash);
  while (slots_[at] != 0 && hashes_[slots_[at]] != hash)
    at = (at + 1) & (slots_.size() - 1);
  return &slots_[at];
}

void CanonicalStrings::Begin(bool names) {
  if (names) {
    builder_.BeginNames(true);
  } else {
    builder_.BeginOthers(true);
  }
}

std::uint64_t CanonicalStrings::NewNumber(std::uint64_t index, Use use) {
  const std::uint64_t first = index < first_of_.size() ? first_of_[index] : 0;
  if (first == 0) return 0;
  if (use == kValue) {
    AddText(first);
    return builder_.next() - 1;
  }
  std::vector<std::uint64_t>& numbers = numbers_[use];
  if (numbers.empty()) numbers.resize(first_of_.size());
  if (numbers[first] == 0) {
    numbers[first] = builder_.next();
    AddText(first);
  }
  return numbers[index] = numbers[first];
}

void CanonicalStrings::AddText(std::uint64_t index) {
  const StringStore::Text text = store_.Locate(index);
  const auto finish = [this](pb::StringEncoding encoding, bool continued) {
    Status status = builder_.Finish(encoding, continued);
    if (status_.ok()) status_ = std::move(status);
  };
  if (text.size <= kChunkText) {
    builder_.text()->append(store_.Find(index));
    finish(text.encoding, false);
    return;
  }
  for (std::uint64_t at = 0; at < text.size;) {
    std::string_view piece = store_.Piece(text, at, kChunkText);
    if (piece.empty()) break;  // a file that could not be read
    const bool goes_on = at + piece.size() < text.size;
    if (goes_on && text.encoding != pb::BYTES)
      piece = piece.substr(0, CutAtCodePoint(piece, piece.size() - 1));
    builder_.text()->append(piece);
    at += piece.size();
    finish(
        text.encoding == pb::BYTES ? ClassifyUtf8(piece) : ClassifyWtf8(piece),
        goes_on);
  }
}

Status CanonicalStrings::Flush() {
  HEAPGLOT_RETURN_IF_ERROR(status_);
  HEAPGLOT_RETURN_IF_ERROR(store_.status());
  return builder_.Flush();
}

}  // namespace heapglot
