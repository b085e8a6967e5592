#include "readers/heapsnapshot/heapsnapshot_validate_last.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes/trail.h"
#include "core/rank_bitmap.h"
#include "core/transforms/reference_graph.h"
#include "readers/heapsnapshot/heapsnapshot_rules.h"
#include "readers/heapsnapshot/heapsnapshot_walk.h"

namespace heapglot::heapsnapshot {
namespace {

// Reads a table row by row.
class RowCursor {
 public:
  RowCursor(const ByteSource& source, const Span& array, std::size_t width)
      : in_(source.bytes(), array),
        trail_(source, array.begin),
        width_(width),
        most_(std::max<std::size_t>(kBlockNumbers / width, 1) * width) {}

  // The numbers of the next row; nullptr at the end.
  const std::uint64_t* Next() {
    if (at_ + width_ > in_.block().size()) {
      trail_.Advance(in_.offset());
      in_.Read(most_);
      at_ = 0;
      if (in_.block().size() < width_) return nullptr;
    }
    at_ += width_;
    return &in_.block()[at_ - width_];
  }
  std::uint64_t offset() const { return in_.offset(); }

 private:
  DigitRuns in_;
  Trail trail_;
  std::size_t width_;
  std::size_t most_;
  std::size_t at_ = 0;
};

// Does what the parser does until it knows dominators.
class LastNodeChecker {
 public:
  LastNodeChecker(const ByteSource& source, Context& context,
                  const Tables& tables);

  // Whether there is a node that the root reaches only through the last one.
  Result<bool> Dominates();

 private:
  enum class Kind : std::uint8_t { kStrong, kWeak, kShortcut };
  struct Edge {
    Kind kind = Kind::kWeak;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
  };

  // Whether the parser takes it for a reference that keeps something alive.
  static bool Holds(const Edge& edge) {
    return edge.kind == Kind::kStrong ||
           (edge.kind == Kind::kShortcut && edge.from == 0);
  }
  // What windows hold is the page's: other references to it do not count.
  bool IsFromOutside(const Edge& edge) const {
    return pages_ && edge.from != 0 && pages_->Has(edge.to) &&
           !pages_->Has(edge.from);
  }

  Edge NextEdge(RowCursor& edges, std::uint64_t from) const;
  // Calls visit(node, number of edges, edges), which reads all of them.
  template <typename Visit>
  Status ForEachNode(Visit visit);
  // Adds the edges for which use() is true to `graph`.
  template <typename Use>
  Status Fill(ReferenceGraph* graph, Use use);
  Status FindPages();
  Status LookAtEdges();

