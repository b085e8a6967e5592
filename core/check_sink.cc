#include "core/check_sink.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/reflection.h>

#include <algorithm>
#include <limits>

#include "core/column.h"
#include "core/ir/columns.h"
#include "core/ir/index_columns.h"
#include "core/text/utf.h"

namespace heapglot {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Body = pb::Chunk::BodyCase;
using Space = IndexSpace;

std::uint64_t AddSaturating(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::string Text(std::uint64_t number) { return std::to_string(number); }

std::uint64_t NumberField(const Message& message, const char* name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  const Reflection* reflection = message.GetReflection();
  return field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32
             ? reflection->GetUInt32(message, field)
             : reflection->GetUInt64(message, field);
}

// Columns whose length is not the number of rows.
bool IsFieldColumn(const FieldDescriptor& field) {
  return field.containing_type() == pb::Types::descriptor() &&
         field.name().starts_with("field_") && field.name() != "field_count";
}
bool IsFreeColumn(const FieldDescriptor& field) {
  return field.containing_type() == pb::Edges::descriptor() &&
         field.number() == pb::Edges::kEdgesPerNodeFieldNumber;
}

std::uint64_t Sum(const google::protobuf::RepeatedField<std::uint32_t>& terms) {
  std::uint64_t sum = 0;
  for (const std::uint32_t term : terms) sum += term;
  return sum;
}

bool IsKnownKind(pb::Vocabulary::Space space, std::uint32_t known) {
  const int value = static_cast<int>(known);
  switch (space) {
    case pb::Vocabulary::NODE_KIND:
      return pb::NodeKind_IsValid(value);
    case pb::Vocabulary::EDGE_KIND:
      return pb::EdgeKind_IsValid(value);
    case pb::Vocabulary::ROOT_KIND:
      return pb::RootKind_IsValid(value);
    default:
      return value == 0;
  }
}

}  // namespace

CheckSink::CheckSink(ChunkSet wanted, ChunkSink* next)
    : wanted_(wanted), next_(next) {}

Status CheckSink::Accept(const pb::Chunk& chunk) {
  HEAPGLOT_RETURN_IF_ERROR(Check(chunk));
  return next_ == nullptr ? Status() : next_->Accept(chunk);
}

Status CheckSink::Finish() const {
  if (wanted_.Has(Body::kFooter) && !ended_) {
    return {Code::kInternal, "the stream ends without a footer"};
  }
  return {};
}

Status CheckSink::Wrong(const std::string& message) const {
  return {Code::kInternal,
          "chunk " + Text(chunks_) + " (" + table_ + "): " + message};
}

Status CheckSink::Check(const pb::Chunk& chunk) {
  ++chunks_;
  body_ = chunk.body_case();
  table_ = "nothing";
  if (body_ == pb::Chunk::BODY_NOT_SET) return Wrong("it has no body");
  table_ = pb::Chunk::descriptor()->FindFieldByNumber(body_)->name();
  if (!wanted_.Includes(chunk)) return Wrong("nobody asked for it");
  HEAPGLOT_RETURN_IF_ERROR(CheckPosition(chunk));
  return CheckBody(chunk);
}

// Without either, where one graph ends and the next begins cannot be told.
bool CheckSink::GraphBoundsKnown() const {
  return wanted_.Has(Body::kGraph) || wanted_.Has(Body::kGraphEnd);
}

Status CheckSink::CheckPosition(const pb::Chunk& chunk) {
  if (ended_) return Wrong("it comes after the footer");
  if ((chunks_ == 1) != (body_ == Body::kHeader) &&
      wanted_.Has(Body::kHeader)) {
    return Wrong("the header must be the first chunk, and only that");
  }
  switch (body_) {
    case Body::kHeader:
      return {};
    case Body::kFooter:
      if (graph_open_ && wanted_.Has(Body::kGraphEnd)) {
        return Wrong("the graph before it has no end");
      }
      return {};
    case Body::kGraph:
      if (graph_open_ && wanted_.Has(Body::kGraphEnd)) {
        return Wrong("the graph before it has no end");
      }
      HEAPGLOT_RETURN_IF_ERROR(CheckSourceImageEnd());
      BeginGraph();
      return {};
    case Body::kSourceImage:
      if (graph_open_ || graphs_ > 0) return Wrong("it comes after a graph");
      return {};
    default:
      break;
  }
  if (!graph_open_) {
    if (wanted_.Has(Body::kGraph)) return Wrong("it stands outside a graph");
    BeginGraph();
  }
  if (body_ == Body::kVocabulary) {
    if (tables_begun_ && GraphBoundsKnown()) {
      return Wrong("it comes after the first table");
    }
  } else if (body_ != Body::kStrings || !chunk.strings().names()) {
    tables_begun_ = true;
  }
  return {};
}

void CheckSink::BeginGraph() {
  ++graphs_;
  graph_open_ = true;
  rows_.fill(0);
  extra_rows_.clear();
  tables_begun_ = false;
  extra_continued_ = false;
  grouped_.reset();
  for (auto& kinds : kinds_) kinds.clear();
  // The strings belong to the stream.
  for (std::size_t space = 0; space < kIndexSpaces; ++space) {
    if (static_cast<Space>(space) != Space::kStrings) bounds_[space] = {};
  }
  RestartOwners();
  edge_count_.clear();
  edge_count_begin_ = 0;
  edge_count_sum_ = 0;
  edge_node_ = edge_node_seen_ = 0;
  self_size_ = external_size_ = 0;
  omitted_ = dangling_ = immediate_ = 0;
  id_limit_ = trace_open_ = 0;
}

Status CheckSink::CheckBody(const pb::Chunk& chunk) {
  switch (body_) {
    case Body::kGraph:
      return CheckGraph(chunk.graph());
    case Body::kGraphEnd:
      return CheckGraphEnd(chunk.graph_end());
    case Body::kFooter:
      return CheckFooter(chunk.footer());
    case Body::kVocabulary:
      return CheckVocabulary(chunk.vocabulary());
    case Body::kStrings:
      return CheckStrings(chunk.strings());
    case Body::kTypes:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.types()));
      return CheckTypes(chunk.types());
    case Body::kNodes:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.nodes()));
      return CheckNodes(chunk.nodes());
    case Body::kEdges:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.edges()));
      return CheckEdges(chunk.edges());
    case Body::kRoots:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.roots()));
      return CheckRoots(chunk.roots());
    case Body::kValues:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.values()));
      return CheckValues(chunk.values());
    case Body::kExternals:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.externals()));
      return CheckExternals(chunk.externals());
    case Body::kLocations:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.locations()));
      return CheckLocations(chunk.locations());
    case Body::kTraceNodes:
      HEAPGLOT_RETURN_IF_ERROR(CheckTable(chunk.trace_nodes()));
      return CheckTraceNodes(chunk.trace_nodes());
    case Body::kTraceFunctions:
    case Body::kSamples:
    case Body::kStackFrames:
    case Body::kThreads:
      return CheckTable(BodyOf(chunk));
    case Body::kMetadata:
      return CheckMetadata(chunk.metadata());
    case Body::kExtra:
      return CheckExtra(chunk.extra());
    case Body::kExtraTable:
      return CheckExtraTable(chunk.extra_table());
    case Body::kRecordOrder:
      return CheckRecordOrder(chunk.record_order());
    case Body::kSourceImage:
      return CheckSourceImage(chunk.source_image());
    default:
      return {};
  }
}

