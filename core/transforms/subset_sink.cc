#include "core/transforms/subset_sink.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "core/column.h"
#include "core/ir/columns.h"
#include "core/ir/index_columns.h"
#include "core/ir/word_count.h"
#include "core/saturating.h"
#include "core/text/utf.h"
#include "core/transforms/keep_rows.h"

namespace heapglot {
namespace {

using google::protobuf::Message;
using Body = pb::Chunk::BodyCase;

bool Keeps(const KeptRows& rows, std::uint64_t row) {
  return !rows || (row < rows->size() && rows->Has(row));
}

std::uint64_t NewIndex(const KeptRows& rows, std::uint64_t row) {
  return rows ? rows->Rank(row) : row;
}

// The table whose rows an index counts.
Body TableOf(IndexSpace space) {
  switch (space) {
    case IndexSpace::kTypes:
      return Body::kTypes;
    case IndexSpace::kNodes:
      return Body::kNodes;
    case IndexSpace::kEdges:
      return Body::kEdges;
    case IndexSpace::kRoots:
      return Body::kRoots;
    case IndexSpace::kTraceFunctions:
      return Body::kTraceFunctions;
    case IndexSpace::kStackFrames:
      return Body::kStackFrames;
    case IndexSpace::kThreads:
      return Body::kThreads;
    default:
      return pb::Chunk::BODY_NOT_SET;
  }
}

bool HasFieldColumns(const pb::Types& types) {
  bool has_any = false;
  ForEachColumn(types, [&](const ColumnPath& path, const Message&,
                           const google::protobuf::FieldDescriptor&) {
    has_any =
        has_any || IsFieldColumn(*pb::Types::descriptor()->FindFieldByNumber(
                       static_cast<int>(path.numbers[0])));
  });
  return has_any;
}

}  // namespace

ChunkSet SubsetSink::Needed(ChunkSet wanted) {
  ChunkSet needed = wanted | ChunkSet{Body::kGraph, Body::kGraphEnd};
  if (wanted.Has(Body::kEdges)) needed = needed | ChunkSet{Body::kVocabulary};
  return needed;
}

Status SubsetSink::Accept(const pb::Chunk& chunk) {
  if (plan_.dropped.Has(chunk.body_case())) return {};
  switch (chunk.body_case()) {
    case Body::kSourceImage:
    case Body::kRecordOrder:
      return {};  // of the stream as it was
    default:
      break;
  }
  chunk_ = &chunk;
  own_ = chunk;
  return Edit() ? Pass() : Status();
}

Status SubsetSink::Pass() {
  if (out_ == nullptr || !wanted_.Includes(own_)) return {};
  return out_->Accept(own_);
}

// Makes own_ what it shall be; false if nothing of it is left.
bool SubsetSink::Edit() {
  switch (own_.body_case()) {
    case Body::kGraph:
      return EditGraph(own_.mutable_graph());
    case Body::kGraphEnd:
      EditGraphEnd(own_.mutable_graph_end());
      return true;
    case Body::kVocabulary:
      return EditVocabulary(own_.mutable_vocabulary());
    case Body::kStrings:
      return counts_ || EditStrings(own_.mutable_strings());
    case Body::kFooter:
      if (!counts_) own_.mutable_footer()->set_strings(plan_.strings.members());
      return true;
    case Body::kHeader:
    case Body::kMetadata:
    case Body::kExtra:
      return true;
    case Body::kExtraTable:
      if (KeepsExtraTable(own_.mutable_extra_table()))
        RenumberExtra(own_.mutable_extra_table());
      return own_.extra_table().first() == 0 || own_.extra_table().count() != 0;
    default:
      return EditTable();
  }
}

bool SubsetSink::EditTable() {
  bool is_left = true;
  Message* const table = MutableBody(&own_, own_.body_case());
  switch (own_.body_case()) {
    case Body::kTypes:
      is_left = EditTypes(own_.mutable_types());
      break;
    case Body::kNodes:
      is_left = EditNodes(own_.mutable_nodes());
      break;
    case Body::kEdges:
      is_left = EditEdges(own_.mutable_edges());
      break;
    case Body::kRoots:
      is_left = EditRoots(own_.mutable_roots());
      break;
    case Body::kValues:
      is_left = EditValues(own_.mutable_values());
      break;
    case Body::kExternals:
      is_left = EditTargets(graph().keep.externals, own_.mutable_externals());
      break;
    case Body::kLocations:
      is_left = EditTargets(graph().keep.locations, own_.mutable_locations());
      break;
    case Body::kSamples:
      SelectRows(graph().keep.samples, own_.samples());
      KeepTableRows(rows_, own_.mutable_samples());
      is_left = !rows_.empty();
      break;
    default:
      break;
  }
  RenumberIndices(table);
  RenumberExtra(table);
  Count(own_.body_case(), NumberField(*table, "count"));
  return is_left;
}

// Sets `first`, and counts the rows.
void SubsetSink::Count(Body body, std::uint64_t rows) {
  Message* const table = MutableBody(&own_, body);
  table->GetReflection()->SetUInt64(
      table, table->GetDescriptor()->FindFieldByName("first"), sent_[body]);
  sent_[body] += rows;
}

// -------------------------------------------------------------------- framing

bool SubsetSink::EditGraph(pb::Graph* graph_chunk) {
  graph_ = next_graph_++;
  is_grouped_ = graph_chunk->edges_grouped();
  edges_seen_ = 0;
  sent_.fill(0);
  name_forms_.clear();
  end_.Clear();
  edge_totals_ = {};
  graph_chunk->set_root_ref(NewRef(Body::kNodes, graph_chunk->root_ref()));
  if (!counts_) EditStated(graph_chunk);
  return true;
}

// What is true stays true. Any other number is a claim that is as good or bad
// as before.
void SubsetSink::EditStated(pb::Graph* stated) const {
  const pb::GraphEnd& before = graph().before;
  const pb::GraphEnd& after = graph().after;
  if (stated->has_self_size_total() &&
      stated->self_size_total() == before.self_size_total()) {
    stated->set_self_size_total(after.self_size_total());
  }
  if (stated->has_external_size_total() &&
      stated->external_size_total() == before.external_size_total()) {
    stated->set_external_size_total(after.external_size_total());
  }
  if (stated->has_edge_count() &&
      stated->edge_count() == before.edges() - before.edges_synthesized()) {
    stated->set_edge_count(after.edges() - after.edges_synthesized());
  }
  if (stated->has_node_count() && stated->node_count() == before.nodes()) {
    stated->set_node_count(after.nodes());
  }
  if (stated->has_trace_function_count() &&
      stated->trace_function_count() == before.trace_functions()) {
    stated->set_trace_function_count(after.trace_functions());
  }
}

void SubsetSink::EditGraphEnd(pb::GraphEnd* end) {
  if (counts_) {
    edge_totals_.Store(&end_);
    end_.set_types(sent_[Body::kTypes]);
    end_.set_nodes(sent_[Body::kNodes]);
    end_.set_edges(sent_[Body::kEdges]);
    end_.set_roots(sent_[Body::kRoots]);
    end_.set_values(sent_[Body::kValues]);
    end_.set_externals(sent_[Body::kExternals]);
    end_.set_locations(sent_[Body::kLocations]);
    end_.set_trace_functions(sent_[Body::kTraceFunctions]);
    end_.set_trace_nodes(sent_[Body::kTraceNodes]);
    end_.set_samples(sent_[Body::kSamples]);
    end_.set_stack_frames(sent_[Body::kStackFrames]);
    end_.set_threads(sent_[Body::kThreads]);
    end_.set_id_limit(
        end->id_limit() == 0
            ? 0
            : std::max(end_.id_limit(), AddSaturating(end_.nodes(), 1)));
    plan_.graphs[graph_].after = end_;
  }
  *end = graph().after;
}

bool SubsetSink::EditVocabulary(pb::Vocabulary* vocabulary) {
  for (auto& name : *vocabulary->mutable_name()) name = NewString(name);
  edge_totals_.Add(*vocabulary);
  if (vocabulary->space() != pb::Vocabulary::EDGE_KIND) return true;
  for (int i = 0; i < WordCount(*vocabulary); ++i) {
    name_forms_.push_back(At(vocabulary->name_form(), i));
  }
  return true;
}

// -------------------------------------------------------------------- strings

std::uint64_t SubsetSink::NewString(std::uint64_t string) {
  if (string == 0) return 0;
  if (counts_) {
    const bool stays = plan_.texts.size() == 0 || plan_.texts.Has(string);
    if (stays) plan_.strings.Add(string);
    return string;
  }
  return plan_.strings.Has(string) ? plan_.strings.Rank(string) : 0;
}

bool SubsetSink::EditStrings(pb::Strings* strings) {
  const pb::Strings& before = chunk_->strings();
  strings->clear_data();
  rows_.clear();
  std::string_view rest = before.data();
  const int rows = before.length_size();
  bool keeps_last = false;
  for (int i = 0; i < rows; ++i) {
    const std::string_view text = rest.substr(0, before.length(i));
    rest.remove_prefix(text.size());
    keeps_last = plan_.strings.Has(before.first() + i);
    if (!keeps_last) continue;
    if (i != 0 || !string_continued_) string_bytes_ = 0;
    const std::uint64_t room = plan_.max_text - string_bytes_;
    std::string_view piece = text;
    if (piece.size() > room) {
      piece = piece.substr(0, CutAtCodePoint(piece, room));
      if (!strings->encoding().empty()) {
        strings->set_encoding(i, ClassifyWtf8(piece));
      }
      string_bytes_ = plan_.max_text;  // nothing comes behind the cut
    } else {
      string_bytes_ += piece.size();
    }
    strings->set_length(i, static_cast<std::uint32_t>(piece.size()));
    strings->mutable_data()->append(piece);
    rows_.push_back(i);
  }
  KeepRows(rows_, strings->mutable_length());
  KeepRows(rows_, strings->mutable_encoding());
  KeepRows(rows_, strings->mutable_source_id());
  strings->set_first(plan_.strings.Rank(before.first()));
  string_continued_ = before.continued();
  strings->set_continued(before.continued() && keeps_last);
  return !rows_.empty();
}

// --------------------------------------------------------------------- tables

const KeptRows* SubsetSink::RowsOf(Body table) const {
  switch (table) {
    case Body::kTypes:
      return &graph().keep.types;
    case Body::kNodes:
      return &graph().keep.nodes;
    case Body::kEdges:
      return &graph().keep.edges;
    case Body::kRoots:
      return &graph().keep.roots;
    default:
      return nullptr;
  }
}

bool SubsetSink::KeepsNode(std::uint64_t node) const {
  return Keeps(graph().keep.nodes, node);
}

std::uint64_t SubsetSink::NewRef(Body table, std::uint64_t ref) const {
  if (ref == 0 || plan_.dropped.Has(table)) return 0;
  const KeptRows* const rows = RowsOf(table);
  if (rows == nullptr) return ref;
  return Keeps(*rows, ref - 1) ? NewIndex(*rows, ref - 1) + 1 : 0;
}

template <typename Table>
void SubsetSink::SelectRows(const KeptRows& keep, const Table& table) {
  rows_.clear();
  for (int i = 0; i < static_cast<int>(table.count()); ++i) {
    if (Keeps(keep, table.first() + static_cast<std::uint64_t>(i))) {
      rows_.push_back(i);
    }
  }
}

void SubsetSink::RenumberIndices(Message* table) {
  for (const IndexColumn& column : IndexColumnsOf(own_.body_case())) {
    for (std::uint64_t& entry : *column.mutate(table)) {
      if (column.space == IndexSpace::kStrings) {
        entry = NewString(entry);
      } else if (column.is_ref) {
        entry = NewRef(TableOf(column.space), entry);
      }
    }
  }
}

void SubsetSink::RenumberExtra(Message* table) {
  ForEachExtraColumn(table, [this](pb::ExtraColumn* extra) {
    for (auto& string : *extra->mutable_strings()) string = NewString(string);
    for (auto& ref : *extra->mutable_node_refs())
      ref = NewRef(Body::kNodes, ref);
  });
}

template <typename Table>
void SubsetSink::RenumberTargets(Table* table) const {
  for (int i = 0; i < table->to_size(); ++i) {
    if (At(table->to_form(), i) != pb::TO_NODE) continue;
    table->set_to(i, NewIndex(graph().keep.nodes, table->to(i)));
  }
}

// Of a table whose rows go along with their node.
template <typename Table>
bool SubsetSink::EditTargets(const KeptRows& keep, Table* table) {
  SelectRows(keep, *table);
  std::erase_if(rows_, [&](int row) {
    return At(table->to_form(), row) == pb::TO_NODE &&
           !KeepsNode(At(table->to(), row));
  });
  KeepTableRows(rows_, table);
  RenumberTargets(table);
  if constexpr (requires { table->size(); }) {
    for (const std::uint64_t size : table->size()) {
      end_.set_external_size_total(
          AddSaturating(end_.external_size_total(), size));
    }
  }
  return !rows_.empty();
}

bool SubsetSink::EditTypes(pb::Types* types) {
  SelectRows(graph().keep.types, *types);
  const pb::Types& before = chunk_->types();
  std::vector<int> fields;
  int field = 0;
  std::size_t next = 0;
  // Without columns any number of fields may be claimed.
  const int types_with_fields =
      HasFieldColumns(before) ? before.field_count_size() : 0;
  for (int i = 0; i < types_with_fields; ++i) {
    const int end = field + static_cast<int>(before.field_count(i));
    const bool keeps = next < rows_.size() && rows_[next] == i;
    if (keeps) ++next;
    for (; field < end; ++field) {
      if (keeps) fields.push_back(field);
    }
  }
  KeepColumnRows(rows_, types, std::not_fn(IsFieldColumn));
  KeepColumnRows(fields, types, IsFieldColumn);
  KeepExtraRows(rows_, types->mutable_extra());
  KeepExtraRows(fields, types->mutable_field_extra());
  types->set_count(static_cast<std::uint32_t>(rows_.size()));
  for (auto& nodes : *types->mutable_source_position()) {
    nodes = NewIndex(graph().keep.nodes, nodes);
  }
  return !rows_.empty();
}

bool SubsetSink::EditNodes(pb::Nodes* nodes) {
  SelectRows(graph().keep.nodes, *nodes);
  KeepTableRows(rows_, nodes);
  EditEdgeCounts(chunk_->nodes(), nodes);
  for (int i = 0; i < nodes->type_ref_size(); ++i) {
    if ((At(nodes->flags(), i) & pb::NODE_TYPE_DANGLING) != 0) continue;
    nodes->set_type_ref(i, NewRef(Body::kTypes, nodes->type_ref(i)));
  }
  for (int i = 0; i < nodes->value_form_size(); ++i) {
    RenumberValue(nodes->value_form(i), nodes->mutable_value(),
                  nodes->mutable_value_form(), i);
  }
  for (const std::uint64_t size : nodes->self_size()) {
    end_.set_self_size_total(AddSaturating(end_.self_size_total(), size));
  }
  for (const std::uint64_t id : nodes->id()) {
    end_.set_id_limit(std::max(end_.id_limit(), AddSaturating(id, 1)));
  }
  return !rows_.empty();
}

// `nodes` has the rows of `before` that are in rows_.
void SubsetSink::EditEdgeCounts(const pb::Nodes& before, pb::Nodes* nodes) {
  const KeptRows& edges = graph().keep.edges;
  if (before.edge_count().empty() || !edges) return;
  int kept = 0;
  for (int i = 0; i < before.edge_count_size(); ++i) {
    const std::uint64_t end = edges_seen_ + before.edge_count(i);
    const auto next = static_cast<std::size_t>(kept);
    if (next < rows_.size() && rows_[next] == i) {
      nodes->set_edge_count(kept++,
                            plan_.dropped.Has(Body::kEdges)
                                ? 0
                                : edges->Rank(end) - edges->Rank(edges_seen_));
    }
    edges_seen_ = end;
  }
}

void SubsetSink::RenumberValue(
    std::uint32_t form, google::protobuf::RepeatedField<std::uint64_t>* values,
    google::protobuf::RepeatedField<std::uint32_t>* forms, int row) {
  const std::uint64_t value = At(*values, row);
  if (form == pb::V_NODE) {
    if (!KeepsNode(value)) forms->Set(row, pb::V_NONE);
    if (values->empty()) return;
    values->Set(row,
                KeepsNode(value) ? NewIndex(graph().keep.nodes, value) : 0);
  } else if (IsStringForm(form) && !values->empty()) {
    values->Set(row, NewString(value));
  }
}

bool SubsetSink::EditEdges(pb::Edges* edges) {
  SelectRows(graph().keep.edges, *edges);
  KeepTableRows(rows_, edges, pb::Edges::kEdgesPerNodeFieldNumber);
  EditSources(chunk_->edges(), edges);
  EditEdgeNames(edges);
  RenumberTargets(edges);
  edge_totals_.Add(*edges);
  return !rows_.empty();
}

void SubsetSink::EditSources(const pb::Edges& before, pb::Edges* edges) const {
  const KeptRows& nodes = graph().keep.nodes;
  for (auto& from : *edges->mutable_from()) from = NewIndex(nodes, from);
  if (before.edges_per_node().empty()) return;
  edges->set_first_node(NewIndex(nodes, before.first_node()));
  edges->clear_edges_per_node();
  std::size_t next = 0;  // in rows_
  int row = 0;
  for (int i = 0; i < before.edges_per_node_size(); ++i) {
    row += static_cast<int>(before.edges_per_node(i));
    std::uint32_t kept = 0;
    for (; next < rows_.size() && rows_[next] < row; ++next) ++kept;
    if (KeepsNode(before.first_node() + static_cast<std::uint64_t>(i))) {
      edges->add_edges_per_node(kept);
    }
  }
}

void SubsetSink::EditEdgeNames(pb::Edges* edges) {
  for (int i = 0; i < edges->name_size(); ++i) {
    const std::uint32_t kind = At(edges->kind(), i);
    std::uint32_t form = At(edges->name_form(), i);
    if (edges->name_form().empty() && kind < name_forms_.size()) {
      form = name_forms_[kind];
    }
    if (form != pb::NAME_STRING) continue;
    edges->set_name(i, NewString(edges->name(i)));
  }
}

bool SubsetSink::EditRoots(pb::Roots* roots) {
  SelectRows(graph().keep.roots, *roots);
  KeepTableRows(rows_, roots);
  RenumberTargets(roots);
  return !rows_.empty();
}

bool SubsetSink::KeepsValue(pb::Values::Owner space,
                            std::uint64_t owner) const {
  switch (space) {
    case pb::Values::OF_NODE:
      return KeepsNode(owner);
    case pb::Values::OF_EDGE:
      return !plan_.dropped.Has(Body::kEdges) &&
             Keeps(graph().keep.edges, owner);
    case pb::Values::OF_TYPE:
      return NewRef(Body::kTypes, owner + 1) != 0;
    case pb::Values::OF_ROOT:
      return NewRef(Body::kRoots, owner + 1) != 0;
    case pb::Values::OF_STRING:
      if (!counts_) return owner == 0 || plan_.strings.Has(owner);
      return owner == 0 || plan_.texts.size() == 0 || plan_.texts.Has(owner);
    default:
      return true;
  }
}

std::uint64_t SubsetSink::NewOwner(pb::Values::Owner space,
                                   std::uint64_t owner) {
  switch (space) {
    case pb::Values::OF_NODE:
      return NewIndex(graph().keep.nodes, owner);
    case pb::Values::OF_EDGE:
      return NewIndex(graph().keep.edges, owner);
    case pb::Values::OF_TYPE:
      return NewIndex(graph().keep.types, owner);
    case pb::Values::OF_ROOT:
      return NewIndex(graph().keep.roots, owner);
    case pb::Values::OF_STRING:
      return NewString(owner);
    default:
      return owner;
  }
}

bool SubsetSink::EditValues(pb::Values* values) {
  const pb::Values::Owner space = values->owner_space();
  SelectRows(graph().keep.values, *values);
  std::erase_if(rows_, [&](int row) {
    return !KeepsValue(space, At(values->owner(), row));
  });
  KeepTableRows(rows_, values);
  for (auto& owner : *values->mutable_owner()) owner = NewOwner(space, owner);
  // Without the column all of them are of what was the first row.
  for (int i = 0; i < values->form_size(); ++i) {
    RenumberValue(values->form(i), values->mutable_value(),
                  values->mutable_form(), i);
  }
  return !rows_.empty();
}

}  // namespace heapglot
