// A format of its own: Graphviz, one line per object and one per reference.
#include <heapglot/column.h>
#include <heapglot/format.h>

namespace {
using namespace heapglot;

std::string Name(std::uint64_t node) { return "n" + std::to_string(node); }

class DotWriter : public Writer {
 public:
  explicit DotWriter(ByteSink& sink) : sink_(sink) {}

  ChunkSet Wanted(int pass) override {
    if (pass > 0) return {};
    return {pb::Chunk::kHeader, pb::Chunk::kNodes, pb::Chunk::kEdges};
  }
  Status Accept(const pb::Chunk& chunk) override {
    std::string text;
    if (chunk.has_header()) text = "digraph heap {\n";
    const pb::Nodes& nodes = chunk.nodes();
    const ColumnView size(nodes.self_size());
    for (int i = 0; i < static_cast<int>(nodes.count()); ++i) {
      text += Name(nodes.first() + i) + " [label=\"" + std::to_string(size[i]) +
              " bytes\"];\n";
    }
    const pb::Edges& edges = chunk.edges();
    const ColumnView to(edges.to());
    const ColumnView form(edges.to_form());
    for (int i = 0, next = 0; i < edges.edges_per_node_size(); ++i) {
      const std::string arrow = Name(edges.first_node() + i) + " -> ";
      const int end = next + static_cast<int>(edges.edges_per_node(i));
      for (; next < end; ++next) {
        if (form[next] == pb::TO_NODE) text += arrow + Name(to[next]) + ";\n";
      }
    }
    return sink_.Write(text);
  }
  Status Finish() override { return sink_.Write("}\n"); }

 private:
  ByteSink& sink_;
};

constexpr FidelityRow kRows[] = {
    {Feature::kNode, "dot.node", LossClass::kExact, "a node"},
    {Feature::kNodeSelfSize, "dot.node.self_size", LossClass::kEquivalent,
     "its label"},
    {Feature::kEdge, "dot.edge", LossClass::kExact, "an arrow"}};
}  // namespace

extern const WriterInfo kDotWriter = {
    .name = "dot",
    .title = "Graphviz",
    .extensions = "dot gv",
    .fidelity = kRows,
    .make = [](ByteSink& sink, const WriterOptions&,
               Context&) -> std::unique_ptr<Writer> {
      return std::make_unique<DotWriter>(sink);
    }};
