// One of two dumps that are compared: what is kept of it.
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

// By what the target of an edge is told.
enum class TargetKey {
  kPosition,   // where it stands among the nodes
  kId,         // the source's id
  kSignature,  // `signature`: what it looks like
};

// What was counted, without what a converter made (NODE_SYNTHESIZED,
// EDGE_SYNTHESIZED).
struct GraphTotals {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t roots = 0;  // at least 1 where a node stands for the roots
  std::uint64_t strings = 0;
  std::uint64_t classes = 0;
  std::uint64_t self_size = 0;      // bytes, saturating
  std::uint64_t external_size = 0;  // bytes, saturating
};

// Nodes are counted through all graphs of the dump.
//
// Memory, in scratch space: 36 bytes a node, 8 a string, 16 a value of an edge; 8
// bytes a node more once signatures are refined. Only what is reached at random counts as
// resident: 8 bytes a node while the targets of edges are looked up.
class ComparedDump {
 public:
  ComparedDump(Reader& reader, Side side, AspectSet aspects)
      : reader_(reader), side_(side), aspects_(aspects) {}

  // How much there is, and what things are called. Comes first.
  Status ReadWords();
  // Everything but edges and roots; counts the nodes in `classes`.
  Status ReadNodes(ClassRows& classes);
  // Sets `links` to what the edges of each node look like if their targets are
  // told by `key`. With kPosition the order of the edges of a node matters.
  Status ReadLinks(TargetKey key);
  // Sets `signature` to `own`, and to what it and the links make.
  Status BeginSignatures();
  void RefineSignatures();

  // For who goes over the nodes in order: nothing before `node` will be needed
  // soon.
  void Passed(std::uint64_t node) const;

  Reader& reader() { return reader_; }
  DumpWords& words() { return words_; }
  std::uint64_t nodes() const { return words_.nodes(); }
  // Whether the node counts. Others were made by a converter.
  bool Counts(std::uint64_t node) const {
    return !leaves_out_ || counted_.Has(node);
  }
  // Whether its value is a text, which stays as long as a node lives.
  bool HasText(std::uint64_t node) const { return texts_.Has(node); }
  const GraphTotals& totals() const { return totals_; }
  const AspectDigests& digests() const { return digests_; }
  // What a node, or an edge of a node, is by this aspect and those before it,
  // taken together: differs where the same things are put together otherwise.
  // Of edges not with kPosition.
  const AspectDigests& together() const { return together_; }
  // Of the values of edges, with the edges that they are of. Of the last pass over
  // these.
  std::uint64_t edge_values() const { return edge_values_digest_; }
  // Whether all nodes have ids that are not positions.
  bool has_ids() const { return has_ids_; }
  // The id of a node as the source has it.
  std::uint64_t SourceId(std::uint64_t node);

  // A node each.
  ScratchColumn<std::uint64_t> own;  // what it is, edges not counted
  ScratchColumn<std::uint64_t> links;
  ScratchColumn<std::uint64_t> signature;
  ScratchColumn<std::uint64_t> id;  // unique in the dump, if in the graph
  ScratchColumn<std::uint64_t> self_size;
  ScratchColumn<std::uint32_t> class_row;  // in ClassRows

 private:
  class NodeSink;
  class LinkSink;

  // A value of an edge, by the number of that in its graph.
  struct EdgeValue {
    std::uint64_t edge;
    std::uint64_t hash;
  };

  // What is added to ids of a graph, so that those of others are other ones.
  static std::uint64_t IdShift(std::size_t graph);

  Status CreateColumns();

  Reader& reader_;
  const Side side_;
  const AspectSet aspects_;
  DumpWords words_;
  RankBitmap counted_;
  RankBitmap texts_;
  bool leaves_out_ = false;
  bool has_node_values_ = false;  // Nodes.value that is a node
  bool has_ids_ = false;
  GraphTotals totals_;
  // In the order of edges, for the passes over these; where those of each graph
  // begin.
  SpilledRows<EdgeValue> edge_values_{std::size_t{1} << 20};
  std::vector<std::uint64_t> edge_values_begin_;
  std::uint64_t edge_values_digest_ = 0;
  // Of the last pass over nodes, and over edges.
  AspectDigests digests_{};
  AspectDigests together_{};
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_COMPARED_DUMP_H_