// ------------------------------------------------------------- any table

Status CheckSink::CheckTable(const Message& rows) {
  const std::uint64_t count = NumberField(rows, "count");
  HEAPGLOT_RETURN_IF_ERROR(CheckFirst(NumberField(rows, "first"), count));
  HEAPGLOT_RETURN_IF_ERROR(CheckColumns(rows, count));
  NoteIndexColumns(rows);
  return {};
}

Status CheckSink::CheckFirst(std::uint64_t first, std::uint64_t count) {
  if (first == 0 && Rows(body_) != 0 && !GraphBoundsKnown()) RestartTable();
  if (first != Rows(body_)) {
    return Wrong("first is " + Text(first) + " after " + Text(Rows(body_)) +
                 " rows");
  }
  Rows(body_) += count;
  return {};
}

// The next graph has begun, unseen.
void CheckSink::RestartTable() {
  Rows(body_) = 0;
  if (body_ == Body::kValues) RestartOwners();
  if (body_ == Body::kEdges) edge_node_ = edge_node_seen_ = 0;
  if (body_ == Body::kTraceNodes) trace_open_ = 0;
  if (body_ == Body::kNodes) {
    edge_count_.clear();
    edge_count_begin_ = 0;
    edge_node_ = edge_node_seen_ = 0;
  }
}

// The strings belong to the stream.
void CheckSink::RestartOwners() {
  const std::uint64_t last_string = last_owner_[pb::Values::OF_STRING];
  last_owner_.fill(0);
  last_owner_[pb::Values::OF_STRING] = last_string;
}

