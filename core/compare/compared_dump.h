// What is kept of a dump that is compared with another one.
#ifndef HEAPGLOT_CORE_COMPARE_COMPARED_DUMP_H_
#define HEAPGLOT_CORE_COMPARE_COMPARED_DUMP_H_

#include <cstdint>
#include <functional>

#include "core/bytes/spilled_rows.h"
#include "core/compare/aspects.h"
#include "core/compare/class_rows.h"
#include "core/compare/graph_words.h"
#include "core/compare/scratch_column.h"
#include "core/rank_bitmap.h"
#include "heapglot/stream.h"

namespace heapglot {

// How the target of an edge is identified.
enum class TargetKey {
  kPosition,   // its position among the nodes
  kId,         // the source's id
  kSignature,  // `signature`: what it looks like
};

// Totals, without what a converter made (NODE_SYNTHESIZED, EDGE_SYNTHESIZED).
struct GraphTotals {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t roots = 0;  // at least 1 if a node represents the roots
  std::uint64_t strings = 0;
  std::uint64_t classes = 0;
  std::uint64_t self_size = 0;      // bytes, saturating
  std::uint64_t external_size = 0;  // bytes, saturating
};

// Nodes are numbered through all graphs of the dump.
//
// Memory, in scratch space: 36 bytes a node, 8 a string, 16 a value of an edge;
// 8 more a node once signatures are refined. Only what is accessed at random
// counts as resident: 8 bytes a node while the targets of edges are looked up.
class ComparedDump {
 public:
  ComparedDump(Reader& reader, Side side, AspectSet aspects)
      : reader_(reader), side_(side), aspects_(aspects) {}

  // Reads how much there is, and what things are called. Call this first.
  Status ReadWords();
  // Reads everything but edges and roots; counts the nodes in `classes`.
  Status ReadNodes(ClassRows& classes);
  // Sets `links` to what the edges of each node look like if their targets are
  // identified by `key`. With kPosition, the order of the edges of a node
  // matters.
  Status ReadLinks(TargetKey key);
  // Set `signature` to `own`; or to what `own` and `links` make.
  Status BeginSignatures();
  void RefineSignatures();

  // For callers that go over the nodes in order: nothing before `node` will be
  // needed soon.
  void Passed(std::uint64_t node) const;

  Reader& reader() { return reader_; }
  DumpWords& words() { return words_; }
  std::uint64_t nodes() const { return words_.nodes(); }
  // Whether the node counts. Those that do not were made by a converter.
  bool Counts(std::uint64_t node) const {
    return !leaves_out_ || counted_.Has(node);
  }
  // Whether its value is a text, which does not change as long as a node lives.
  bool HasText(std::uint64_t node) const { return texts_.Has(node); }
  const GraphTotals& totals() const { return totals_; }
  const AspectDigests& digests() const { return digests_; }
  // What a node, or an edge of a node, is by this aspect and those before it,
  // taken together: this differs if the same parts are combined differently.
  // For edges, not with kPosition.
  const AspectDigests& together() const { return together_; }
  // Of the values of edges, together with their edges. From the last pass over
  // edges.
  std::uint64_t edge_values() const { return edge_values_digest_; }
  // Whether all nodes have ids that are not positions.
  bool has_ids() const { return has_ids_; }
  // The id of a node in the source.
  std::uint64_t SourceId(std::uint64_t node);

  // One entry for each node.
  ScratchColumn<std::uint64_t> own;  // what it is, without its edges
  ScratchColumn<std::uint64_t> links;
  ScratchColumn<std::uint64_t> signature;
  ScratchColumn<std::uint64_t> id;  // unique in the dump, if it is in the graph
  ScratchColumn<std::uint64_t> self_size;
  ScratchColumn<std::uint32_t> class_row;  // in ClassRows

 private:
  class NodeSink;
  class LinkSink;

  // A value of an edge, with the number of that edge in its graph.
  struct EdgeValue {
    std::uint64_t edge;
    std::uint64_t hash;
  };

  // Is added to the ids of a graph, so that they differ from those of other
  // graphs.
  static std::uint64_t IdShift(std::size_t graph);

  Status CreateColumns();

  Reader& reader_;
  const Side side_;
  const AspectSet aspects_;
  DumpWords words_;
  RankBitmap counted_;
  RankBitmap texts_;
  bool leaves_out_ = false;
  bool has_node_values_ = false;  // a Nodes.value is a node
  bool has_ids_ = false;
  GraphTotals totals_;
  // In the order of edges, for the passes over these; and where those of each
  // graph begin.
  SpilledRows<EdgeValue> edge_values_{std::size_t{1} << 20};
  std::vector<std::uint64_t> edge_values_begin_;
  std::uint64_t edge_values_digest_ = 0;
  // Of the last pass over nodes, and over edges.
  AspectDigests digests_{};
  AspectDigests together_{};
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_COMPARED_DUMP_H_
