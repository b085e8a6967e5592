// Merges small chunks into large ones, which compress better.
#ifndef HEAPGLOT_WRITERS_HEAPIR_HEAPIR_COALESCER_H_
#define HEAPGLOT_WRITERS_HEAPIR_HEAPIR_COALESCER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/ir/row_buffer.h"
#include "heapglot/stream.h"

namespace heapglot::heapir {

// Strings that wait to be sent.
class StringBuffer {
 public:
  bool empty() const { return rows_ == 0; }
  // Whether there is room for `strings`, and they may share a chunk with those
  // that are here.
  bool Fits(const pb::Strings& strings) const;
  void Append(const pb::Strings& strings);

  const pb::Strings& strings() const { return chunk_.strings(); }
  const pb::Chunk& chunk() const { return chunk_; }
  void Clear();

 private:
  std::size_t rows_ = 0;
  pb::Chunk chunk_;
};

// Edges that wait to be sent.
class EdgeBuffer {
 public:
  EdgeBuffer();

  bool empty() const { return rows_.empty() && nodes() == 0; }
  bool is_full() const;
  bool Fits(const pb::Edges& edges) const;

  // What is left of a chunk of edges.
  struct Rest {
    int node = 0;             // in edges_per_node
    std::uint64_t row = 0;    // the next one
    std::uint64_t taken = 0;  // edges of `node` before it
  };
  // Takes what fits until this is full; false if nothing is left.
  bool Append(const pb::Edges& edges, Rest* rest);

  const pb::Chunk& chunk() const { return rows_.chunk(); }
  void Clear() { rows_.Clear(); }

 private:
  int nodes() const { return rows_.chunk().edges().edges_per_node_size(); }
  std::uint64_t next_node() const {
    return rows_.chunk().edges().first_node() +
           static_cast<std::uint64_t>(nodes());
  }
  // Adds edges_per_node for the edges that fit; returns how many edges those
  // are.
  std::uint64_t AppendCounts(const pb::Edges& edges, Rest* rest);
  std::uint64_t AppendAllCounts(const pb::Edges& edges, Rest* rest);
  bool AppendCount(std::uint64_t node, std::uint64_t count);

  RowBuffer rows_;
};

// Passes a stream on in as few chunks as possible, within some MiB of memory.
// Its own output passes through it unchanged, so that a copy of a file is the
// same file.
//
// Strings, nodes and edges go together: the names of nodes must come between
// the previous nodes and their own, and edges after their nodes. Each other
// table of many rows is gathered on its own, up to the end of its graph or a
// RecordOrder. Before anything else is sent, the waiting nodes are. So what
// forced them out is always what comes next, and forces them out in a copy,
// too.
class Coalescer : public ChunkSink {
 public:
  // `out` must outlive this.
  explicit Coalescer(ChunkSink& out);

  Status Accept(const pb::Chunk& chunk) override;

 private:
  static constexpr std::size_t kKinds = 24;

  Status AddStrings(const pb::Strings& strings);
  Status AddNodes(const pb::Nodes& nodes);
  Status AddEdges(const pb::Chunk& chunk);
  Status AddRows(const pb::Chunk& chunk, RowBuffer& rows);
  // Sends the nodes with their strings and edges; strings that came after the
  // nodes wait for the next nodes.
  Status FlushNodes();
  // Sends those strings, too.
  Status FlushStrings();
  Status FlushRows(RowBuffer& rows);
  Status FlushAll();

  ChunkSink& out_;
  // Strings from before and after the last of the nodes.
  std::unique_ptr<StringBuffer> strings_ = std::make_unique<StringBuffer>();
  std::unique_ptr<StringBuffer> later_strings_ =
      std::make_unique<StringBuffer>();
  RowBuffer nodes_;
  EdgeBuffer edges_;
  // By kind; nullptr: a kind whose chunks are sent as they come.
  std::array<std::unique_ptr<RowBuffer>, kKinds> tables_;
};

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_WRITERS_HEAPIR_HEAPIR_COALESCER_H_
