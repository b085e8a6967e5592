#include "readers/draft/draft_tables.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <utility>

#include "core/draft/draft_values.h"
#include "core/id_table.h"
#include "core/ir/columns.h"
#include "core/saturating.h"
#include "readers/draft/draft_columns.h"
#include "readers/draft/draft_lookup.h"

namespace heapglot::draft {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MutableRepeatedFieldRef;
using google::protobuf::Reflection;
using google::protobuf::RepeatedField;

// Stands for a string that a row does not have.
constexpr std::uint64_t kNoString = ~std::uint64_t{0};

void AddNumber(Message* rows, int number, std::uint64_t bits) {
  const FieldDescriptor* const field =
      rows->GetDescriptor()->FindFieldByNumber(number);
  const Reflection& reflection = *rows->GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      reflection.AddUInt32(rows, field, static_cast<std::uint32_t>(bits));
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      reflection.AddInt64(rows, field, static_cast<std::int64_t>(bits));
      break;
    default:
      reflection.AddUInt64(rows, field, bits);
  }
}

MutableRepeatedFieldRef<std::uint64_t> MutableColumn(Message* rows,
                                                     int number) {
  return rows->GetReflection()->GetMutableRepeatedFieldRef<std::uint64_t>(
      rows, rows->GetDescriptor()->FindFieldByNumber(number));
}

// Changes each cell of a column.
template <typename Change>
void ChangeColumn(Message* rows, int number, Change&& change) {
  const auto column = MutableColumn(rows, number);
  for (int row = 0; row < column.size(); ++row)
    column.Set(row, change(column.Get(row)));
}

const Token& FieldOf(const Record& record, std::string_view name) {
  static const Token kNone;
  const std::vector<Field>& fields = record.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot)
    if (fields[slot].name == name) return record.fields[slot];
  return kNone;
}

// The number in a field; `absent` if it has none. False if it is not an
// integer.
bool NumberOf(const Record& record, std::string_view name, std::uint64_t absent,
              std::uint64_t* bits) {
  const Token& token = FieldOf(record, name);
  Integer integer;
  *bits = absent;
  if (token.is_null()) return true;
  if (!ReadInteger(token, &integer)) return false;
  *bits = integer.bits();
  return true;
}

std::string WrongField(std::string_view name) {
  return "the field \"" + std::string(name) + "\" is not an integer";
}

// Adds `to` and `to_form`; a node is still an id.
bool AddTarget(const Record& record, const Column& column, Message* rows) {
  std::uint64_t value = 0, dangling = 0;
  if (!NumberOf(record, column.field, 0, &value) ||
      !NumberOf(record, "dangling", 0, &dangling))
    return false;
  pb::TargetForm form = pb::TO_OMITTED;
  if (!FieldOf(record, "dangling").is_null()) {
    form = pb::TO_DANGLING;
    value = dangling;
  } else if (FieldOf(record, column.field).is_null() || value == kOmittedId) {
    value = 0;
  } else if (value % 2 != 0) {
    form = pb::TO_NODE;
  } else {
    form = pb::TO_IMMEDIATE;
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> 1);
  }
  AddNumber(rows, column.number, value);
  const FieldDescriptor* const forms =
      rows->GetDescriptor()->FindFieldByName("to_form");
  rows->GetReflection()->AddUInt32(rows, forms,
                                   static_cast<std::uint32_t>(form));
  return true;
}

std::string AddRow(const Record& record, std::span<const Column> columns,
                   Message* rows) {
  for (const Column& column : columns) {
    if (column.form == ColumnForm::kTarget) {
      if (!AddTarget(record, column, rows)) return WrongField(column.field);
      continue;
    }
    const std::uint64_t absent =
        column.form == ColumnForm::kString ? kNoString : 0;
    std::uint64_t bits = 0;
    if (!NumberOf(record, column.field, absent, &bits))
      return WrongField(column.field);
    AddNumber(rows, column.number, bits);
  }
  return {};
}

std::size_t TableNumber(const Table& table) {
  return static_cast<std::size_t>(&table - kTables);
}