Status CheckSink::CheckColumns(const Message& rows, std::uint64_t count) {
  const Reflection& reflection = *rows.GetReflection();
  const google::protobuf::Descriptor& table = *rows.GetDescriptor();
  const auto check = [&](const std::string& name, int size,
                         std::uint64_t expected) {
    if (size == 0 || static_cast<std::uint64_t>(size) == expected) {
      return Status();
    }
    return Wrong("column " + name + " has " + Text(size) + " entries for " +
                 Text(expected) + " rows");
  };
  std::uint64_t fields = 0;
  if (&table == pb::Types::descriptor()) {
    fields = Sum(static_cast<const pb::Types&>(rows).field_count());
  }
  for (int i = 0; i < table.field_count(); ++i) {
    const FieldDescriptor& field = *table.field(i);
    if (!field.is_repeated() || IsFreeColumn(field)) continue;
    const int size = reflection.FieldSize(rows, &field);
    const std::uint64_t expected = IsFieldColumn(field) ? fields : count;
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      HEAPGLOT_RETURN_IF_ERROR(check(field.name(), size, expected));
      continue;
    }
    for (int k = 0; k < size; ++k) {
      const auto& extra = static_cast<const pb::ExtraColumn&>(
          reflection.GetRepeatedMessage(rows, &field, k));
      const std::string& name = extra.name();
      HEAPGLOT_RETURN_IF_ERROR(check(name, extra.ints_size(), expected));
      HEAPGLOT_RETURN_IF_ERROR(check(name, extra.strings_size(), expected));
      HEAPGLOT_RETURN_IF_ERROR(check(name, extra.bits_size(), expected));
      for (const std::uint64_t string : extra.strings()) {
        NoteIndex(Space::kStrings, string, name);
      }
    }
  }
  return {};
}

void CheckSink::NoteIndexColumns(const Message& rows) {
  for (const IndexColumn& column : IndexColumnsOf(body_)) {
    const IndexColumn::Column& entries = column.get(rows);
    const auto most = std::max_element(entries.begin(), entries.end());
    if (most == entries.end() || (column.is_ref && *most == 0)) continue;
    NoteIndex(column.space, column.is_ref ? *most - 1 : *most, column.name);
  }
}

void CheckSink::NoteIndex(Space space, std::uint64_t index,
                          std::string_view what) {
  Bound& bound = bounds_[static_cast<std::size_t>(space)];
  const std::uint64_t needed = AddSaturating(index, 1);
  if (needed <= bound.needed) return;
  bound.needed = needed;
  bound.column = what;
  bound.chunk = chunks_;
  bound.table = body_;
}

Status CheckSink::CheckBound(Space space, std::uint64_t total) const {
  const Bound& bound = bounds_[static_cast<std::size_t>(space)];
  if (bound.needed <= total) return {};
  return Wrong("index " + Text(bound.needed - 1) + " in column " +
               bound.column + " of chunk " + Text(bound.chunk) + " (" +
               BodyField(bound.table)->name() +
               ") points past the total, which is " + Text(total));
}

Status CheckSink::CheckText(std::string_view text, int encoding,
                            const char* what) {
  if (!pb::StringEncoding_IsValid(encoding)) {
    return Wrong(std::string(what) + " has encoding " + Text(encoding));
  }
  const pb::StringEncoding found = ClassifyWtf8(text);
  const auto claimed = static_cast<pb::StringEncoding>(encoding);
  // A lone surrogate is no UTF-8 where the source promises that.
  const bool is_broken_utf8 = claimed == pb::BYTES && found == pb::WTF8;
  if (found == claimed || is_broken_utf8) return {};
  return Wrong(std::string(what) + " is not " +
               pb::StringEncoding_Name(claimed) + ", as it says");
}

Status CheckSink::CheckTarget(std::uint32_t form, std::uint64_t to) {
  switch (form) {
    case pb::TO_NODE:
      NoteIndex(Space::kNodes, to, "to");
      return {};
    case pb::TO_OMITTED:
      return to == 0 ? Status() : Wrong("an omitted target is " + Text(to));
    case pb::TO_DANGLING:
    case pb::TO_IMMEDIATE:
      return {};
    default:
      return Wrong("a target has form " + Text(form));
  }
}

Status CheckSink::CheckValue(std::uint32_t form, std::uint64_t value,
                             std::uint32_t encoding) {
  if (!pb::ValueForm_IsValid(static_cast<int>(form))) {
    return Wrong("a value has form " + Text(form));
  }
  if (!pb::ValueEncoding_IsValid(static_cast<int>(encoding))) {
    return Wrong("a value has encoding " + Text(encoding));
  }
  if (form == pb::V_NODE) NoteIndex(Space::kNodes, value, "value");
  if (IsStringForm(form)) NoteIndex(Space::kStrings, value, "value");
  return {};
}

