// Joins nodes and their edges into objects, on their way out.
#ifndef HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_OBJECTS_H_
#define HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/bytes/buffered_out.h"
#include "core/bytes/spill_buffer.h"
#include "heapglot/stream.h"

namespace heapglot::dartheap {

// Copies `size` bytes of a buffer, from `begin` on, to `out`.
void CopyTo(SpillBuffer& from, std::uint64_t begin, std::uint64_t size,
            BufferedOut& out);

// Joins Nodes with Edges. The Nodes chunk gives what precedes the references of
// an object; its class and references are known only with its Edges, which may
// come at any later time. So nodes wait in a queue.
//
// Memory: 2 MiB; a longer queue is in a temporary file.
class ObjectQueue {
 public:
  // Takes the nodes, one after the other.
  class Handler {
   public:
    virtual ~Handler() = default;
    // Edges [begin, end) of a chunk leave the front node.
    virtual void TakeEdges(const pb::Edges& edges, int begin, int end) = 0;
    // The front node has no more edges.
    virtual void FinishNode() = 0;
    // Both of these at once, for a node with exactly these edges. Called only
    // if `takes_whole`. Returns false, and does nothing, if this is not faster.
    virtual bool TakeWhole(const pb::Edges& edges, int begin, int end) {
      (void)edges, (void)begin, (void)end;
      return false;
    }
  };

  // `takes_whole`: whether the handler has TakeWhole().
  explicit ObjectQueue(Handler& handler, bool takes_whole = false)
      : handler_(handler), takes_whole_(takes_whole) {}

  // Adds the next node; what was written to body() since the last one belongs
  // to it. `tag` is the handler's, and so is `head`: an odd number for a node
  // that has no body, else 0.
  SpillBuffer& body() { return bodies_; }
  void Push(std::uint64_t tag, std::uint64_t edges, std::uint64_t head = 0);
  // The first node of this pass is number `node`.
  void Begin(std::uint64_t node) { front_node_ = node; }
  // Hands the edges of nodes in the queue to the handler.
  void AddEdges(const pb::Edges& edges);
  // Finishes nodes at the front that wait for no more edges.
  void Drain() {
    while (has_front_ && edges_left_ == 0) Finish();
  }
  // Finishes all.
  void End() {
    while (has_front_) Finish();
  }

  // Of the front node.
  std::uint64_t node() const { return front_node_; }
  std::uint64_t tag() const { return front_.tag; }
  std::uint64_t head() const { return front_.HasHead() ? front_.rest : 0; }
  void WriteBody(BufferedOut& out) {
    CopyTo(bodies_, body_begin_, front_.body_size(), out);
  }

  const Status& status() const {
    return bodies_.status().ok() ? entries_.status() : bodies_.status();
  }

 private:
  struct Entry {
    std::uint64_t tag;
    std::uint64_t edges;
    std::uint64_t rest;  // the head, or the size of the body doubled

    bool HasHead() const { return (rest & 1) != 0; }
    std::uint64_t body_size() const { return HasHead() ? 0 : rest / 2; }
  };
  void Finish() {
    handler_.FinishNode();
    Pop();
  }
  // The front node is finished.
  void Pop();
  // Reads the entry at the front, if there is one.
  void LoadFront();
  // Forgets what precedes the front.
  void Compact();

  Handler& handler_;
  const bool takes_whole_;
  SpillBuffer bodies_{std::size_t{1} << 20};
  SpillBuffer entries_{std::size_t{512} << 10};
  std::uint64_t pushed_ = 0;     // bytes of bodies_ that have an entry
  std::uint64_t front_row_ = 0;  // in entries_
  std::uint64_t front_node_ = 0;
  std::uint64_t body_begin_ = 0;  // in bodies_
  bool has_front_ = false;
  Entry front_ = {};
  std::uint64_t edges_left_ = 0;
  std::string moved_;  // Compact(): what is being moved
};

}  // namespace heapglot::dartheap

#endif  // HEAPGLOT_WRITERS_DARTHEAP_DARTHEAP_OBJECTS_H_
