#include "core/canonical/canonical_types.h"

#include <algorithm>
#include <utility>

#include "core/column.h"
#include "core/ir/columns.h"
#include "core/ir/index_columns.h"

namespace heapglot {
namespace {

// Whether types have a name and nothing else.
bool AreOnlyNames(const pb::Types& types) {
  bool only_names = types.extra().empty() && types.field_extra().empty();
  ForEachColumn(types, [&](const ColumnPath& path, const auto&, const auto&) {
    only_names = only_names && path.numbers[0] == pb::Types::kNameFieldNumber;
  });
  return only_names;
}

}  // namespace

void CanonicalTypes::Arrange(bool is_owner, const CanonicalStrings& strings,
                             std::vector<pb::Chunk>* chunks) {
  new_index_.clear();
  merged_ = 0;
  std::vector<std::pair<Hash128, std::uint64_t>> names;  // and strings
  for (const pb::Chunk& chunk : *chunks) {
    const pb::Types& types = chunk.types();
    if (is_owner || !AreOnlyNames(types)) return;
    for (int row = 0; row < static_cast<int>(types.count()); ++row) {
      const std::uint64_t name = At(types.name(), row);
      names.emplace_back(strings.HashOf(name), name);
    }
  }
  std::vector<std::pair<Hash128, std::uint64_t>> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto is_same = [](const auto& a, const auto& b) {
    return a.first == b.first;
  };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), is_same),
               sorted.end());
  merged_ = names.size() - sorted.size();
  new_index_.reserve(names.size());
  for (const auto& [hash, name] : names) {
    const auto found =
        std::lower_bound(sorted.begin(), sorted.end(), hash,
                         [](const auto& entry, const Hash128& key) {
                           return entry.first < key;
                         });
    new_index_.push_back(static_cast<std::uint64_t>(found - sorted.begin()));
  }
  chunks->clear();
  for (std::size_t first = 0; first < sorted.size(); first += kChunkRows) {
    const std::size_t end = std::min(sorted.size(), first + kChunkRows);
    pb::Types& types = *chunks->emplace_back().mutable_types();
    types.set_first(first);
    types.set_count(static_cast<std::uint32_t>(end - first));
    for (std::size_t i = first; i < end; ++i) types.add_name(sorted[i].second);
  }
}

void CanonicalTypes::Renumber(pb::Chunk* chunk) const {
  if (new_index_.empty()) return;
  if (chunk->has_nodes()) {
    pb::Nodes& nodes = *chunk->mutable_nodes();
    for (int row = 0; row < nodes.type_ref_size(); ++row) {
      const std::uint32_t flags = At(nodes.flags(), row);
      if ((flags & pb::NODE_TYPE_DANGLING) == 0)
        nodes.set_type_ref(row, NewRef(nodes.type_ref(row)));
    }
    return;
  }
  for (const IndexColumn& column : IndexColumnsOf(chunk->body_case())) {
    if (column.space != IndexSpace::kTypes) continue;
    for (std::uint64_t& ref :
         *column.mutate(MutableBody(chunk, chunk->body_case())))
      ref = NewRef(ref);
  }
}

}  // namespace heapglot