Status CheckSink::CheckKind(pb::Vocabulary::Space space, std::uint32_t kind) {
  if (!wanted_.Has(Body::kVocabulary)) return {};
  // Without a vocabulary there is one kind: 0 = other.
  const std::size_t kinds = std::max<std::size_t>(kinds_[space].size(), 1);
  if (kind < kinds) return {};
  return Wrong("kind " + Text(kind) + " is not in the vocabulary, which has " +
               Text(kinds_[space].size()));
}

Status CheckSink::CheckName(std::uint64_t string, const char* what) {
  if (string == 0) return {};
  const auto run = std::upper_bound(
      names_.begin(), names_.end(), string,
      [](std::uint64_t index, const auto& it) { return index < it.second; });
  if (run != names_.end() && run->first <= string) return {};
  return Wrong("string " + Text(string) + " in " + what +
               " does not stand in a chunk of names before it");
}

// ---------------------------------------------------------------- framing

Status CheckSink::CheckGraph(const pb::Graph& graph) {
  grouped_ = graph.edges_grouped();
  if (graph.root_ref() != 0) {
    NoteIndex(Space::kNodes, graph.root_ref() - 1, "root_ref");
  }
  for (const pb::Text* text :
       {&graph.name(), &graph.source_version(), &graph.timestamp(),
        &graph.end_name(), &graph.end_timestamp()}) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckText(text->data(), text->encoding(), "a text"));
  }
  return {};
}

Status CheckSink::CheckGraphEnd(const pb::GraphEnd& end) {
  graph_open_ = false;
  if (extra_continued_) return Wrong("the last extra data is not whole");
  HEAPGLOT_RETURN_IF_ERROR(CheckTotals(end));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kTypes, end.types()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kNodes, end.nodes()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kEdges, end.edges()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kRoots, end.roots()));
  HEAPGLOT_RETURN_IF_ERROR(
      CheckBound(Space::kTraceFunctions, end.trace_functions()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kStackFrames, end.stack_frames()));
  HEAPGLOT_RETURN_IF_ERROR(CheckBound(Space::kThreads, end.threads()));
  if (wanted_.Has(Body::kVocabulary)) {
    HEAPGLOT_RETURN_IF_ERROR(CheckBound(
        Space::kHeapSpaces, kinds_[pb::Vocabulary::HEAP_SPACE].size()));
  }
  if (trace_open_ != 0) return Wrong("trace nodes have children that miss");
  const bool has_both = wanted_.Has(Body::kNodes) && wanted_.Has(Body::kEdges);
  if (!has_both || !grouped_.value_or(true)) return {};
  return AdvanceTo(end.nodes());
}

Status CheckSink::CheckTotals(const pb::GraphEnd& end) {
  const auto check = [this](const char* what, std::uint64_t stated,
                            std::uint64_t found) {
    if (stated == found) return Status();
    return Wrong(std::string(what) + " is " + Text(stated) +
                 ", but the stream has " + Text(found));
  };
  // The tables that have a total are named alike in both messages.
  for (int i = 0; i < pb::Chunk::descriptor()->field_count(); ++i) {
    const FieldDescriptor& table = *pb::Chunk::descriptor()->field(i);
    const auto body = static_cast<Body>(table.number());
    const std::string& name = table.name();
    if (!wanted_.Has(body) ||
        !pb::GraphEnd::GetDescriptor()->FindFieldByName(name)) {
      continue;
    }
    HEAPGLOT_RETURN_IF_ERROR(
        check(name.c_str(), NumberField(end, name.c_str()), Rows(body)));
  }
  if (wanted_.Has(Body::kNodes)) {
    HEAPGLOT_RETURN_IF_ERROR(
        check("self_size_total", end.self_size_total(), self_size_));
    if (grouped_.value_or(false)) {
      HEAPGLOT_RETURN_IF_ERROR(check("edges", end.edges(), edge_count_sum_));
    }
    if (end.id_limit() != 0 && end.id_limit() < id_limit_) {
      return Wrong("id_limit is " + Text(end.id_limit()) +
                   ", but there is the id " + Text(id_limit_ - 1));
    }
  }
  if (wanted_.Has(Body::kExternals)) {
    HEAPGLOT_RETURN_IF_ERROR(check("external_size_total",
                                   end.external_size_total(), external_size_));
  }
  if (!wanted_.Has(Body::kEdges)) return {};
  HEAPGLOT_RETURN_IF_ERROR(
      check("edges_omitted", end.edges_omitted(), omitted_));
  HEAPGLOT_RETURN_IF_ERROR(
      check("edges_dangling", end.edges_dangling(), dangling_));
  return check("edges_immediate", end.edges_immediate(), immediate_);
}

