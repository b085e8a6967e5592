#include "core/transforms/merge_graphs.h"

#include <algorithm>
#include <cstdint>

#include "core/chunk_builder.h"
#include "core/column.h"
#include "core/ir/index_columns.h"
#include "core/saturating.h"
#include "core/text/utf.h"
#include "core/transforms/merge_losses.h"
#include "core/transforms/merge_plan.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;
using google::protobuf::RepeatedField;

// Adds the totals of one more graph.
void AddTotals(const pb::GraphEnd& end, pb::GraphEnd* totals) {
  totals->set_types(totals->types() + end.types());
  totals->set_nodes(totals->nodes() + end.nodes());
  totals->set_edges(totals->edges() + end.edges());
  totals->set_roots(totals->roots() + end.roots());
  totals->set_values(totals->values() + end.values());
  totals->set_externals(totals->externals() + end.externals());
  totals->set_locations(totals->locations() + end.locations());
  totals->set_trace_functions(totals->trace_functions() +
                              end.trace_functions());
  totals->set_trace_nodes(totals->trace_nodes() + end.trace_nodes());
  totals->set_samples(totals->samples() + end.samples());
  totals->set_stack_frames(totals->stack_frames() + end.stack_frames());
  totals->set_threads(totals->threads() + end.threads());
  totals->set_self_size_total(
      AddSaturating(totals->self_size_total(), end.self_size_total()));
  totals->set_external_size_total(
      AddSaturating(totals->external_size_total(), end.external_size_total()));
  totals->set_edges_omitted(totals->edges_omitted() + end.edges_omitted());
  totals->set_edges_dangling(totals->edges_dangling() + end.edges_dangling());
  totals->set_edges_immediate(totals->edges_immediate() +
                              end.edges_immediate());
  totals->set_edges_synthesized(totals->edges_synthesized() +
                                end.edges_synthesized());
}

// ----------------------------------------------------------- renumbering

// Adds `base` to a column in which 0 means none: refs and strings.
void ShiftSet(std::uint64_t base, RepeatedField<std::uint64_t>* column) {
  if (base == 0) return;
  for (std::uint64_t& number : *column) {
    if (number != 0) number += base;
  }
}

// Adds `base` to a column in which 0 is an index like any other.
void ShiftAll(std::uint64_t base, int rows,
              RepeatedField<std::uint64_t>* column) {
  if (base == 0) return;
  if (column->empty()) column->Resize(rows, 0);
  for (std::uint64_t& number : *column) number += base;
}

// Turns chunks of one graph into chunks of the merged graph.
class Renumberer {
 public:
  explicit Renumberer(const MergePlan& plan)
      : plan_(plan), strings_(plan.names.size() - 1) {}

  // The chunks that follow are of this graph; `before` has the totals of those
  // before it. Both must live until the next call.
  void BeginGraph(const GraphMerge& merge, bool grouped,
                  const pb::GraphEnd& before) {
    merge_ = &merge;
    grouped_ = grouped;
    before_ = &before;
  }

  // False if the chunk is left out.
  bool Edit(pb::Chunk* chunk) const {
    switch (chunk->body_case()) {
      case Body::kStrings: {
        pb::Strings& strings = *chunk->mutable_strings();
        strings.set_first(strings.first() + strings_);
        break;
      }
      case Body::kTypes:
        EditTypes(chunk->mutable_types());
        break;
      case Body::kNodes:
        EditNodes(chunk->mutable_nodes());
        break;
      case Body::kEdges:
        EditEdges(chunk->mutable_edges());
        break;
      case Body::kValues:
        EditValues(chunk->mutable_values());
        break;
      case Body::kRoots:
        EditTable(Body::kRoots, before_->roots(), chunk->mutable_roots());
        EditKinds(pb::Vocabulary::ROOT_KIND, chunk->mutable_roots());
        break;
      case Body::kExternals:
        EditTable(Body::kExternals, before_->externals(),
                  chunk->mutable_externals());
        break;
      case Body::kLocations:
        EditTable(Body::kLocations, before_->locations(),
                  chunk->mutable_locations());
        break;
      case Body::kTraceFunctions:
        EditTable(Body::kTraceFunctions, before_->trace_functions(),
                  chunk->mutable_trace_functions());
        break;
      case Body::kTraceNodes:
        EditTraceNodes(chunk->mutable_trace_nodes());
        break;
      case Body::kSamples:
        EditTable(Body::kSamples, before_->samples(), chunk->mutable_samples());
        break;
      case Body::kStackFrames:
        EditTable(Body::kStackFrames, before_->stack_frames(),
                  chunk->mutable_stack_frames());
        break;
      case Body::kThreads:
        EditTable(Body::kThreads, before_->threads(), chunk->mutable_threads());
        break;
      case Body::kMetadata:
        break;
      default:
        return false;
    }
    return true;
  }

