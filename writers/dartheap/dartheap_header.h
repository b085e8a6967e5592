// What both writers share: the check of the graph, and the totals of the
// header.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_HEADER_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_HEADER_H_

#include <cstdint>

#include "heapglot/status.h"
#include "heapglot/stream.h"

namespace heapglot::dartheap {

// A file holds one graph, whose edges are grouped by node: the pipeline ensures
// that. Errors: kUnsupported if it did not.
inline Status CheckGraph(const pb::Graph& graph, std::uint64_t number) {
  if (number > 1) {
    return {Code::kUnsupported,
            "dartheap: the input has several heaps, a dartheap holds one"};
  }
  if (!graph.edges_grouped()) {
    return {Code::kUnsupported, "dartheap: edges are not grouped by node"};
  }
  return {};
}

// Totals as the source states them, else the actual ones; the capacity falls
// back to the self size.
inline std::uint64_t StatedSelfSize(const pb::Graph& graph,
                                    const pb::GraphEnd& totals) {
  return graph.has_self_size_total() ? graph.self_size_total()
                                     : totals.self_size_total();
}
inline std::uint64_t StatedCapacity(const pb::Graph& graph,
                                    const pb::GraphEnd& totals) {
  return graph.has_capacity() ? graph.capacity()
                              : StatedSelfSize(graph, totals);
}
inline std::uint64_t StatedExternalSize(const pb::Graph& graph,
                                        const pb::GraphEnd& totals) {
  return graph.has_external_size_total() ? graph.external_size_total()
                                         : totals.external_size_total();
}

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_HEADER_H_
