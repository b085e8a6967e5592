#include "core/compare/table_rows.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/column.h"
#include "core/ir/columns.h"
#include "core/ir/word_count.h"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Body = pb::Chunk::BodyCase;
using Shape = TableSpec::Shape;

EntryView ViewOf(const Message& table, const FieldDescriptor* column) {
  EntryView view;
  if (column == nullptr || ColumnSize(table, *column) == 0) return view;
  const Entries entries = EntriesOf(table, *column);
  if (const auto* wide = std::get_if<1>(&entries)) view.wide = *wide;
  if (const auto* narrow = std::get_if<0>(&entries)) view.narrow = *narrow;
  return view;
}

ChunkSet WantedFor(const TableSpec& spec) {
  ChunkSet wanted = {Body::kGraph, Body::kGraphEnd, spec.body};
  for (const ColumnSpec& column : spec.columns) {
    if (column.role == CellRole::kKind || column.role == CellRole::kKindRef) {
      wanted = wanted | ChunkSet{Body::kVocabulary};
    }
  }
  return wanted;
}

// The name of a table before the names of its columns. A long one is cut to
// what a person needs to recognise it, since it is repeated for each column.
std::string TablePrefix(std::string_view name) {
  constexpr std::size_t kMost = 64;
  std::size_t shown = std::min(name.size(), kMost);
  while (shown > 0 && shown < name.size() && (name[shown] & 0xC0) == 0x80)
    --shown;
  return std::string(name.substr(0, shown)).append(".");
}

// A single or repeated field of a message, as text.
std::string FieldText(const Message& message, const FieldDescriptor& field) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string all;
  std::string one;
  if (!field.is_repeated()) {
    const bool is_there =
        field.has_presence() ? reflection.HasField(message, &field) : true;
    if (!is_there) return {};
    if (field.message_type() == pb::Text::descriptor()) {
      return static_cast<const pb::Text&>(
                 reflection.GetMessage(message, &field))
          .data();
    }
    printer.PrintFieldValueToString(message, &field, -1, &one);
    return one;
  }
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    printer.PrintFieldValueToString(message, &field, i, &one);
    all += one;
  }
  return all;
}

}  // namespace

std::uint32_t KindNames::Identify(std::string_view name, std::uint32_t known,
                                  const std::int64_t* source_code) {
  std::string text(name);
  text.append(" (").append(std::to_string(known));
  if (source_code != nullptr) {
    text.append(", code ").append(std::to_string(*source_code));
  }
  text += ')';
  const auto next = static_cast<std::uint32_t>(names_.size());
  const auto [found, is_new] = identities_.emplace(std::move(text), next);
  if (is_new) names_.push_back(&found->first);
  return found->second;
}

TableCursor::TableCursor(Reader& reader, const TableSpec& spec,
                         StringStore& strings, KindNames& names)
    : spec_(spec),
      strings_(strings),
      names_(names),
      pull_(reader, WantedFor(spec)),
      columns_(spec.columns.size()) {
  names_.Identify("", 0, nullptr);  // of rows without a kind: identity 0
}

Result<bool> TableCursor::NextGraph() {
  while (!graph_ended_) {
    row_ = rows_;
    HEAPGLOT_RETURN_IF_ERROR(Fill());
  }
  for (;;) {
    const Result<const pb::Chunk*> chunk = pull_.Next();
    if (!chunk.ok()) return chunk.status();
    if (*chunk == nullptr) return false;
    if (!(*chunk)->has_graph()) continue;
    graph_ended_ = false;
    for (auto& kinds : kinds_) kinds.clear();
    index_ = rows_ = row_ = 0;
    if (spec_.shape == Shape::kGraph) Bind(**chunk);
    return true;
  }
}

Status TableCursor::Fill() {
  while (row_ == rows_ && !graph_ended_) {
    rows_ = row_ = 0;
    const Result<const pb::Chunk*> chunk = pull_.Next();
    if (!chunk.ok()) return chunk.status();
    if (*chunk == nullptr) {
      return {Code::kInternal, "a stream ends within a graph"};
    }
    HEAPGLOT_RETURN_IF_ERROR(Use(**chunk));
  }
  return {};
}

