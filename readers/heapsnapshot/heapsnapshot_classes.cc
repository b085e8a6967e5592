#include "readers/heapsnapshot/heapsnapshot_classes.h"

#include <algorithm>
#include <utility>

#include "core/process_random.h"
#include "heapglot/stream.h"

namespace heapglot::heapsnapshot {

TypeNames::TypeNames() : digest_(ProcessRandom()[0]) {}

void TypeNames::Add(std::string_view text, pb::StringEncoding encoding) {
  digest_.Reset();
  digest_.Add(text);
  End(encoding);
}

void TypeNames::Add(const StringToken& token) {
  if (token.is_plain) return Add(token.raw, pb::UTF8);
  pb::StringEncoding encoding = pb::UTF8;
  digest_.Reset();
  for (std::size_t at = 0; at < token.raw.size();) {
    piece_.clear();
    encoding = std::max(encoding,
                        AppendUnescaped(token.raw, &at, kChunkText, &piece_));
    digest_.Add(piece_);
  }
  End(encoding);
}

void TypeNames::End(pb::StringEncoding encoding) {
  // The same bytes in another encoding are another name.
  const Hash128 hash = digest_.hash();
  hashes_.push_back(
      {hash.low + static_cast<std::uint64_t>(encoding), hash.high});
}

void TypeNames::PutFirst(const TypeNames& first) {
  hashes_.insert(hashes_.begin(), first.hashes_.begin(), first.hashes_.end());
}

std::vector<std::uint64_t> TypeNames::Numbers() const {
  std::vector<std::pair<Hash128, std::uint64_t>> sorted;
  sorted.reserve(hashes_.size());
  for (const Hash128& hash : hashes_) sorted.emplace_back(hash, sorted.size());
  std::sort(sorted.begin(), sorted.end());
  const auto is_same = [](const auto& a, const auto& b) {
    return a.first == b.first;
  };
  if (std::adjacent_find(sorted.begin(), sorted.end(), is_same) == sorted.end())
    return {};
  // First, the earliest of the names that are equal to each.
  std::vector<std::uint64_t> numbers(sorted.size());
  for (std::size_t i = 0, first = 0; i < sorted.size(); ++i) {
    if (!is_same(sorted[first], sorted[i])) first = i;
    numbers[sorted[i].second] = sorted[first].second;
  }
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < numbers.size(); ++i)
    numbers[i] = numbers[i] == i ? next++ : numbers[numbers[i]];
  return numbers;
}

}  // namespace heapglot::heapsnapshot