Status CheckSink::CheckFooter(const pb::Footer& footer) {
  ended_ = true;
  if (string_continued_) return Wrong("the last string is not whole");
  if (GraphBoundsKnown()) {
    if (graphs_ == 0) return Wrong("there is no graph");
    if (footer.graphs() != graphs_) {
      return Wrong("graphs is " + Text(footer.graphs()) +
                   ", but the stream has " + Text(graphs_));
    }
  }
  if (wanted_.Has(Body::kStrings) && footer.strings() != strings_) {
    return Wrong("strings is " + Text(footer.strings()) +
                 ", but the stream has " + Text(strings_));
  }
  return CheckBound(Space::kStrings, footer.strings());
}

// ------------------------------------------------------- words and classes

Status CheckSink::CheckVocabulary(const pb::Vocabulary& vocabulary) {
  const pb::Vocabulary::Space space = vocabulary.space();
  if (!pb::Vocabulary::Space_IsValid(space)) return Wrong("unknown space");
  const int rows =
      std::max({vocabulary.name_size(), vocabulary.known_size(),
                vocabulary.source_code_size(), vocabulary.name_form_size(),
                vocabulary.edge_flags_size()});
  HEAPGLOT_RETURN_IF_ERROR(CheckColumns(vocabulary, rows));
  if (space != pb::Vocabulary::EDGE_KIND &&
      (vocabulary.name_form_size() != 0 || vocabulary.edge_flags_size() != 0)) {
    return Wrong("name_form and edge_flags are for kinds of edge");
  }
  for (int i = 0; i < rows; ++i) {
    const Kind kind = {.known = At(vocabulary.known(), i),
                       .name_form = At(vocabulary.name_form(), i)};
    if (!IsKnownKind(space, kind.known)) {
      return Wrong("known is " + Text(kind.known));
    }
    if (!pb::NameForm_IsValid(static_cast<int>(kind.name_form))) {
      return Wrong("name_form is " + Text(kind.name_form));
    }
    kinds_[space].push_back(kind);
    HEAPGLOT_RETURN_IF_ERROR(CheckName(At(vocabulary.name(), i), "name"));
    NoteIndex(Space::kStrings, At(vocabulary.name(), i), "name");
  }
  return {};
}

Status CheckSink::CheckStrings(const pb::Strings& strings) {
  const int rows = strings.length_size();
  // A string that goes on has its index again.
  const std::uint64_t expected = string_continued_ ? strings_ - 1 : strings_;
  // Names may come without the strings between them.
  const bool has_gaps =
      !wanted_.Has(Body::kStrings) && strings.first() > expected;
  if (strings.first() != expected && !has_gaps) {
    return Wrong("first is " + Text(strings.first()) + ", expected " +
                 Text(expected));
  }
  if (rows == 0 && (string_continued_ || strings.continued())) {
    return Wrong("there is no string that could go on");
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckColumns(strings, rows));
  if (Sum(strings.length()) != strings.data().size()) {
    return Wrong("the lengths add up to " + Text(Sum(strings.length())) +
                 ", but there are " + Text(strings.data().size()) + " bytes");
  }
  std::string_view rest = strings.data();
  for (int i = 0; i < rows; ++i) {
    const std::string_view text = rest.substr(0, strings.length(i));
    rest.remove_prefix(text.size());
    HEAPGLOT_RETURN_IF_ERROR(
        CheckText(text, At(strings.encoding(), i), "a string"));
  }
  const std::uint64_t first = strings.first();
  strings_ = first + rows;
  string_continued_ = strings.continued();
  if (strings.names() && rows != 0) {
    if (!names_.empty() && names_.back().second >= first) {
      names_.back().second = strings_;
    } else {
      names_.emplace_back(first, strings_);
    }
  }
  return {};
}

Status CheckSink::CheckTypes(const pb::Types& types) {
  for (const auto* names :
       {&types.name(), &types.library_name(), &types.library_uri(),
        &types.reserved(), &types.module(), &types.field_name(),
        &types.field_reserved()}) {
    for (const std::uint64_t name : *names) {
      HEAPGLOT_RETURN_IF_ERROR(CheckName(name, "a name"));
    }
  }
  for (const std::uint32_t type : types.field_type()) {
    if (!pb::BasicType_IsValid(static_cast<int>(type))) {
      return Wrong("field_type is " + Text(type));
    }
  }
  return {};
}