 private:
  // The number of rows of `space` before those of this graph.
  std::uint64_t Base(IndexSpace space) const {
    switch (space) {
      case IndexSpace::kStrings:
        return strings_;
      case IndexSpace::kTypes:
        return before_->types();
      case IndexSpace::kNodes:
        return before_->nodes();
      case IndexSpace::kEdges:
        return before_->edges();
      case IndexSpace::kRoots:
        return before_->roots();
      case IndexSpace::kTraceFunctions:
        return before_->trace_functions();
      case IndexSpace::kStackFrames:
        return before_->stack_frames();
      case IndexSpace::kThreads:
        return before_->threads();
      case IndexSpace::kHeapSpaces:
        return 0;  // words are not shifted: see EditNodes()
    }
    return 0;
  }

  // What tables have in common. There are `rows_before` rows before this
  // graph's.
  template <typename Table>
  void EditTable(Body body, std::uint64_t rows_before, Table* table) const {
    const auto rows = static_cast<int>(table->count());
    table->set_first(table->first() + rows_before);
    for (const IndexColumn& column : IndexColumnsOf(body)) {
      const std::uint64_t base = Base(column.space);
      if (column.is_ref || column.space == IndexSpace::kStrings) {
        ShiftSet(base, column.mutate(table));
      } else {
        ShiftAll(base, rows, column.mutate(table));
      }
    }
    if constexpr (requires { table->to_form(); }) {
      EditTargets(rows, table->to_form(), table->mutable_to());
    }
    if constexpr (requires { table->extra(); }) {
      EditExtra(table->mutable_extra());
    }
  }

  void EditExtra(
      google::protobuf::RepeatedPtrField<pb::ExtraColumn>* extra) const {
    for (pb::ExtraColumn& column : *extra) {
      ShiftSet(strings_, column.mutable_strings());
      ShiftSet(before_->nodes(), column.mutable_node_refs());
    }
  }

  void EditTargets(int rows, const RepeatedField<std::uint32_t>& forms,
                   RepeatedField<std::uint64_t>* to) const {
    if (before_->nodes() == 0) return;
    if (forms.empty()) return ShiftAll(before_->nodes(), rows, to);
    if (to->empty()) to->Resize(rows, 0);
    for (int i = 0; i < rows; ++i) {
      if (forms.Get(i) == pb::TO_NODE) to->at(i) += before_->nodes();
    }
  }

  template <typename Table>
  void EditKinds(pb::Vocabulary::Space space, Table* table) const {
    RepeatedField<std::uint32_t>& kinds = *table->mutable_kind();
    if (kinds.empty()) {
      // All of them have kind 0, which is the default.
      const std::uint32_t kind = plan_.NewKind(*merge_, space, 0);
      if (kind != 0) kinds.Resize(static_cast<int>(table->count()), kind);
      return;
    }
    for (std::uint32_t& kind : kinds) {
      kind = plan_.NewKind(*merge_, space, kind);
    }
  }

  void EditTypes(pb::Types* types) const {
    EditTable(Body::kTypes, before_->types(), types);
    EditExtra(types->mutable_field_extra());
    types->clear_id();
    for (std::uint64_t& nodes : *types->mutable_source_position()) {
      nodes += before_->nodes();
    }
  }

  void EditNodes(pb::Nodes* nodes) const {
    EditTable(Body::kNodes, before_->nodes(), nodes);
    EditKinds(pb::Vocabulary::NODE_KIND, nodes);
    nodes->clear_id();
    if (!plan_.graph.edges_grouped()) nodes->clear_edge_count();
    for (int i = 0; i < nodes->type_ref_size(); ++i) {
      const bool dangling =
          (At(nodes->flags(), i) & pb::NODE_TYPE_DANGLING) != 0;
      std::uint64_t& ref = nodes->mutable_type_ref()->at(i);
      if (ref != 0 && !dangling) ref += before_->types();
    }
    for (std::uint64_t& ref : *nodes->mutable_heap_space_ref()) {
      if (ref == 0) continue;
      ref = 1 + plan_.NewKind(*merge_, pb::Vocabulary::HEAP_SPACE,
                              static_cast<std::uint32_t>(ref - 1));
    }
    ShiftSet(merge_->trace_ids, nodes->mutable_trace_node());
    EditNumbers(nodes->value_form(), nodes->mutable_value());
  }