std::string AddToTable(const Record& record, Section* section) {
  const Table& table = *record.type->table;
  std::vector<pb::Chunk>& chunks = section->tables[TableNumber(table)];
  const auto rows_of = [&](pb::Chunk& chunk) {
    Message* const rows = MutableBody(&chunk, table.body);
    return std::pair(rows, rows->GetDescriptor()->FindFieldByName("count"));
  };
  const auto count_of = [&](pb::Chunk& chunk) {
    const auto [rows, count] = rows_of(chunk);
    return rows->GetReflection()->GetUInt32(*rows, count);
  };
  if (chunks.empty() || count_of(chunks.back()) == kChunkRows)
    chunks.emplace_back();
  const auto [rows, count] = rows_of(chunks.back());
  rows->GetReflection()->SetUInt32(rows, count, count_of(chunks.back()) + 1);
  if (table.body == pb::Chunk::kTypesFieldNumber)
    chunks.back().mutable_types()->add_field_count(0);
  return AddRow(record, table.columns, rows);
}

std::string AddTypeField(const Record& record, Section* section) {
  std::vector<pb::Chunk>& chunks = section->tables[0];
  if (chunks.empty()) return "a field of a class comes before its class";
  pb::Types& types = *chunks.back().mutable_types();
  std::uint32_t& count =
      *types.mutable_field_count()->Mutable(types.field_count_size() - 1);
  ++count;
  return AddRow(record, kTypeFieldColumns, &types);
}

std::string AddWord(const Record& record, Section* section) {
  pb::Vocabulary row;
  std::uint64_t space = 0;
  if (!NumberOf(record, "space", 0, &space) ||
      space >= section->own_words.size())
    return WrongField("space");
  std::string problem = AddRow(record, kWordColumns, &row);
  if (!problem.empty()) return problem;
  Word word;
  word.name = row.name(0);
  word.known = row.known(0);
  word.source_code = row.source_code(0);
  word.name_form = row.name_form(0);
  word.edge_flags = row.edge_flags(0);
  // Numbers from a newer version mean "other".
  const bool known = space == pb::Vocabulary::NODE_KIND
                         ? pb::NodeKind_IsValid(static_cast<int>(word.known))
                     : space == pb::Vocabulary::EDGE_KIND
                         ? pb::EdgeKind_IsValid(static_cast<int>(word.known))
                     : space == pb::Vocabulary::ROOT_KIND
                         ? pb::RootKind_IsValid(static_cast<int>(word.known))
                         : word.known == 0;
  if (!known) word.known = 0;
  if (!pb::NameForm_IsValid(static_cast<int>(word.name_form)))
    word.name_form = 0;
  section->own_words[space].push_back(word);
  return {};
}

std::string AddSchema(const Record& record, Section* section) {
  std::string table, name, type;
  AppendText(FieldOf(record, "table"), &table);
  // Text fields of protobuf must be UTF-8.
  if (AppendText(FieldOf(record, "name"), &name) != pb::UTF8 ||
      AppendText(FieldOf(record, "field_type"), &type) != pb::UTF8)
    return "a name or type of a field is not a text";
  const FieldDescriptor* const field =
      pb::Graph::descriptor()->FindFieldByName(table);
  if (field == nullptr || !field->is_repeated())
    return "there is no schema \"" + table + "\"";
  auto& added = static_cast<pb::Graph::Field&>(
      *pb::Graph::GetReflection()->AddMessage(&section->graph, field));
  added.set_name(name);
  added.set_type(type);
  return {};
}

// Sets one field of hg.graph.
bool SetGraphField(const FieldDescriptor& field, const Token& token,
                   pb::Graph* graph) {
  const Reflection& reflection = *pb::Graph::GetReflection();
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    auto& text =
        static_cast<pb::Text&>(*reflection.MutableMessage(graph, &field));
    text.set_encoding(AppendText(token, text.mutable_data()));
    return token.kind == TokenKind::kString;
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    reflection.SetBool(graph, &field, token.kind == TokenKind::kTrue);
    return true;
  }
  Integer integer;
  if (!ReadInteger(token, &integer)) return false;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      reflection.SetUInt32(graph, &field,
                           static_cast<std::uint32_t>(integer.bits()));
      return true;
    case FieldDescriptor::CPPTYPE_ENUM:
      if (!pb::Graph::IdSpace_IsValid(static_cast<int>(integer.bits())))
        return false;
      reflection.SetEnumValue(graph, &field, static_cast<int>(integer.bits()));
      return true;
    default:
      reflection.SetUInt64(graph, &field, integer.bits());
      return true;
  }
}

