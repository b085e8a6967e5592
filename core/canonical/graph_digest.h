// Tells whether two dumps have the same graph, whatever their order and ids.
#ifndef HEAPGLOT_CORE_CANONICAL_GRAPH_DIGEST_H_
#define HEAPGLOT_CORE_CANONICAL_GRAPH_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/canonical/graph_links.h"
#include "core/canonical/graph_text.h"
#include "core/canonical/label_cache.h"
#include "core/ir/checksum.h"
#include "heapglot/stream.h"

namespace heapglot {

// What identifies a graph.
struct GraphIdentity {
  std::string digest;      // 32 bytes; empty: too large, 2^32 nodes or more
  std::uint64_t ties = 0;  // nodes that look like another one, so that
                           // they cannot be told apart
};

// Takes a canonical stream (canonical_reader.h). Each node gets a signature of
// 128 bits: of what it is, and then, kDepth times, of its signature and those
// of the nodes that it refers to. The sorted signatures, and the roots and
// external memory with the signatures of their nodes, are the canonical graph;
// the digest is its SHA-256. docs/canonical.md defines it byte by byte.
//
// Equal graphs have equal digests. Different graphs may have the same digest
// only if each node looks the same to a depth of kDepth references.
//
// Memory: 40 bytes a node, 8 a reference (16 if there are many labels), 16 a
// string; 4 more for a node that has edges without names, if edges are not
// grouped.
class GraphDigest : public ChunkSink {
 public:
  static constexpr int kDepth = 3;

  Status Accept(const pb::Chunk& chunk) override;

  // Call once, after the whole stream. Uses up to `threads` threads.
  GraphIdentity Finish(unsigned threads = 1);

 private:
  // Rows that are hashed together: few, so that they stay in the cache.
  static constexpr std::size_t kRows = 128;
  // Fewer are not worth a thread.
  static constexpr std::size_t kFewNodes = std::size_t{1} << 14;
  // How many signatures a thread makes at a time.
  static constexpr std::size_t kNodesInPart = 2048;
  struct EdgeColumns;
  struct EdgeRows;

  // A root, or external memory.
  struct Mark {
    Hash128 label;
    std::uint64_t node = 0;
    bool has_node = false;
  };

  void BeginGraph(const pb::Graph& graph);
  void AddNodes(const pb::Nodes& nodes);
  void HashNodes(const pb::Nodes& nodes, int first_row, std::size_t rows,
                 Hash128* hashes) const;
  void AddEdges(const pb::Edges& edges);
  // The position of the next edge without a name among those of `node`.
  std::uint32_t NextUnnamed(std::uint64_t node);
  // Takes edges `begin` to `end`, except those that a converter made up.
  void FillEdges(const EdgeColumns& columns, std::size_t begin, std::size_t end,
                 EdgeRows* rows);
  void HashLabels(EdgeRows* rows);
  void AddValues(const pb::Values& values);
  void AddRoots(const pb::Roots& roots);
  void AddExternals(const pb::Externals& externals);
  void AddMark(const Hash128& label, std::uint32_t form, std::uint64_t to,
               std::vector<Mark>* marks) const;
  // Adds to what a node is. `node` is its index through all graphs.
  void AddTo(std::uint64_t node, const Hash128& hash);
  bool IsLeftOut(std::uint64_t node) const {
    return node < left_out_.size() && left_out_[node];
  }
  // Drops links to nodes that are not there, or were made by a converter.
  void DropEmptyLinks();
  // Writes all of `refined`. `in_order`: whether the links are.
  void Refine(std::span<const Hash128> signatures, bool in_order,
              unsigned threads, Hash128* refined) const;
  Hash128 Sum(const std::vector<Mark>& marks,
              std::span<const Hash128> signatures) const;

  GraphText text_;
  LabelCache labels_;             // of edges
  std::uint64_t first_node_ = 0;  // of this graph
  bool is_grouped_ = false;
  std::vector<std::uint64_t> sources_;     // of the edges of the current chunk
  std::uint64_t source_ = 0;               // of the last edge
  std::uint64_t unnamed_ = 0;              // edges of source_ so far
  std::vector<std::uint32_t> unnamed_of_;  // by node, if edges are not grouped
  std::uint64_t edges_ = 0;

  // Through all graphs.
  std::vector<Hash128> signatures_;
  std::vector<bool> left_out_;  // made by a converter
  GraphLinks links_;
  std::vector<Mark> roots_;
  std::vector<Mark> externals_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_CANONICAL_GRAPH_DIGEST_H_
