// Objects whose keys are not in the order of the declarations.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draft/draft_lines.h"
#include "core/text_table.h"

namespace heapglot::draft {

const LineWriter::Ranks* LineWriter::RanksOf(const Layout& layout,
                                             std::string_view type,
                                             std::string_view subtype) {
  if (style_.orders.empty() && !style_.sorted_keys) return nullptr;
  // Records of the same type mostly come in a row.
  if (ranked_ != &layout) {
    ranked_ = &layout;
    auto [found, is_new] = all_ranks_.try_emplace(&layout);
    if (is_new) found->second = FindRanks(layout, type, subtype);
    last_ranks_ = found->second.is_usual ? nullptr : &found->second;
  }
  return last_ranks_;
}

// The keys in their order, as far as the style says. They may be arbitrary.
std::vector<std::string> LineWriter::KeysOf(const Layout& layout,
                                            std::string_view type,
                                            std::string_view subtype) const {
  if (style_.sorted_keys) {
    std::vector<std::string> keys = {"type"};
    for (const Field& field : layout.fields) keys.push_back(field.name);
    std::sort(keys.begin(), keys.end());
    return keys;
  }
  const Style::KeyOrder* order = nullptr;
  for (const Style::KeyOrder& other : style_.orders) {
    if (other.type != type) continue;
    if (order == nullptr) order = &other;
    if (other.subtype != subtype) continue;
    order = &other;
    break;
  }
  return order == nullptr ? std::vector<std::string>() : order->keys;
}

LineWriter::Ranks LineWriter::FindRanks(const Layout& layout,
                                        std::string_view type,
                                        std::string_view subtype) const {
  Ranks ranks;
  const std::vector<std::string> keys = KeysOf(layout, type, subtype);
  if (keys.empty()) return ranks;
  // If a key is listed twice, the first one counts.
  TextTable<std::size_t> places;
  for (std::size_t i = 0; i < keys.size(); ++i) places.emplace(keys[i], i);
  const auto rank = [&](std::string_view key) {
    const auto found = places.find(key);
    return found == places.end() ? keys.size() : found->second;
  };
  ranks.of_type = rank("type");
  for (const Field& field : layout.fields)
    ranks.of_fields.push_back(rank(field.name));
  ranks.is_usual =
      std::is_sorted(ranks.of_fields.begin(), ranks.of_fields.end()) &&
      (ranks.of_fields.empty() || ranks.of_type <= ranks.of_fields.front());
  return ranks;
}

void LineWriter::Hold() {
  if (!hold_) {
    held_sink_ = ByteSink::ToString(&held_);
    hold_.emplace(*held_sink_);
  }
  held_.clear();
  pieces_.clear();
  out_ = &*hold_;
}

// Ends the last piece, if there is one.
void LineWriter::EndPieces() {
  hold_->Flush();
  if (!pieces_.empty()) pieces_.back().end = held_.size();
}

void LineWriter::WritePieces() {
  out_ = &file_;
  ranks_ = nullptr;
  out_->Write('{');
  for (const Piece& piece : pieces_) {
    if (&piece != &pieces_.front()) Comma();
    out_->Write(TextOf(piece));
  }
}

// Writes the record, except for its end.
void LineWriter::EndHeld() {
  EndPieces();
  bool has_others = false;
  for (Piece& piece : pieces_) {
    has_others |= piece.field == kOtherKey;
    piece.rank = piece.field == kTypeKey ? ranks_->of_type
                 : piece.field == kOtherKey
                     ? std::numeric_limits<std::size_t>::max()
                     : ranks_->of_fields[static_cast<std::size_t>(piece.field)];
  }
  if (style_.sorted_keys && has_others) {
    // Compare the texts: each begins with the key and its closing quote, which
    // sorts before nearly every byte of a key.
    std::sort(pieces_.begin(), pieces_.end(),
              [this](const Piece& a, const Piece& b) {
                return TextOf(a) < TextOf(b);
              });
  } else {
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) {
                return std::pair(a.rank, a.begin) < std::pair(b.rank, b.begin);
              });
  }
  WritePieces();
}

// Writes what is held; the record continues in the usual order.
void LineWriter::StopHolding() {
  EndPieces();
  WritePieces();
}

}  // namespace heapglot::draft