// --------------------------------------------------------------- resolving

class Resolver {
 public:
  Resolver(const ByteSource& source, Index* index)
      : index_(*index), lookup_(source, *index) {}

  // Turns a string id into a name.
  std::uint64_t Name(std::uint64_t id) {
    if (id == kNoString) return 0;
    const auto known = names_.find(id);
    if (known != names_.end()) return known->second;
    std::string text;
    const std::uint64_t position = index_.strings.Find(id);
    pb::StringEncoding encoding = pb::UTF8;
    if (position != IdMap::kNone)
      encoding = lookup_.AppendString(position, &text);
    return names_[id] = index_.names.Index(text, encoding);
  }
  std::uint64_t String(std::uint64_t id) const {
    const std::uint64_t position =
        id == kNoString ? IdMap::kNone : index_.strings.Find(id);
    return position == IdMap::kNone ? 0 : index_.StringIndex(position);
  }
  std::uint64_t NodeRef(const Section& section, std::uint64_t id) const {
    const std::uint64_t position = index_.nodes.Find(id);
    const bool known = position != IdMap::kNone && section.HasNode(position);
    return known ? position - section.first_node + 1 : 0;
  }
  void Targets(const Section& section, Message* rows, int number) const;

 private:
  Index& index_;
  Lookup lookup_;
  IdTable<std::uint64_t> names_;
};

void Resolver::Targets(const Section& section, Message* rows,
                       int number) const {
  const auto to = MutableColumn(rows, number);
  const auto forms =
      rows->GetReflection()->GetMutableRepeatedFieldRef<std::uint32_t>(
          rows, rows->GetDescriptor()->FindFieldByName("to_form"));
  for (int row = 0; row < to.size(); ++row) {
    if (forms.Get(row) != pb::TO_NODE) continue;
    const std::uint64_t ref = NodeRef(section, to.Get(row));
    if (ref == 0)
      forms.Set(row, pb::TO_DANGLING);
    else
      to.Set(row, ref - 1);
  }
}

bool HasNames(int body) {
  return body == pb::Chunk::kTypesFieldNumber ||
         body == pb::Chunk::kRootsFieldNumber ||
         body == pb::Chunk::kExternalsFieldNumber;
}

void ResolveColumn(Resolver& resolver, const Section& section,
                   const Column& column, Message* rows) {
  if (column.form == ColumnForm::kTarget) {
    resolver.Targets(section, rows, column.number);
    return;
  }
  ChangeColumn(rows, column.number, [&](std::uint64_t id) {
    return column.form == ColumnForm::kString ? resolver.String(id)
                                              : resolver.NodeRef(section, id);
  });
}

bool IsZero(const Message& rows, const FieldDescriptor& field, int row) {
  const Reflection& reflection = *rows.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.GetRepeatedUInt32(rows, &field, row) == 0;
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.GetRepeatedInt64(rows, &field, row) == 0;
    default:
      return reflection.GetRepeatedUInt64(rows, &field, row) == 0;
  }
}

// Removes columns in which every row has the default.
void DropEmptyColumns(Message* rows) {
  std::vector<const FieldDescriptor*> fields;
  rows->GetReflection()->ListFields(*rows, &fields);
  for (const FieldDescriptor* const field : fields) {
    if (!field->is_repeated()) continue;
    const int size = rows->GetReflection()->FieldSize(*rows, field);
    int row = 0;
    while (row < size && IsZero(*rows, *field, row)) ++row;
    if (row == size) rows->GetReflection()->ClearField(rows, field);
  }
}

// Sets the first row of each chunk, the rows of each table, and sums.
void SetTotals(Section* section) {
  pb::GraphEnd& totals = section->totals;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const std::string& name =
        pb::Chunk::descriptor()->FindFieldByNumber(kTables[i].body)->name();
    std::uint64_t rows = 0;
    for (pb::Chunk& chunk : section->tables[i]) {
      Message* const body = MutableBody(&chunk, kTables[i].body);
      const Reflection& reflection = *body->GetReflection();
      const auto* const descriptor = body->GetDescriptor();
      reflection.SetUInt64(body, descriptor->FindFieldByName("first"), rows);
      rows += NumberField(*body, "count");
      for (const std::uint64_t size : chunk.externals().size()) {
        totals.set_external_size_total(
            AddSaturating(totals.external_size_total(), size));
      }
      DropEmptyColumns(body);
    }
    pb::GraphEnd::GetReflection()->SetUInt64(
        &totals, pb::GraphEnd::descriptor()->FindFieldByName(name), rows);
  }
}