  const ByteSource& source_;
  Context& context_;
  const Tables& tables_;
  const std::size_t edge_count_;  // columns
  const std::size_t type_;
  const std::size_t to_;
  const std::uint64_t nodes_;
  const std::uint64_t last_;
  std::vector<Kind> kinds_;
  std::optional<RankBitmap> pages_;  // if there are windows
  RankBitmap held_;                  // what something holds
  RankBitmap targets_;               // what the last node holds
};

LastNodeChecker::LastNodeChecker(const ByteSource& source, Context& context,
                                 const Tables& tables)
    : source_(source),
      context_(context),
      tables_(tables),
      edge_count_(*FindField(tables.meta.node_fields, kEdgeCount)),
      type_(*FindField(tables.meta.edge_fields, kType)),
      to_(*FindField(tables.meta.edge_fields, kToNode)),
      nodes_(tables.node_count),
      last_(tables.node_count - 1),
      held_(nodes_),
      targets_(nodes_) {
  for (const std::string& name : tables.meta.edge_types) {
    kinds_.push_back(name == "weak"       ? Kind::kWeak
                     : name == "shortcut" ? Kind::kShortcut
                                          : Kind::kStrong);
  }
}

LastNodeChecker::Edge LastNodeChecker::NextEdge(RowCursor& edges,
                                                std::uint64_t from) const {
  const std::uint64_t* const row = edges.Next();
  if (row == nullptr || row[type_] >= kinds_.size()) return {};
  const std::uint64_t to = row[to_] / tables_.meta.node_fields.size();
  if (to >= nodes_) return {};
  return {kinds_[static_cast<std::size_t>(row[type_])], from, to};
}

template <typename Visit>
Status LastNodeChecker::ForEachNode(Visit visit) {
  RowCursor nodes(source_, tables_.nodes, tables_.meta.node_fields.size());
  RowCursor edges(source_, tables_.edges, tables_.meta.edge_fields.size());
  for (std::uint64_t node = 0; node < nodes_; ++node) {
    const std::uint64_t* const row = nodes.Next();
    if (row == nullptr) break;
    visit(node, static_cast<std::uint32_t>(row[edge_count_]), edges);
    if (node % kBlockNumbers != 0) continue;
    HEAPGLOT_RETURN_IF_ERROR(
        context_.Proceed("checking", edges.offset(), source_.bytes().size()));
  }
  return {};
}

template <typename Use>
Status LastNodeChecker::Fill(ReferenceGraph* graph, Use use) {
  HEAPGLOT_RETURN_IF_ERROR(ForEachNode(
      [&](std::uint64_t node, const std::uint32_t count, RowCursor& edges) {
        graph->AddNodes(
            node, {&count, 1},
            [&](std::uint64_t, std::size_t rows, std::uint32_t* refs) {
              for (std::size_t i = 0; i < rows; ++i) {
                const Edge edge = NextEdge(edges, node);
                refs[i] =
                    use(edge) ? static_cast<std::uint32_t>(edge.to + 1) : 0;
              }
            });
      }));
  return graph->Finish(nodes_);
}

Status LastNodeChecker::FindPages() {
  RowCursor nodes(source_, tables_.nodes, tables_.meta.node_fields.size());
  RowCursor edges(source_, tables_.edges, tables_.meta.edge_fields.size());
  const std::uint64_t* const root = nodes.Next();
  std::optional<ReferenceGraph> graph;
  for (std::uint64_t left = root[edge_count_]; left > 0; --left) {
    const Edge edge = NextEdge(edges, 0);
    if (edge.kind != Kind::kShortcut) continue;
    if (!graph) graph.emplace();
    graph->AddRoot(edge.to);
  }
  if (!graph) return {};
  HEAPGLOT_RETURN_IF_ERROR(
      Fill(&*graph, [](const Edge& edge) { return edge.kind != Kind::kWeak; }));
  pages_ = graph->Reached();
  return graph->status();
}

Status LastNodeChecker::LookAtEdges() {
  return ForEachNode(
      [&](std::uint64_t node, std::uint32_t count, RowCursor& edges) {
        for (; count > 0; --count) {
          const Edge edge = NextEdge(edges, node);
          if (!Holds(edge)) continue;
          held_.Add(edge.to);
          if (node == last_ && !IsFromOutside(edge)) targets_.Add(edge.to);
        }
      });
}

Result<bool> LastNodeChecker::Dominates() {
  HEAPGLOT_RETURN_IF_ERROR(FindPages());
  HEAPGLOT_RETURN_IF_ERROR(LookAtEdges());
  ReferenceGraph graph;
  graph.SetTop(0);
  HEAPGLOT_RETURN_IF_ERROR(Fill(&graph, [this](const Edge& edge) {
    if (Holds(edge)) return edge.from != last_ && !IsFromOutside(edge);
    // What nothing holds is the root's once the parser comes across it.
    return edge.from != 0 && !held_.Has(edge.to);
  }));
  const RankBitmap reached = graph.Reached();
  HEAPGLOT_RETURN_IF_ERROR(graph.status());
  if (!reached.Has(last_)) return false;
  // If it dominates any node, then also one of those that it refers to.
  for (std::uint64_t word = 0; word < targets_.words(); ++word) {
    if ((targets_.word(word) & ~reached.word(word)) != 0) return true;
  }
  return false;
}

}  // namespace

Status CheckLastNode(const ByteSource& source, Context& context,
                     const Tables& tables, FindingLog& log) {
  const std::uint64_t last = tables.node_count - 1;
  const Where where = Where::Byte(tables.nodes.end);
  if (!tables.last_is_referred) {
    log.Add(RuleFor("node.last_unreferenced"),
            "no edge leads to node " + std::to_string(last) + ", the last one",
            where, last);
    return {};
  }
  // More than the parser, which has 32 bits, has room for.
  if (tables.node_count >= ReferenceGraph::kMaxNodes ||
      tables.edge_count > kMax32)
    return {};
  if (tables.last_edges == 0) return {};
  const Result<bool> dominates =
      LastNodeChecker(source, context, tables).Dominates();
  if (!dominates.ok()) return dominates.status();
  if (*dominates) {
    log.Add(RuleFor("node.last_dominates"),
            "the root reaches some nodes only through node " +
                std::to_string(last) + ", the last one",
            where, last);
  }
  return {};
}

}  // namespace heapglot::heapsnapshot
