#include "core/compare/compared_dump.h"

#include <algorithm>

#include "core/compare/link_sink.h"
#include "core/compare/mix.h"
#include "core/compare/node_sink.h"

namespace heapglot {

Status ComparedDump::CreateColumns() {
  const std::uint64_t rows = nodes();
  HEAPGLOT_RETURN_IF_ERROR(own.Create(rows));
  HEAPGLOT_RETURN_IF_ERROR(links.Create(rows));
  HEAPGLOT_RETURN_IF_ERROR(id.Create(rows));
  HEAPGLOT_RETURN_IF_ERROR(self_size.Create(rows));
  HEAPGLOT_RETURN_IF_ERROR(class_row.Create(rows));
  counted_ = RankBitmap(rows);
  texts_ = RankBitmap(rows);
  return {};
}

std::uint64_t ComparedDump::IdShift(std::size_t graph) {
  return graph == 0 ? 0 : Mix(graph);
}

std::uint64_t ComparedDump::SourceId(std::uint64_t node) {
  const std::vector<GraphWords>& graphs = words_.graphs();
  const auto next =
      std::upper_bound(graphs.begin(), graphs.end(), node,
                       [](std::uint64_t of, const GraphWords& graph) {
                         return of < graph.first_node;
                       });
  return id[node] -
         IdShift(static_cast<std::size_t>(next - graphs.begin()) - 1);
}

Status ComparedDump::ReadWords() {
  HEAPGLOT_RETURN_IF_ERROR(words_.Read(reader_));
  totals_.strings = words_.strings();
  bool some_have = false;
  bool all_have = true;
  for (const GraphWords& graph : words_.graphs()) {
    totals_.classes += graph.end.types();
    const bool has_own = graph.stated.id_space() != pb::Graph::IMPLICIT;
    some_have |= has_own;
    all_have &= has_own || graph.end.nodes() == 0;
  }
  has_ids_ = some_have && all_have;
  return {};
}

Status ComparedDump::ReadNodes(ClassRows& classes) {
  HEAPGLOT_RETURN_IF_ERROR(CreateColumns());
  NodeSink sink(*this, classes);
  HEAPGLOT_RETURN_IF_ERROR(reader_.Read(NodeSink::kWanted, sink));
  counted_.BuildRanks();
  own.Rest();
  id.Rest();
  self_size.Rest();
  class_row.Rest();
  return {};
}

Status ComparedDump::ReadLinks(TargetKey key) {
  std::ranges::fill(links.rows(), 0);
  links.Rest();
  for (const Aspect aspect :
       {Aspect::kEdges, Aspect::kEdgeKinds, Aspect::kEdgeNames, Aspect::kRoots,
        Aspect::kExternals}) {
    digests_[static_cast<std::size_t>(aspect)] = 0;
    together_[static_cast<std::size_t>(aspect)] = 0;
  }
  edge_values_digest_ = 0;
  totals_.edges = 0;
  totals_.roots = 0;
  totals_.external_size = 0;
  LinkSink sink(*this, key);
  HEAPGLOT_RETURN_IF_ERROR(reader_.Read(sink.Wanted(), sink));
  links.Rest();
  return {};
}

Status ComparedDump::BeginSignatures() {
  HEAPGLOT_RETURN_IF_ERROR(signature.Create(nodes()));
  std::ranges::copy(own.rows(), signature.rows().begin());
  own.Rest();
  return {};
}

void ComparedDump::Passed(std::uint64_t node) const {
  own.Passed(node);
  links.Passed(node);
  id.Passed(node);
  self_size.Passed(node);
  class_row.Passed(node);
}

void ComparedDump::RefineSignatures() {
  for (std::uint64_t node = 0; node < nodes(); ++node) {
    signature[node] = Mix(own[node], links[node]);
    own.Passed(node);
    links.Passed(node);
  }
}

}  // namespace heapglot
