// The snapshot object of a .heapsnapshot file that returns to its own format.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SNAPSHOT_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SNAPSHOT_H_

#include <string>
#include <string_view>
#include <vector>

#include "heapglot/status.h"
#include "heapglot/stream.h"

namespace heapglot::heapsnapshot {

// Copies `kept`, the object as the reader found it, to `*out`. Its counts
// become those that `graph` states. If `graph` does not state one, whatever
// made the stream does not vouch for it any more, and the actual one of
// `totals` takes its place. The root becomes that of `graph`.
// Errors: kMalformed if `kept` is not an object, or does not describe the
// tables as `graph` does: the file would mean something else.
Status EditSnapshotObject(std::string_view kept, const pb::Graph& graph,
                          const pb::GraphEnd& totals, std::string* out);

// Makes an object for a stream that has none, with the fields of `graph` and
// these types of nodes and edges.
std::string MakeSnapshotObject(const pb::Graph& graph,
                               const pb::GraphEnd& totals,
                               const std::vector<std::string>& node_types,
                               const std::vector<std::string>& edge_types);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_SNAPSHOT_H_