// A reference past the end of a table becomes 0. Returns how many did.
std::uint64_t DropBadRefs(std::uint64_t limit,
                          RepeatedField<std::uint64_t>* refs) {
  std::uint64_t dropped = 0;
  for (std::uint64_t& ref : *refs) {
    if (ref <= limit) continue;
    ref = 0;
    ++dropped;
  }
  return dropped;
}

// Removes references to rows that are not there, and returns their number.
std::uint64_t DropBadRefs(Section* section) {
  const pb::GraphEnd& totals = section->totals;
  std::uint64_t dropped = 0;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    for (pb::Chunk& chunk : section->tables[i]) {
      if (chunk.has_types())
        dropped += DropBadRefs(totals.types(),
                               chunk.mutable_types()->mutable_super_ref());
      if (chunk.has_roots()) {
        pb::Roots& roots = *chunk.mutable_roots();
        dropped += DropBadRefs(totals.types(), roots.mutable_container_ref());
        dropped += DropBadRefs(totals.threads(), roots.mutable_thread_ref());
        const std::size_t kinds = std::max<std::size_t>(
            section->Words(pb::Vocabulary::ROOT_KIND).size(), 1);
        for (std::uint32_t& kind : *roots.mutable_kind()) {
          dropped += kind >= kinds ? 1 : 0;
          if (kind >= kinds) kind = 0;
        }
      }
      if (chunk.has_stack_frames()) {
        pb::StackFrames& frames = *chunk.mutable_stack_frames();
        dropped +=
            DropBadRefs(totals.stack_frames(), frames.mutable_parent_ref());
        dropped += DropBadRefs(totals.types(), frames.mutable_type_ref());
      }
      if (chunk.has_threads()) {
        dropped +=
            DropBadRefs(totals.stack_frames(),
                        chunk.mutable_threads()->mutable_top_frame_ref());
      }
      if (chunk.has_trace_nodes()) {
        for (std::uint64_t& function :
             *chunk.mutable_trace_nodes()->mutable_function_index()) {
          const bool is_bad =
              function != 0 && function >= totals.trace_functions();
          dropped += is_bad ? 1 : 0;
          if (function >= totals.trace_functions()) function = 0;
        }
        if (totals.trace_functions() == 0)
          chunk.mutable_trace_nodes()->clear_function_index();
      }
    }
  }
  return dropped;
}

// An unknown basic type becomes TYPE_UNKNOWN.
void CheckBasicTypes(Section* section) {
  for (pb::Chunk& chunk : section->tables[0]) {
    for (std::uint32_t& type : *chunk.mutable_types()->mutable_field_type())
      if (!pb::BasicType_IsValid(static_cast<int>(type))) type = 0;
  }
}

// A row gets the word of the first graph that has the row. False if other
// graphs have another word for it, or have nodes but no words for these or for
// edges.
bool MergeWords(std::vector<Section>* sections) {
  bool agree = true;
  for (std::size_t space = 0; space < std::size(Vocabularies()); ++space) {
    std::vector<Word> merged;
    bool any_without = false;
    for (const Section& section : *sections) {
      const std::vector<Word>& words = section.own_words[space];
      const std::size_t both = std::min(words.size(), merged.size());
      const auto behind = words.begin() + static_cast<std::ptrdiff_t>(both);
      agree &= std::equal(words.begin(), behind, merged.begin());
      merged.insert(merged.end(), behind, words.end());
      const bool has_rows =
          section.node_count > 0 && (space == pb::Vocabulary::NODE_KIND ||
                                     space == pb::Vocabulary::EDGE_KIND);
      any_without |= has_rows && words.empty();
    }
    agree &= !any_without || merged.empty();
    sections->front().own_words[space] = std::move(merged);
  }
  return agree;
}

}  // namespace

