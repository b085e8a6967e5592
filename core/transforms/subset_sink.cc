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
  if (!Edit()) return {};
  if (counts_ && LosesNodes()) CountUnknown();
  return Pass();
}

void SubsetSink::CountUnknown() {
  std::uint64_t& numbers = plan_.losses.unknown_numbers;
  numbers += UnknownNumbers(*MutableBody(&own_, own_.body_case()));
  if (own_.has_extra()) numbers += unknown_json_.Add(own_.extra());
}

Status SubsetSink::Pass() {
  if (out_ == nullptr || !wanted_.Includes(own_)) return {};
  return out_->Accept(own_);
}

// Edits own_; false if nothing of it is left.
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
      return EditExtraTable(own_.mutable_extra_table());
    default:
      return EditTable();
  }
}

bool SubsetSink::EditExtraTable(pb::ExtraTable* table) {
  const std::uint64_t rows = table->count();
  if (KeepsExtraTable(table))
    RenumberExtra(table);
  else if (counts_)
    plan_.losses.table_rows += rows;
  return table->first() == 0 || table->count() != 0;
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
  if (plan_.makes_ids && LosesNodes() &&
      graph_chunk->id_space() == pb::Graph::IMPLICIT) {
    graph_chunk->set_id_space(pb::Graph::UNSTABLE);  // they are a column now
  }
  if (!counts_) EditStated(graph_chunk);
  return true;
}

// What is true stays true. Any other number is a claim that is as good or bad
// as before, and stays if it may.
void SubsetSink::EditStated(pb::Graph* stated) const {
  const pb::GraphEnd& before = graph().before;
  const pb::GraphEnd& after = graph().after;
  const bool keeps_claims = plan_.keeps_claims || !graph().keep.nodes;
  const auto edit = [&](std::uint64_t total, std::uint64_t was,
                        std::uint64_t is, auto set, auto clear) {
    if (total == was)
      (stated->*set)(is);
    else if (!keeps_claims)
      (stated->*clear)();
  };
  if (stated->has_self_size_total())
    edit(stated->self_size_total(), before.self_size_total(),
         after.self_size_total(), &pb::Graph::set_self_size_total,
         &pb::Graph::clear_self_size_total);
  if (stated->has_external_size_total())
    edit(stated->external_size_total(), before.external_size_total(),
         after.external_size_total(), &pb::Graph::set_external_size_total,
         &pb::Graph::clear_external_size_total);
  if (stated->has_edge_count())
    edit(stated->edge_count(), before.edges() - before.edges_synthesized(),
         after.edges() - after.edges_synthesized(), &pb::Graph::set_edge_count,
         &pb::Graph::clear_edge_count);
  if (stated->has_node_count())
    edit(stated->node_count(), before.nodes(), after.nodes(),
         &pb::Graph::set_node_count, &pb::Graph::clear_node_count);
  if (stated->has_trace_function_count())
    edit(stated->trace_function_count(), before.trace_functions(),
         after.trace_functions(), &pb::Graph::set_trace_function_count,
         &pb::Graph::clear_trace_function_count);
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
      string_bytes_ = plan_.max_text;  // nothing comes after the cut
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

bool SubsetSink::KeepsRow(Body table, std::uint64_t row) const {
  const KeptRows* const rows = RowsOf(table);
  return !plan_.dropped.Has(table) && (rows == nullptr || Keeps(*rows, row));
}

bool SubsetSink::KeepsNode(std::uint64_t node) const {
  return Keeps(graph().keep.nodes, node);
}

std::uint64_t SubsetSink::NewRef(Body table, std::uint64_t ref) {
  if (ref == 0) return 0;
  if (KeepsRow(table, ref - 1)) {
    const KeptRows* const rows = RowsOf(table);
    return rows == nullptr ? ref : NewIndex(*rows, ref - 1) + 1;
  }
  if (counts_ && table == Body::kNodes) ++plan_.losses.references;
  return 0;
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
std::uint64_t SubsetSink::RenumberTargets(Table* table) const {
  const KeptRows& nodes = graph().keep.nodes;
  if (!nodes) return 0;
  std::uint64_t gone = 0;
  const auto rows = static_cast<int>(table->count());
  for (int i = 0; i < rows; ++i) {
    if (At(table->to_form(), i) != pb::TO_NODE) continue;
    const std::uint64_t to = At(table->to(), i);
    const bool stays = Keeps(nodes, to);
    SetAt(table->mutable_to(), rows, i,
          stays ? NewIndex(nodes, to) : std::uint64_t{0});
    if (stays) continue;
    SetAt(table->mutable_to_form(), rows, i, std::uint32_t{pb::TO_OMITTED});
    ++gone;
  }
  return gone;
}

// For a table whose rows go along with their node.
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
  if (plan_.makes_ids && LosesNodes() && nodes->id().empty()) MakeIds(nodes);
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

void SubsetSink::MakeIds(pb::Nodes* nodes) const {
  for (std::uint64_t i = 1; i <= nodes->count(); ++i)
    nodes->add_id(nodes->first() + i);
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
    const std::uint64_t ref = NewRef(Body::kNodes, value + 1);
    if (ref == 0) forms->Set(row, pb::V_NONE);
    if (!values->empty()) values->Set(row, ref == 0 ? 0 : ref - 1);
  } else if (IsStringForm(form) && !values->empty()) {
    values->Set(row, NewString(value));
  }
}

bool SubsetSink::EditEdges(pb::Edges* edges) {
  SelectRows(graph().keep.edges, *edges);
  KeepTableRows(rows_, edges, pb::Edges::kEdgesPerNodeFieldNumber);
  EditSources(chunk_->edges(), edges);
  EditEdgeNames(edges);
  const std::uint64_t gone = RenumberTargets(edges);
  if (counts_) plan_.losses.edges += gone;
  edge_totals_.Add(*edges);
  return !rows_.empty();
}

void SubsetSink::EditSources(const pb::Edges& before, pb::Edges* edges) {
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
    if (!KeepsNode(before.first_node() + static_cast<std::uint64_t>(i)))
      continue;
    edges->add_edges_per_node(kept);
    if (counts_ && LosesNodes())
      plan_.losses.edges += before.edges_per_node(i) - kept;
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
  const std::uint64_t gone = RenumberTargets(roots);
  if (counts_) plan_.losses.references += gone;
  return !rows_.empty();
}

bool SubsetSink::KeepsValue(pb::Values::Owner space,
                            std::uint64_t owner) const {
  switch (space) {
    case pb::Values::OF_NODE:
      return KeepsNode(owner);
    case pb::Values::OF_EDGE:
      return KeepsRow(Body::kEdges, owner);
    case pb::Values::OF_TYPE:
      return KeepsRow(Body::kTypes, owner);
    case pb::Values::OF_ROOT:
      return KeepsRow(Body::kRoots, owner);
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
  // Without the column `value`, all values are about row 0, which stays row 0
  // if it stays.
  for (int i = 0; i < values->form_size(); ++i) {
    RenumberValue(values->form(i), values->mutable_value(),
                  values->mutable_form(), i);
  }
  return !rows_.empty();
}

}  // namespace heapglot