Status TableCursor::Use(const pb::Chunk& chunk) {
  if (chunk.has_graph_end()) {
    graph_ended_ = true;
  } else if (chunk.has_vocabulary()) {
    AddKinds(chunk.vocabulary());
  } else if (chunk.body_case() == spec_.body) {
    Bind(chunk);
  }
  return strings_.status();
}

void TableCursor::AddKinds(const pb::Vocabulary& vocabulary) {
  if (!pb::Vocabulary::Space_IsValid(vocabulary.space())) return;
  std::vector<Kind>& kinds = kinds_[vocabulary.space()];
  for (int i = 0; i < WordCount(vocabulary); ++i) {
    const std::int64_t code = At(vocabulary.source_code(), i);
    Kind& kind = kinds.emplace_back();
    kind.identity = names_.Identify(
        strings_.Find(At(vocabulary.name(), i)), At(vocabulary.known(), i),
        vocabulary.source_code().empty() ? nullptr : &code);
    kind.name_form = At(vocabulary.name_form(), i);
    kind.edge_flags = At(vocabulary.edge_flags(), i);
  }
}

// ------------------------------------------------------------------- binding

void TableCursor::Bind(const pb::Chunk& chunk) {
  own_texts_.clear();
  own_texts_a_row_ = spec_.columns.size();
  extra_.clear();
  switch (spec_.shape) {
    case Shape::kTypeFields:
      return BindTypeFields(chunk.types());
    case Shape::kGraph:
      return BindGraph(chunk.graph());
    case Shape::kMetadata:
      return BindMetadata(chunk.metadata());
    case Shape::kExtra:
      return BindExtra(chunk.extra());
    case Shape::kStrings:
      return BindStrings(chunk.strings());
    case Shape::kExtraTables:
      rows_ = chunk.extra_table().count();
      // Copying the name for each row could take much: it may be long, and the
      // rows many.
      own_texts_.assign(1, chunk.extra_table().name());
      own_texts_a_row_ = 0;
      return BindExtraColumns(chunk.extra_table(), "column",
                              TablePrefix(chunk.extra_table().name()));
    case Shape::kEdges:
      BindPlain(chunk.edges(), chunk.edges().count());
      return BindSources(chunk.edges());
    case Shape::kPlain:
      break;
  }
  if (chunk.has_values() && chunk.values().owner_space() != spec_.owner_space) {
    return;
  }
  const Message& table = BodyOf(chunk);
  BindPlain(table, NumberField(table, "count"));
}

void TableCursor::BindPlain(const Message& table, std::size_t rows) {
  rows_ = rows;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnSpec& spec = spec_.columns[i];
    columns_[i] = {ViewOf(table, spec.value), ViewOf(table, spec.form),
                   ViewOf(table, spec.kind)};
    if (!spec.default_is_position || !columns_[i].value.empty()) continue;
    computed_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      computed_[row] = index_ + row + 1;
    }
    columns_[i].value = Kept(computed_);
  }
  if (table.GetDescriptor()->FindFieldByName("extra") != nullptr) {
    BindExtraColumns(table, "extra", "extra.");
  }
}

