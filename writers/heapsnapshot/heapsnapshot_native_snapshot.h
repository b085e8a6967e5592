// The snapshot object of a .heapsnapshot file that returns to its own format.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SNAPSHOT_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SNAPSHOT_H_

#include <string>
#include <string_view>
#include <vector>

#include "heapglot/status.h"
#include "heapglot/stream.h"

namespace heapglot::heapsnapshot {

// `kept`, the object as the reader found it. Where `graph` does not state a
// count that `kept` has, what made the stream does not stand for it any more:
// the true one of `totals` takes its place. So does the root.
// Errors: kMalformed if it is no object, or does not describe the tables as
// `graph` does: it would make a file that says something else.
Status EditSnapshotObject(std::string_view kept, const pb::Graph& graph,
                          const pb::GraphEnd& totals, std::string* out);

// An object for a stream that has none: with the fields that `graph` has, and
// these types of nodes and edges.
std::string MakeSnapshotObject(const pb::Graph& graph,
                               const pb::GraphEnd& totals,
                               const std::vector<std::string>& node_types,
                               const std::vector<std::string>& edge_types);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SNAPSHOT_H_
