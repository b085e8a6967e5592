#include "core/validate/graph_checks.h"

#include <memory>
#include <string>
#include <vector>

#include "core/saturating.h"
#include "core/transforms/group_edges.h"
#include "core/transforms/unreachable.h"
#include "core/validate/common_rules.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;

// What each graph says about itself, and what it has.
class Totals : public ChunkSink {
 public:
  static constexpr ChunkSet kWanted = {Body::kHeader, Body::kGraph,
                                       Body::kGraphEnd, Body::kFooter};
  struct Graph {
    pb::Graph stated;
    pb::GraphEnd real;  // its edges are those of the source
  };

  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_header()) dialect_ = chunk.header().dialect();
    if (chunk.has_graph()) graphs_.push_back({chunk.graph(), {}});
    if (chunk.has_graph_end()) {
      pb::GraphEnd& real = graphs_.back().real;
      real = chunk.graph_end();
      real.set_edges(real.edges() - real.edges_synthesized());
    }
    return {};
  }

  const std::string& dialect() const { return dialect_; }
  const std::vector<Graph>& graphs() const { return graphs_; }
  std::uint64_t nodes() const {
    std::uint64_t sum = 0;
    for (const Graph& graph : graphs_)
      sum = AddSaturating(sum, graph.real.nodes());
    return sum;
  }
  std::uint64_t edges() const {
    std::uint64_t sum = 0;
    for (const Graph& graph : graphs_)
      sum = AddSaturating(sum, graph.real.edges());
    return sum;
  }
  bool is_grouped() const {
    for (const Graph& graph : graphs_) {
      if (!graph.stated.edges_grouped()) return false;
    }
    return true;
  }

 private:
  std::string dialect_;
  std::vector<Graph> graphs_;
};

class GraphChecks {
 public:
  GraphChecks(Reader& reader, Context& context, Validation* validation)
      : reader_(reader), context_(context), validation_(*validation) {}

  Status Run();

 private:
  void CheckGraph(const Totals::Graph& graph);
  void CheckStated(const Rule& rule, const char* what, bool is_stated,
                   std::uint64_t stated, std::uint64_t real);
  Status CheckReachable();
  // Names the graph if there are several.
  std::string Name(const Totals::Graph& graph) const;

  Reader& reader_;
  Context& context_;
  Validation& validation_;
  Totals totals_;
  bool has_roots_ = false;
};

Status GraphChecks::Run() {
  HEAPGLOT_RETURN_IF_ERROR(reader_.Read(Totals::kWanted, totals_));
  validation_.dialect = totals_.dialect();
  validation_.nodes = totals_.nodes();
  validation_.edges = totals_.edges();
  for (const Totals::Graph& graph : totals_.graphs()) CheckGraph(graph);
  return has_roots_ ? CheckReachable() : Status();
}

std::string GraphChecks::Name(const Totals::Graph& graph) const {
  if (totals_.graphs().size() == 1) return {};
  return "graph '" + graph.stated.name().data() + "': ";
}

void GraphChecks::CheckGraph(const Totals::Graph& graph) {
  const std::string name = Name(graph);
  const pb::Graph& stated = graph.stated;
  const pb::GraphEnd& real = graph.real;
  if (real.nodes() == 0) {
    validation_.log.Add(CommonRule("heap.nodes.none"),
                        name + "there are no nodes", {});
  } else if (real.roots() == 0 && stated.root_ref() == 0) {
    validation_.log.Add(CommonRule("heap.roots.none"), name + "no roots", {});
  } else {
    has_roots_ = true;
  }
  if (real.edges_dangling() != 0) {
    validation_.log.Add(CommonRule("heap.edge.dangling"),
                        name + std::to_string(real.edges_dangling()) + " of " +
                            std::to_string(real.edges()) +
                            " edges lead to no node",
                        {});
  }
  CheckStated(CommonRule("heap.stated.nodes"), "the number of nodes",
              stated.has_node_count(), stated.node_count(), real.nodes());
  CheckStated(CommonRule("heap.stated.edges"), "the number of edges",
              stated.has_edge_count(), stated.edge_count(), real.edges());
  CheckStated(CommonRule("heap.stated.self_size"), "the size of all nodes",
              stated.has_self_size_total(), stated.self_size_total(),
              real.self_size_total());
  CheckStated(CommonRule("heap.stated.external_size"), "the external size",
              stated.has_external_size_total(), stated.external_size_total(),
              real.external_size_total());
}

void GraphChecks::CheckStated(const Rule& rule, const char* what,
                              bool is_stated, std::uint64_t stated,
                              std::uint64_t real) {
  if (!is_stated || stated == real) return;
  validation_.log.Add(rule,
                      std::string(what) + " is stated as " +
                          std::to_string(stated) + ", but is " +
                          std::to_string(real),
                      {});
}

// Drops what no root reaches, and counts what is left.
Status GraphChecks::CheckReachable() {
  Reader* stream = &reader_;
  std::unique_ptr<Reader> grouper;
  if (!totals_.is_grouped()) {
    grouper = MakeEdgeGrouper(*stream, context_);
    stream = grouper.get();
  }
  const std::unique_ptr<Reader> filter =
      MakeUnreachableFilter(*stream, Unreachable::kDrop, context_);
  Totals left;
  HEAPGLOT_RETURN_IF_ERROR(filter->Read(Totals::kWanted, left));
  const std::uint64_t dropped = totals_.nodes() - left.nodes();
  if (dropped == 0) return {};
  validation_.log.Add(CommonRule("heap.roots.unreachable"),
                      "no root reaches " + std::to_string(dropped) + " of " +
                          std::to_string(totals_.nodes()) +
                          (totals_.nodes() == 1 ? " node" : " nodes"),
                      {});
  return {};
}

}  // namespace

Status CheckGraphs(Reader& reader, Context& context, Validation* validation) {
  return GraphChecks(reader, context, validation).Run();
}

}  // namespace heapglot