  // Renumbers values according to their forms.
  void EditNumbers(const RepeatedField<std::uint32_t>& forms,
                   RepeatedField<std::uint64_t>* values) const {
    for (int i = 0; i < forms.size(); ++i) {
      if (forms.Get(i) == pb::V_NODE) {
        if (values->empty()) values->Resize(forms.size(), 0);
        values->at(i) += before_->nodes();
      } else if (IsStringForm(forms.Get(i)) && At(*values, i) != 0) {
        values->at(i) += strings_;
      }
    }
  }

  void EditEdges(pb::Edges* edges) const {
    EditTable(Body::kEdges, before_->edges(), edges);
    EditKinds(pb::Vocabulary::EDGE_KIND, edges);
    for (int i = 0; i < edges->name_size(); ++i) {
      std::uint64_t& name = edges->mutable_name()->at(i);
      const std::uint32_t form = edges->name_form().empty()
                                     ? plan_.NameForm(At(edges->kind(), i))
                                     : edges->name_form(i);
      if (form == pb::NAME_STRING && name != 0) name += strings_;
    }
    if (!grouped_) {
      ShiftAll(before_->nodes(), static_cast<int>(edges->count()),
               edges->mutable_from());
      return;
    }
    if (!edges->edges_per_node().empty())
      edges->set_first_node(edges->first_node() + before_->nodes());
    if (!plan_.graph.edges_grouped()) Ungroup(edges);
  }

  // Another graph's edges are not grouped, so these need not be grouped,
  // either.
  static void Ungroup(pb::Edges* edges) {
    std::uint64_t node = edges->first_node();
    for (const std::uint32_t count : edges->edges_per_node()) {
      for (std::uint32_t i = 0; i < count; ++i) edges->add_from(node);
      ++node;
    }
    edges->clear_first_node();
    edges->clear_edges_per_node();
  }

  void EditValues(pb::Values* values) const {
    EditTable(Body::kValues, before_->values(), values);
    EditNumbers(values->form(), values->mutable_value());
    const auto shift = [&](IndexSpace space) {
      ShiftAll(Base(space), static_cast<int>(values->count()),
               values->mutable_owner());
    };
    switch (values->owner_space()) {
      case pb::Values::OF_NODE:
        return shift(IndexSpace::kNodes);
      case pb::Values::OF_EDGE:
        return shift(IndexSpace::kEdges);
      case pb::Values::OF_TYPE:
        return shift(IndexSpace::kTypes);
      case pb::Values::OF_ROOT:
        return shift(IndexSpace::kRoots);
      case pb::Values::OF_STRING:
        return ShiftSet(strings_, values->mutable_owner());
      default:
        return;  // the graph
    }
  }

  void EditTraceNodes(pb::TraceNodes* nodes) const {
    EditTable(Body::kTraceNodes, before_->trace_nodes(), nodes);
    for (std::int64_t& id : *nodes->mutable_id()) {
      if (id > 0) id += static_cast<std::int64_t>(merge_->trace_ids);
    }
  }

  const MergePlan& plan_;
  const std::uint64_t strings_;  // before those of upstream
  const GraphMerge* merge_ = nullptr;
  bool grouped_ = false;  // of this graph
  const pb::GraphEnd* before_ = nullptr;
};

// ---------------------------------------------------------------- output

class MergeSink : public ChunkSink {
 public:
  MergeSink(const MergePlan& plan, ChunkSet wanted, MergeLosses& losses,
            ChunkSink& out)
      : plan_(plan),
        wanted_(wanted),
        losses_(losses),
        out_(out),
        renumber_(plan) {}

  Status Accept(const pb::Chunk& chunk) override {
    switch (chunk.body_case()) {
      case Body::kHeader:
        return Pass(chunk);
      case Body::kGraph:
        return BeginGraph(chunk.graph());
      case Body::kGraphEnd:
        return EndGraph(chunk.graph_end());
      case Body::kFooter:
        return SendFooter(chunk);
      default:
        break;
    }
    if (graphs_ == 0 || !wanted_.Includes(chunk)) return {};
    losses_.Add(chunk);
    own_ = chunk;
    return renumber_.Edit(&own_) ? out_.Accept(own_) : Status();
  }

 private:
  Status Pass(const pb::Chunk& chunk) {
    return wanted_.Includes(chunk) ? out_.Accept(chunk) : Status();
  }

  Status BeginGraph(const pb::Graph& graph) {
    if (graphs_ == 0) HEAPGLOT_RETURN_IF_ERROR(SendStart());
    const GraphMerge& merge = plan_.graphs[graphs_++];
    root_ref_ = graph.root_ref();
    losses_.BeginGraph(graph, merge, plan_.graph);
    renumber_.BeginGraph(merge, graph.edges_grouped(), totals_);
    return {};
  }