// -------------------------------------------------------- nodes and edges

Status CheckSink::CheckNodes(const pb::Nodes& nodes) {
  if (nodes.edge_count_size() != 0 && !grouped_.value_or(true)) {
    return Wrong("edge_count is for grouped edges");
  }
  for (const std::uint32_t kind : nodes.kind()) {
    HEAPGLOT_RETURN_IF_ERROR(CheckKind(pb::Vocabulary::NODE_KIND, kind));
  }
  for (int i = 0; i < nodes.type_ref_size(); ++i) {
    const bool dangling = (At(nodes.flags(), i) & pb::NODE_TYPE_DANGLING) != 0;
    if (nodes.type_ref(i) != 0 && !dangling) {
      NoteIndex(Space::kTypes, nodes.type_ref(i) - 1, "type_ref");
    }
  }
  for (int i = 0; i < nodes.value_form_size(); ++i) {
    const std::uint64_t value = At(nodes.value(), i);
    HEAPGLOT_RETURN_IF_ERROR(
        CheckValue(nodes.value_form(i), value, At(nodes.value_encoding(), i)));
    if (nodes.value_form(i) == pb::V_NAME) {
      HEAPGLOT_RETURN_IF_ERROR(CheckValueName(value));
    }
  }
  value_names_ = strings_;
  for (const std::uint64_t size : nodes.self_size()) {
    self_size_ = AddSaturating(self_size_, size);
  }
  for (const std::uint64_t count : nodes.edge_count()) edge_count_sum_ += count;
  if (wanted_.Has(Body::kEdges)) {
    edge_count_.insert(edge_count_.end(), nodes.edge_count().begin(),
                       nodes.edge_count().end());
    edge_count_.resize(Rows(Body::kNodes) - edge_count_begin_);
  }
  return CheckIds(nodes);
}

// Such a name can be read without keeping any strings but the last ones.
Status CheckSink::CheckValueName(std::uint64_t string) {
  if (string == 0 || !wanted_.Has(Body::kStrings)) return {};
  if (string >= value_names_ && string < strings_) return {};
  return Wrong("the name " + Text(string) +
               " of a node does not stand in the strings since the nodes "
               "before");
}

Status CheckSink::CheckIds(const pb::Nodes& nodes) {
  id_limit_ = std::max(id_limit_, Rows(Body::kNodes) + 1);
  for (const std::uint64_t id : nodes.id()) {
    id_limit_ = std::max(id_limit_, AddSaturating(id, 1));
  }
  return {};
}

Status CheckSink::CheckEdges(const pb::Edges& edges) {
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeKinds(edges));
  HEAPGLOT_RETURN_IF_ERROR(CheckEdgeTargets(edges));
  if (!grouped_.has_value()) {
    // The graph was not asked for: the edges themselves show it.
    if (edges.edges_per_node_size() != 0) return CheckGrouping(edges);
    return {};
  }
  if (!*grouped_) {
    if (edges.count() != 0) NoteIndex(Space::kNodes, 0, "from");
    for (const std::uint64_t from : edges.from()) {
      NoteIndex(Space::kNodes, from, "from");
    }
    if (edges.edges_per_node_size() != 0 || edges.first_node() != 0) {
      return Wrong("edges_per_node and first_node are for grouped edges");
    }
    return {};
  }
  if (edges.from_size() != 0) return Wrong("grouped edges have no from");
  return CheckGrouping(edges);
}

Status CheckSink::CheckEdgeKinds(const pb::Edges& edges) {
  const auto& kinds = kinds_[pb::Vocabulary::EDGE_KIND];
  for (const std::uint32_t kind : edges.kind()) {
    HEAPGLOT_RETURN_IF_ERROR(CheckKind(pb::Vocabulary::EDGE_KIND, kind));
  }
  for (const std::uint32_t name_form : edges.name_form()) {
    if (!pb::NameForm_IsValid(static_cast<int>(name_form))) {
      return Wrong("name_form is " + Text(name_form));
    }
  }
  std::uint64_t most = 0;  // of the names that are strings
  for (int i = 0; i < edges.name_size(); ++i) {
    const std::uint32_t kind = At(edges.kind(), i);
    std::uint32_t name_form = At(edges.name_form(), i);
    if (edges.name_form().empty() && kind < kinds.size()) {
      name_form = kinds[kind].name_form;
    }
    if (name_form == pb::NAME_STRING) most = std::max(most, edges.name(i));
  }
  NoteIndex(Space::kStrings, most, "name");
  return {};
}

