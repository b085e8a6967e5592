#include "writers/dartheap/dartheap_objects.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace heapglot::dartheap {
namespace {

// After this many entries before the front are done, what waits is moved to the
// start, unless its bodies take more than kMaxCompactBytes.
constexpr std::uint64_t kCompactRows = 8192;
constexpr std::uint64_t kMaxCompactBytes = std::uint64_t{256} << 10;

}  // namespace

void CopyTo(SpillBuffer& from, std::uint64_t begin, std::uint64_t size,
            BufferedOut& out) {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
  while (size > 0) {
    const std::uint64_t piece = std::min(size, kPiece);
    out.Write(from.View(begin, piece));
    begin += piece;
    size -= piece;
  }
}

void ObjectQueue::Push(std::uint64_t tag, std::uint64_t edges,
                       std::uint64_t head) {
  if (front_row_ >= kCompactRows) Compact();
  const Entry entry = {tag, edges,
                       head != 0 ? head : 2 * (bodies_.size() - pushed_)};
  pushed_ = bodies_.size();
  char* const at = entries_.Reserve(sizeof entry);
  std::memcpy(at, &entry, sizeof entry);
  entries_.Commit(at + sizeof entry);
  if (!has_front_) LoadFront();
}

void ObjectQueue::Compact() {
  const auto drop = [this](SpillBuffer& buffer, std::uint64_t begin) {
    const std::uint64_t left = buffer.size() - begin;
    moved_.assign(buffer.View(begin, left));
    buffer.Clear();
    buffer.Write(moved_);
  };
  const std::uint64_t left = bodies_.size() - body_begin_;
  // A long queue must not be copied again and again.
  if (left > kMaxCompactBytes ||
      entries_.size() > 2 * front_row_ * sizeof(Entry))
    return;
  drop(bodies_, body_begin_);
  drop(entries_, front_row_ * sizeof(Entry));
  pushed_ -= body_begin_;
  body_begin_ = 0;
  front_row_ = 0;
}

void ObjectQueue::LoadFront() {
  has_front_ = front_row_ * sizeof front_ < entries_.size();
  if (!has_front_) {
    // Nothing waits: reuse the memory from its start.
    bodies_.Clear();
    entries_.Clear();
    pushed_ = 0;
    front_row_ = 0;
    body_begin_ = 0;
    return;
  }
  const std::string_view bytes =
      entries_.View(front_row_ * sizeof front_, sizeof front_);
  front_ = {};
  if (bytes.size() == sizeof front_)  // otherwise the file has failed
    std::memcpy(&front_, bytes.data(), sizeof front_);
  edges_left_ = front_.edges;
}

void ObjectQueue::Pop() {
  body_begin_ += front_.body_size();
  ++front_row_;
  ++front_node_;
  LoadFront();
}

void ObjectQueue::AddEdges(const pb::Edges& edges) {
  std::uint64_t node = edges.first_node();
  int begin = 0;
  for (const std::uint32_t count : edges.edges_per_node()) {
    const int end = begin + static_cast<int>(count);
    if (count > 0 && node >= front_node_) {
      while (has_front_ && front_node_ < node) Finish();
      if (!has_front_) return;
      const bool are_all =
          takes_whole_ && count == edges_left_ && count == front_.edges;
      if (are_all && handler_.TakeWhole(edges, begin, end)) {
        Pop();
      } else {
        handler_.TakeEdges(edges, begin, end);
        edges_left_ -= std::min<std::uint64_t>(edges_left_, count);
      }
      Drain();
    }
    begin = end;
    ++node;
  }
}

}  // namespace heapglot::dartheap