void TableCursor::BindExtraColumns(const Message& table, const char* field,
                                   const std::string& prefix) {
  const FieldDescriptor* const columns =
      table.GetDescriptor()->FindFieldByName(field);
  const google::protobuf::Reflection& reflection = *table.GetReflection();
  for (int i = 0; i < reflection.FieldSize(table, columns); ++i) {
    const auto& extra = static_cast<const pb::ExtraColumn&>(
        reflection.GetRepeatedMessage(table, columns, i));
    const auto wide = [](const auto& entries) {
      return EntryView{
          .narrow = {},
          .wide = {reinterpret_cast<const std::uint64_t*>(entries.data()),
                   static_cast<std::size_t>(entries.size())}};
    };
    // The name says what kind of numbers they are, so that no text is taken for
    // a number.
    const std::string name = prefix + extra.name();
    if (!extra.ints().empty()) extra_[name + " i"].value = wide(extra.ints());
    if (!extra.strings().empty()) {
      extra_[name + " s"].value = wide(extra.strings());
    }
    if (!extra.bits().empty()) extra_[name + " b"].value = wide(extra.bits());
    if (!extra.node_refs().empty()) {
      extra_[name + " n"].value = wide(extra.node_refs());
    }
  }
}

void TableCursor::BindSources(const pb::Edges& edges) {
  computed_.clear();
  computed_.reserve(rows_);
  std::uint64_t node = edges.first_node();
  for (const std::uint32_t count : edges.edges_per_node()) {
    computed_.insert(computed_.end(), count, node++);
  }
  for (const std::uint64_t from : edges.from()) computed_.push_back(from);
  computed_.resize(rows_);  // ungrouped, all of them 0
  columns_[0].value = Kept(computed_);
}

// Fields without columns take no bytes, so a file may claim any number of them;
// only types.field_count is compared.
void TableCursor::BindTypeFields(const pb::Types& types) {
  computed_.clear();
  bool has_columns = false;
  for (std::size_t i = 1; i < columns_.size(); ++i) {
    columns_[i].value = ViewOf(types, spec_.columns[i].value);
    has_columns = has_columns || !columns_[i].value.empty();
  }
  BindExtraColumns(types, "field_extra", "extra.");
  if (!has_columns && extra_.empty()) return;
  for (int i = 0; i < types.field_count_size(); ++i) {
    computed_.insert(computed_.end(), types.field_count(i),
                     types.first() + static_cast<std::uint64_t>(i));
  }
  rows_ = computed_.size();
  columns_[0].value = Kept(computed_);
}

void TableCursor::BindGraph(const pb::Graph& graph) {
  rows_ = 1;
  for (const ColumnSpec& column : spec_.columns) {
    own_texts_.push_back(FieldText(graph, *column.value));
  }
}

void TableCursor::BindMetadata(const pb::Metadata& metadata) {
  rows_ = static_cast<std::size_t>(metadata.entry_size());
  for (const pb::Metadata::Entry& entry : metadata.entry()) {
    own_texts_.push_back(entry.key().data());
    own_texts_.push_back(entry.value().data());
    own_texts_.push_back(entry.origin());
    own_texts_.emplace_back(entry.is_volatile() ? "true" : "false");
  }
}

// Data of any size is compared by its digest.
void TableCursor::BindExtra(const pb::Extra& extra) {
  if (section_.digest == nullptr) {
    section_.size = 0;
    section_.digest = std::make_unique<Sha256>();
    section_.format = extra.format();
    section_.name = extra.section();
    section_.position = extra.position();
  }
  section_.digest->Add(extra.data());
  section_.size += extra.data().size();
  if (extra.continued()) return;
  rows_ = 1;
  own_texts_ = {section_.format, section_.name,
                std::to_string(section_.position),
                Hex(section_.digest->Finish()) + " (SHA-256 of " +
                    std::to_string(section_.size) + " bytes)"};
  section_.digest.reset();
}

void TableCursor::BindStrings(const pb::Strings& strings) {
  computed_.clear();
  computed_too_.clear();
  for (int i = 0; i < strings.source_id_size(); ++i) {
    const bool goes_on = i == 0 && string_continued_;
    if (goes_on || strings.source_id(i) == 0) continue;
    computed_.push_back(strings.source_id(i));
    computed_too_.push_back(strings.first() + static_cast<std::uint64_t>(i));
  }
  string_continued_ = strings.continued();
  rows_ = computed_.size();
  columns_[0].value = Kept(computed_);
  columns_[1].value = Kept(computed_too_);
}

}  // namespace heapglot