  // Sends the graph and the vocabulary.
  Status SendStart() {
    *own_.mutable_graph() = plan_.graph;
    HEAPGLOT_RETURN_IF_ERROR(Pass(own_));
    if (wanted_.Has(Body::kStrings) || wanted_.HasUserOfNames()) {
      StringBuilder names(out_);
      names.BeginNames(true);
      for (std::size_t i = 1; i < plan_.names.size(); ++i) {
        const std::string& name = plan_.names[i];
        HEAPGLOT_RETURN_IF_ERROR(names.Add(name, ClassifyWtf8(name)));
      }
      HEAPGLOT_RETURN_IF_ERROR(names.Flush());
    }
    for (std::size_t space = 0; space < kVocabularies; ++space) {
      HEAPGLOT_RETURN_IF_ERROR(
          SendWords(static_cast<pb::Vocabulary::Space>(space)));
    }
    return {};
  }

  Status SendWords(pb::Vocabulary::Space space) {
    const std::vector<MergedWord>& words = plan_.words[space];
    for (std::size_t sent = 0; sent < words.size();) {
      const std::size_t end =
          std::min<std::size_t>(words.size(), sent + kChunkRows);
      own_.Clear();
      pb::Vocabulary& chunk = *own_.mutable_vocabulary();
      chunk.set_space(space);
      for (; sent < end; ++sent) {
        const MergedWord& word = words[sent];
        chunk.add_name(word.name);
        chunk.add_known(word.known);
        chunk.add_source_code(word.source_code);
        if (space != pb::Vocabulary::EDGE_KIND) continue;
        chunk.add_name_form(word.name_form);
        chunk.add_edge_flags(word.edge_flags);
      }
      HEAPGLOT_RETURN_IF_ERROR(Pass(own_));
    }
    return {};
  }

  Status EndGraph(const pb::GraphEnd& end) {
    pb::GraphEnd totals = end;
    if (root_ref_ != 0) {
      HEAPGLOT_RETURN_IF_ERROR(SendRoot(totals_.roots() + end.roots()));
      totals.set_roots(end.roots() + 1);
    }
    AddTotals(totals, &totals_);
    if (graphs_ != plan_.graphs.size()) return {};
    totals_.set_id_limit(totals_.nodes() + 1);
    *own_.mutable_graph_end() = totals_;
    return Pass(own_);
  }

  // Sends the node that stands for all roots of a graph.
  Status SendRoot(std::uint64_t first) {
    own_.Clear();
    pb::Roots& roots = *own_.mutable_roots();
    roots.set_first(first);
    roots.set_count(1);
    roots.add_to(totals_.nodes() + root_ref_ - 1);
    roots.add_kind(plan_.graphs[graphs_ - 1].root_kind);
    return Pass(own_);
  }

  Status SendFooter(const pb::Chunk& chunk) {
    own_ = chunk;
    pb::Footer& footer = *own_.mutable_footer();
    footer.set_graphs(1);
    footer.set_strings(footer.strings() + plan_.names.size() - 1);
    return Pass(own_);
  }

  const MergePlan& plan_;
  ChunkSet wanted_;
  MergeLosses& losses_;
  ChunkSink& out_;
  Renumberer renumber_;
  std::size_t graphs_ = 0;      // so far
  pb::GraphEnd totals_;         // of the graphs before this one
  std::uint64_t root_ref_ = 0;  // of this one
  pb::Chunk own_;
};

class GraphMerger : public Reader {
 public:
  GraphMerger(Reader& upstream, Context& context)
      : upstream_(upstream), context_(context) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (plan_.graphs.empty()) {
      HEAPGLOT_RETURN_IF_ERROR(PlanMerge(upstream_, &plan_));
    }
    if (plan_.graphs.size() <= 1) return upstream_.Read(wanted, out);
    losses_.BeginPass(wanted);
    MergeSink sink(plan_, wanted, losses_, out);
    HEAPGLOT_RETURN_IF_ERROR(
        upstream_.Read(wanted | ChunkSet{Body::kGraph, Body::kGraphEnd}, sink));
    losses_.EndPass(&context_.loss);
    return {};
  }

 private:
  Reader& upstream_;
  Context& context_;
  MergePlan plan_;
  MergeLosses losses_;
};

}  // namespace

std::unique_ptr<Reader> MakeGraphMerger(Reader& upstream, Context& context) {
  return std::make_unique<GraphMerger>(upstream, context);
}

}  // namespace heapglot
