#include "core/text/string_picker.h"

#include <algorithm>
#include <utility>

namespace heapglot {

StringPicker::StringPicker(std::vector<std::uint64_t> indices)
    : wanted_(std::move(indices)) {
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  if (!wanted_.empty() && wanted_[0] == 0) next_ = 1;  // never sent
  texts_.resize(wanted_.size());
}

Status StringPicker::Pick(Reader& reader) {
  if (done()) return {};
  Status status = reader.Read({pb::Chunk::kStrings}, *this);
  return done() && status.code() == Code::kCancelled ? Status() : status;
}

Status StringPicker::Accept(const pb::Chunk& chunk) {
  if (!chunk.has_strings()) return {};
  const pb::Strings& strings = chunk.strings();
  std::string_view rest = strings.data();
  for (int i = 0; i < strings.length_size(); ++i) {
    const std::string_view piece = rest.substr(0, strings.length(i));
    rest.remove_prefix(piece.size());
    const bool whole = !strings.continued() || i + 1 < strings.length_size();
    Take(strings.first() + static_cast<std::uint64_t>(i), piece, whole);
    if (done()) return {Code::kCancelled, "no more strings are needed"};
  }
  return {};
}

std::string_view StringPicker::Text(std::uint64_t index) const {
  const auto at = std::lower_bound(wanted_.begin(), wanted_.end(), index);
  if (at == wanted_.end() || *at != index) return {};
  return texts_[static_cast<std::size_t>(at - wanted_.begin())];
}

void StringPicker::Take(std::uint64_t index, std::string_view piece,
                        bool whole) {
  if (wanted_[next_] != index) return;
  std::string& text = texts_[next_];
  text += piece.substr(0, kMaxBytes - std::min(kMaxBytes, text.size()));
  if (whole) ++next_;
}

}  // namespace heapglot
