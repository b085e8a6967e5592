// The pass over the edges, roots and external memory of a dump that is
// compared.
#ifndef HEAPGLOT_CORE_COMPARE_LINK_SINK_H_
#define HEAPGLOT_CORE_COMPARE_LINK_SINK_H_

#include <cstdint>

#include "core/compare/compared_dump.h"

namespace heapglot {

class ComparedDump::LinkSink : public ChunkSink {
 public:
  LinkSink(ComparedDump& dump, TargetKey key)
      : dump_(dump),
        key_(key),
        compares_edges_(dump.aspects_.Has(Aspect::kEdges) ||
                        dump.aspects_.Has(Aspect::kEdgeKinds) ||
                        dump.aspects_.Has(Aspect::kEdgeNames)) {}

  ChunkSet Wanted() const;
  Status Accept(const pb::Chunk& chunk) override;

 private:
  const GraphWords& graph() const { return dump_.words_.graphs()[graph_]; }
  void BeginGraph();
  void AddEdges(const pb::Edges& edges);
  void AddEdge(const pb::Edges& edges, int row, std::uint64_t from);
  std::uint64_t NameHash(const pb::Edges& edges, int row,
                         const GraphWords::EdgeKind& kind) const;
  // The values of the edge with this number, which must not be less than the
  // one before.
  std::uint64_t TakeEdgeValues(std::uint64_t edge);
  void AddRoots(const pb::Roots& roots);
  void AddExternals(const pb::Externals& externals);
  void AddNodeValues(const pb::Nodes& nodes);
  void AddValues(const pb::Values& values);
  void AddLink(std::uint64_t from, std::uint64_t hash);
  // Whether the target is a node that a converter made.
  bool IsLeftOut(std::uint32_t form, std::uint64_t to) const;
  std::uint64_t NodeKey(std::uint64_t node) const;
  std::uint64_t Key(std::uint32_t form, std::uint64_t to) const;
  std::uint64_t Part(Aspect aspect, std::uint64_t hash);

  ComparedDump& dump_;
  const TargetKey key_;
  const bool compares_edges_;
  std::size_t graph_ = static_cast<std::size_t>(-1);  // before the first
  std::uint64_t next_edge_value_ = 0;
  std::uint64_t end_edge_value_ = 0;  // of the graph
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_LINK_SINK_H_
