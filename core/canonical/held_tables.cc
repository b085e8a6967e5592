#include "core/canonical/held_tables.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/canonical/compact_json.h"
#include "core/canonical/row_cutter.h"
#include "core/column.h"
#include "core/ir/word_count.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// The tables after nodes and values, in the order in which they are sent.
constexpr Body kTail[] = {Body::kLocations,   Body::kTraceFunctions,
                          Body::kTraceNodes,  Body::kSamples,
                          Body::kStackFrames, Body::kThreads};

bool AreAllZero(const auto& column) {
  return std::ranges::all_of(column, [](auto entry) { return entry == 0; });
}

// Drops what is implied. What is left tells how many words there are.
void Tidy(pb::Vocabulary* words) {
  if (AreAllZero(words->name_form())) words->clear_name_form();
  if (AreAllZero(words->edge_flags())) words->clear_edge_flags();
  bool are_positions = true;
  for (int i = 0; i < words->source_code_size(); ++i)
    are_positions = are_positions && words->source_code(i) == i;
  if (are_positions) words->clear_source_code();
}

}  // namespace

void HeldTables::Add(const pb::Chunk& chunk) {
  switch (chunk.body_case()) {
    case Body::kVocabulary:
      return AddVocabulary(chunk.vocabulary());
    case Body::kValues:
      return AddValues(chunk);
    case Body::kExtra:
      return AddExtra(chunk.extra());
    case Body::kExtraTable:
      extra_tables_[chunk.extra_table().name()].push_back(chunk);
      return;
    case Body::kMetadata:
      metadata_.insert(metadata_.end(), chunk.metadata().entry().begin(),
                       chunk.metadata().entry().end());
      return;
    case Body::kRecordOrder:
      has_record_order_ = true;
      return;
    default:
      tables_[chunk.body_case()].push_back(chunk);
  }
}

void HeldTables::AddVocabulary(const pb::Vocabulary& vocabulary) {
  if (!pb::Vocabulary::Space_IsValid(vocabulary.space())) return;
  pb::Vocabulary& words =
      *vocabularies_[vocabulary.space()].mutable_vocabulary();
  words.set_space(vocabulary.space());
  const int rows = WordCount(vocabulary);
  for (int row = 0; row < rows; ++row) {
    const int position = words.name_size();
    words.add_name(At(vocabulary.name(), row));
    words.add_known(At(vocabulary.known(), row));
    words.add_source_code(vocabulary.source_code().empty()
                              ? position
                              : vocabulary.source_code(row));
    words.add_name_form(At(vocabulary.name_form(), row));
    words.add_edge_flags(At(vocabulary.edge_flags(), row));
  }
}

void HeldTables::AddValues(const pb::Chunk& chunk) {
  const pb::Values& values = chunk.values();
  if (!pb::Values::Owner_IsValid(values.owner_space())) return;
  if (values.owner_space() == pb::Values::OF_STRING) {
    values_of_strings_ += values.count();
    return;
  }
  values_[values.owner_space()].push_back(chunk);
}

void HeldTables::AddExtra(const pb::Extra& extra) {
  if (extra_goes_on_) {
    extra_.back().mutable_data()->append(extra.data());
  } else {
    extra_.push_back(extra);
  }
  extra_goes_on_ = extra.continued();
}

void HeldTables::ArrangeTypes(const CanonicalStrings& strings) {
  types_.Arrange(!values_[pb::Values::OF_TYPE].empty(), strings,
                 &tables_[Body::kTypes]);
}

Status HeldTables::SendRows(int kind, std::vector<pb::Chunk>& chunks,
                            CanonicalOut& out) {
  RowCutter cutter(kind, out);
  for (pb::Chunk& chunk : chunks)
    HEAPGLOT_RETURN_IF_ERROR(cutter.Add(std::move(chunk)));
  chunks.clear();
  return cutter.End();
}

Status HeldTables::SendTypes(CanonicalOut& out) {
  TypeCutter cutter(out);
  for (pb::Chunk& chunk : tables_[Body::kTypes])
    HEAPGLOT_RETURN_IF_ERROR(cutter.Add(std::move(chunk)));
  tables_[Body::kTypes].clear();
  return cutter.End();
}

Status HeldTables::SendHead(CanonicalOut& out) {
  for (pb::Chunk& chunk : vocabularies_) {
    if (chunk.vocabulary().name().empty()) continue;
    Tidy(chunk.mutable_vocabulary());
    HEAPGLOT_RETURN_IF_ERROR(out.Send(&chunk));
  }
  HEAPGLOT_RETURN_IF_ERROR(SendTypes(out));
  for (const Body kind : {Body::kRoots, Body::kExternals})
    HEAPGLOT_RETURN_IF_ERROR(SendRows(kind, tables_[kind], out));
  return {};
}

Status HeldTables::SendTail(CanonicalOut& out) {
  HEAPGLOT_RETURN_IF_ERROR(SendRows(Body::kEdges, tables_[Body::kEdges], out));
  std::uint64_t values = 0;
  for (std::vector<pb::Chunk>& chunks : values_) {
    for (pb::Chunk& chunk : chunks) {
      chunk.mutable_values()->set_first(values);
      values += chunk.values().count();
    }
    HEAPGLOT_RETURN_IF_ERROR(SendRows(Body::kValues, chunks, out));
  }
  for (const Body kind : kTail)
    HEAPGLOT_RETURN_IF_ERROR(SendRows(kind, tables_[kind], out));
  HEAPGLOT_RETURN_IF_ERROR(SendMetadata(out));
  HEAPGLOT_RETURN_IF_ERROR(SendExtra(out));
  for (auto& [name, chunks] : extra_tables_)
    HEAPGLOT_RETURN_IF_ERROR(SendExtraTable(chunks, out));
  return {};
}

// It is sent even without rows.
Status HeldTables::SendExtraTable(std::vector<pb::Chunk>& chunks,
                                  CanonicalOut& out) {
  const bool is_empty = std::ranges::all_of(chunks, [](const pb::Chunk& chunk) {
    return chunk.extra_table().count() == 0;
  });
  return is_empty ? out.Send(chunks.data())
                  : SendRows(Body::kExtraTable, chunks, out);
}

Status HeldTables::SendMetadata(CanonicalOut& out) const {
  for (std::size_t at = 0; at < metadata_.size(); at += kChunkRows) {
    pb::Chunk chunk;
    const std::size_t end = std::min(metadata_.size(), at + kChunkRows);
    for (std::size_t i = at; i < end; ++i)
      *chunk.mutable_metadata()->add_entry() = metadata_[i];
    HEAPGLOT_RETURN_IF_ERROR(out.Send(&chunk));
  }
  return {};
}

Status HeldTables::SendExtra(CanonicalOut& out) const {
  for (const pb::Extra& extra : extra_) {
    const std::string data = CompactJson(extra.data());
    std::string_view rest = data;
    do {
      pb::Chunk chunk;
      pb::Extra& piece = *chunk.mutable_extra();
      piece.set_format(extra.format());
      piece.set_section(extra.section());
      const std::string_view part = rest.substr(0, kChunkText);
      piece.set_data(part.data(), part.size());
      rest.remove_prefix(part.size());
      piece.set_continued(!rest.empty());
      HEAPGLOT_RETURN_IF_ERROR(out.Send(&chunk));
    } while (!rest.empty());
  }
  return {};
}

}  // namespace heapglot