std::string AddTableRow(const Record& record, Section* section) {
  switch (record.type->kind) {
    case RecordKind::kTable:
      return AddToTable(record, section);
    case RecordKind::kTypeField:
      return AddTypeField(record, section);
    case RecordKind::kWord:
      return AddWord(record, section);
    default:
      return AddSchema(record, section);
  }
}

std::string SetGraph(const Record& record, Section* section) {
  const auto& fields = record.layout->fields;
  for (std::size_t slot = 0; slot < fields.size(); ++slot) {
    const Token& token = record.fields[slot];
    const FieldDescriptor* const field =
        pb::Graph::descriptor()->FindFieldByName(fields[slot].name);
    if (token.is_null() || field == nullptr || field->is_repeated()) continue;
    if (!SetGraphField(*field, token, &section->graph))
      return "the field \"" + fields[slot].name + "\" is not of its type";
  }
  return {};
}

std::uint64_t CountRows(const Section& section, int body) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    if (kTables[i].body != body) continue;
    for (const pb::Chunk& chunk : section.tables[i])
      rows += NumberField(BodyOf(chunk), "count");
  }
  return rows;
}

std::uint64_t MissingTraceNodes(const Section& section) {
  std::uint64_t missing = 0;
  for (const std::vector<pb::Chunk>& chunks : section.tables) {
    for (const pb::Chunk& chunk : chunks) {
      // Each node is a child of one before it, or begins a tree.
      for (const std::uint64_t children : chunk.trace_nodes().child_count())
        missing = AddSaturating(missing - (missing != 0 ? 1 : 0), children);
    }
  }
  return missing;
}

bool MergeSections(std::vector<Section>* sections) {
  Section& first = sections->front();
  for (std::size_t i = 1; i < sections->size(); ++i) {
    Section& other = (*sections)[i];
    first.end = other.end;
    first.node_count += other.node_count;
    for (std::size_t table = 0; table < kTableCount; ++table) {
      std::move(other.tables[table].begin(), other.tables[table].end(),
                std::back_inserter(first.tables[table]));
    }
  }
  const bool agree = MergeWords(sections);
  first.columns.clear();
  first.extra_tables.clear();
  first.is_merged = true;
  sections->erase(sections->begin() + 1, sections->end());
  return agree;
}

void ResolveNames(const ByteSource& source, Index* index) {
  Resolver resolver(source, index);
  for (Section& section : index->sections) {
    for (auto& words : section.own_words)
      for (Word& word : words) word.name = resolver.Name(word.name);
    for (std::size_t i = 0; i < kTableCount; ++i) {
      if (!HasNames(kTables[i].body)) continue;
      for (pb::Chunk& chunk : section.tables[i]) {
        Message* const rows = MutableBody(&chunk, kTables[i].body);
        for (const Column& column : kTables[i].columns) {
          if (column.form != ColumnForm::kString) continue;
          ChangeColumn(rows, column.number,
                       [&](std::uint64_t id) { return resolver.Name(id); });
        }
      }
    }
    for (pb::Chunk& chunk : section.tables[0]) {
      for (std::uint64_t& id : *chunk.mutable_types()->mutable_field_name())
        id = resolver.Name(id);
      for (std::uint64_t& id : *chunk.mutable_types()->mutable_field_reserved())
        id = resolver.Name(id);
    }
  }
}

LeftOut ResolveReferences(const ByteSource& source, Index* index) {
  Resolver resolver(source, index);
  LeftOut left_out;
  for (Section& section : index->sections) {
    for (std::size_t i = 0; i < kTableCount; ++i) {
      for (pb::Chunk& chunk : section.tables[i]) {
        Message* const rows = MutableBody(&chunk, kTables[i].body);
        for (const Column& column : kTables[i].columns) {
          const bool done =
              column.form == ColumnForm::kString && HasNames(kTables[i].body);
          const bool number = column.form == ColumnForm::kNumber ||
                              column.form == ColumnForm::kSigned;
          if (!done && !number) ResolveColumn(resolver, section, column, rows);
        }
      }
    }
    SetTotals(&section);
    left_out.references += DropBadRefs(&section);
    CheckBasicTypes(&section);
    section.graph.set_root_ref(
        section.graph.root_ref() == 0
            ? 0
            : resolver.NodeRef(section, section.graph.root_ref()));
  }
  AttachColumns(index, &left_out);
  return left_out;
}

}  // namespace heapglot::draft