Status CheckSink::CheckEdgeTargets(const pb::Edges& edges) {
  if (edges.to_form().empty()) {
    // As most are.
    std::uint64_t most = 0;
    for (const std::uint64_t to : edges.to()) most = std::max(most, to);
    if (edges.count() != 0) NoteIndex(Space::kNodes, most, "to");
    return {};
  }
  for (int i = 0; i < edges.to_form_size(); ++i) {
    const std::uint32_t form = edges.to_form(i);
    HEAPGLOT_RETURN_IF_ERROR(CheckTarget(form, At(edges.to(), i)));
    omitted_ += form == pb::TO_OMITTED ? 1 : 0;
    dangling_ += form == pb::TO_DANGLING ? 1 : 0;
    immediate_ += form == pb::TO_IMMEDIATE ? 1 : 0;
  }
  return {};
}

Status CheckSink::CheckGrouping(const pb::Edges& edges) {
  const std::uint64_t sum = Sum(edges.edges_per_node());
  if (sum != edges.count()) {
    return Wrong("edges_per_node adds up to " + Text(sum) + " for " +
                 Text(edges.count()) + " edges");
  }
  if (edges.edges_per_node_size() == 0) return {};
  if (edges.first_node() < edge_node_) {
    return Wrong("edges of node " + Text(edges.first_node()) +
                 " come after those of node " + Text(edge_node_));
  }
  const std::uint64_t last = AddSaturating(
      edges.first_node(),
      static_cast<std::uint64_t>(edges.edges_per_node_size()) - 1);
  NoteIndex(Space::kNodes, last, "edges_per_node");
  if (!wanted_.Has(Body::kNodes)) {
    edge_node_ = last;
    return {};
  }
  if (last >= Rows(Body::kNodes)) {
    return Wrong("edges of node " + Text(last) + " come before the node");
  }
  for (int i = 0; i < edges.edges_per_node_size(); ++i) {
    HEAPGLOT_RETURN_IF_ERROR(AdvanceTo(edges.first_node() + i));
    edge_node_seen_ += edges.edges_per_node(i);
  }
  DropEdgeCounts();
  return {};
}

// Those of nodes that are done with, now and then.
void CheckSink::DropEdgeCounts() {
  constexpr std::uint64_t kKept = 1 << 16;
  const std::uint64_t done = edge_node_ - edge_count_begin_;
  if (done < kKept || done < edge_count_.size() / 2) return;
  edge_count_.erase(edge_count_.begin(),
                    edge_count_.begin() + static_cast<std::ptrdiff_t>(done));
  edge_count_begin_ = edge_node_;
}

Status CheckSink::AdvanceTo(std::uint64_t node) {
  for (; edge_node_ < node; ++edge_node_, edge_node_seen_ = 0) {
    const std::uint64_t count = edge_count_[edge_node_ - edge_count_begin_];
    if (edge_node_seen_ != count) {
      return Wrong("node " + Text(edge_node_) + " has " +
                   Text(edge_node_seen_) + " edges, but its edge_count is " +
                   Text(count));
    }
  }
  return {};
}

// ------------------------------------------------------------ other tables

Status CheckSink::CheckRoots(const pb::Roots& roots) {
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckTarget(At(roots.to_form(), i), At(roots.to(), i)));
    HEAPGLOT_RETURN_IF_ERROR(
        CheckKind(pb::Vocabulary::ROOT_KIND, At(roots.kind(), i)));
  }
  return {};
}

Status CheckSink::CheckValues(const pb::Values& values) {
  const pb::Values::Owner space = values.owner_space();
  if (!pb::Values::Owner_IsValid(space)) return Wrong("unknown owner_space");
  for (int i = 0; i < static_cast<int>(values.count()); ++i) {
    const std::uint64_t owner = At(values.owner(), i);
    if (owner < last_owner_[space]) {
      return Wrong("owner " + Text(owner) + " comes after owner " +
                   Text(last_owner_[space]));
    }
    last_owner_[space] = owner;
    switch (space) {
      case pb::Values::OF_NODE:
        NoteIndex(Space::kNodes, owner, "owner");
        break;
      case pb::Values::OF_EDGE:
        NoteIndex(Space::kEdges, owner, "owner");
        break;
      case pb::Values::OF_TYPE:
        NoteIndex(Space::kTypes, owner, "owner");
        break;
      case pb::Values::OF_ROOT:
        NoteIndex(Space::kRoots, owner, "owner");
        break;
      case pb::Values::OF_STRING:
        NoteIndex(Space::kStrings, owner, "owner");
        break;
      default:
        if (owner != 0) return Wrong("the graph is owner 0");
    }
    HEAPGLOT_RETURN_IF_ERROR(CheckValue(
        At(values.form(), i), At(values.value(), i), At(values.encoding(), i)));
  }
  return {};
}

Status CheckSink::CheckExternals(const pb::Externals& externals) {
  for (int i = 0; i < static_cast<int>(externals.count()); ++i) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckTarget(At(externals.to_form(), i), At(externals.to(), i)));
    external_size_ = AddSaturating(external_size_, At(externals.size(), i));
  }
  return {};
}

Status CheckSink::CheckLocations(const pb::Locations& locations) {
  for (int i = 0; i < static_cast<int>(locations.count()); ++i) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckTarget(At(locations.to_form(), i), At(locations.to(), i)));
  }
  return {};
}

Status CheckSink::CheckMetadata(const pb::Metadata& metadata) {
  for (const pb::Metadata::Entry& entry : metadata.entry()) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckText(entry.key().data(), entry.key().encoding(), "a key"));
    HEAPGLOT_RETURN_IF_ERROR(
        CheckText(entry.value().data(), entry.value().encoding(), "a value"));
  }
  return {};
}

// Every node begins with as many children to come as it says; depth does not
// matter.
Status CheckSink::CheckTraceNodes(const pb::TraceNodes& nodes) {
  for (int i = 0; i < static_cast<int>(nodes.count()); ++i) {
    if (trace_open_ != 0) --trace_open_;
    trace_open_ = AddSaturating(trace_open_, At(nodes.child_count(), i));
  }
  return {};
}

Status CheckSink::CheckRecordOrder(const pb::RecordOrder& order) {
  if (order.body_size() == order.run_size()) return {};
  return Wrong("there are " + Text(order.body_size()) + " bodies and " +
               Text(order.run_size()) + " runs");
}

Status CheckSink::CheckSourceImage(const pb::SourceImage& image) {
  if (image_.begun && !image_.continued) {
    return Wrong("it follows the last piece");
  }
  if (!image_.begun) {
    if (!pb::SourceImage::Method_IsValid(image.method())) {
      return Wrong("unknown method");
    }
    image_ = {.begun = true, .method = image.method(), .size = image.size()};
  } else if (image.method() != 0 || image.size() != 0 ||
             !image.profile().empty() || !image.sha256().empty()) {
    return Wrong("only the first piece has a method, profile, size or sha256");
  }
  image_.continued = image.continued();
  if (image.copy_size() != image.remove_size() ||
      image.copy_size() != image.insert_size()) {
    return Wrong("its copy, remove and insert differ in length");
  }
  if (image.copy_size() != 0 && image_.method != pb::SourceImage::PATCHED) {
    return Wrong("patches are for the method PATCHED");
  }
  for (int i = 0; i < image.copy_size(); ++i) {
    image_.copied = AddSaturating(image_.copied, image.copy(i));
    image_.inserted = AddSaturating(image_.inserted, image.insert(i));
  }
  image_.data += image.data().size();
  return image.continued() ? Status() : CheckSourceImageEnd();
}

Status CheckSink::CheckSourceImageEnd() const {
  if (!image_.begun || !wanted_.Has(Body::kSourceImage)) return {};
  if (image_.continued) return Wrong("the source's image is not whole");
  const bool is_patched = image_.method == pb::SourceImage::PATCHED;
  const std::uint64_t expected = image_.method == pb::SourceImage::EMBEDDED
                                     ? image_.size
                                 : is_patched ? image_.inserted
                                              : 0;
  if (image_.data != expected) {
    return Wrong("the source's image has " + Text(image_.data) +
                 " bytes of data, expected " + Text(expected));
  }
  if (is_patched &&
      AddSaturating(image_.copied, image_.inserted) > image_.size) {
    return Wrong("the patches make more than the " + Text(image_.size) +
                 " bytes of the source");
  }
  return {};
}

Status CheckSink::CheckExtra(const pb::Extra& extra) {
  extra_continued_ = extra.continued();
  return {};
}

Status CheckSink::CheckExtraTable(const pb::ExtraTable& table) {
  // Several tables share this kind of chunk, told apart by name.
  std::uint64_t& rows = extra_rows_[table.name()];
  if (table.first() == 0 && !GraphBoundsKnown()) rows = 0;
  if (table.first() != rows) {
    return Wrong("first of " + table.name() + " is " + Text(table.first()) +
                 " after " + Text(rows) + " rows");
  }
  rows += table.count();
  return CheckColumns(table, table.count());
}

}  // namespace heapglot
