#include "core/compare/id_match.h"

#include <algorithm>

namespace heapglot {
namespace {

// The larger difference first; otherwise in an order that depends only on the
// nodes.
bool ComesFirst(const NodeDifference& x, const NodeDifference& y) {
  if (x.size_distance() != y.size_distance()) {
    return x.size_distance() > y.size_distance();
  }
  return x.what != y.what ? x.what < y.what : x.id < y.id;
}

std::uint64_t& Counter(NodeChanges& changes, NodeDifference::What what) {
  switch (what) {
    case NodeDifference::What::kAdded:
      return changes.added;
    case NodeDifference::What::kRemoved:
      return changes.removed;
    case NodeDifference::What::kGrown:
      return changes.grown;
    case NodeDifference::What::kShrunk:
      return changes.shrunk;
    case NodeDifference::What::kChanged:
      break;
  }
  return changes.changed;
}

}  // namespace

bool IdMatch::HasComparableIds() const {
  const std::vector<GraphWords>& of_a = a_.words().graphs();
  const std::vector<GraphWords>& of_b = b_.words().graphs();
  if (a_.nodes() > IdMap::kMaxIds) return false;
  return a_.has_ids() && b_.has_ids() &&
         std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [](const GraphWords& x, const GraphWords& y) {
                      return x.stated.id_space() == y.stated.id_space();
                    });
}

bool IdMatch::HasSameIds() const {
  if (a_.nodes() != b_.nodes()) return false;
  for (std::uint64_t node = 0; node < a_.nodes(); ++node) {
    if (a_.id[node] != b_.id[node]) return false;
    a_.id.Passed(node);
    b_.id.Passed(node);
  }
  return true;
}

void IdMatch::BuildIds() {
  if (has_ids_) return;
  for (std::uint64_t node = 0; node < a_.nodes(); ++node) {
    ids_.Add(a_.id[node]);
    a_.id.Passed(node);
  }
  ids_.Finish();
  has_ids_ = true;
}

bool IdMatch::IsOneProcess() {
  BuildIds();
  std::uint64_t common = 0;
  std::uint64_t agree = 0;
  std::uint64_t texts = 0;
  std::uint64_t same_texts = 0;
  for (std::uint64_t node = 0; node < b_.nodes(); ++node) {
    b_.Passed(node);
    const std::uint64_t other = ids_.Find(b_.id[node]);
    // Usually both go forward.
    if (other != kNone) a_.Passed(other);
    if (other == kNone || !b_.Counts(node) || !a_.Counts(other)) continue;
    ++common;
    agree += a_.class_row[other] == b_.class_row[node] ? 1 : 0;
    if (!a_.HasText(other) || !b_.HasText(node)) continue;
    ++texts;
    same_texts += a_.own[other] == b_.own[node] ? 1 : 0;
  }
  // Bun renumbers everything in each snapshot, except the root and "(GC
  // roots)". These two agree, and say nothing about the others; and where many
  // ids are common by chance, their classes do not agree. So a tenth is enough:
  // it only has to tell a handful of nodes from what a process keeps as long as
  // it lives, its code and built-in objects. A heap that grows or shrinks,
  // however much, has more in common. V8 numbers its initial objects the same
  // way in each process, so their classes agree; but not all of the texts do.
  const std::uint64_t smaller = std::min(a_.totals().nodes, b_.totals().nodes);
  const std::uint64_t tenth = smaller / 10 + (smaller % 10 != 0 ? 1 : 0);
  const std::uint64_t enough =
      std::max(tenth, std::min<std::uint64_t>(smaller, 3));
  return common > 0 && common >= enough && agree >= common - common / 10 &&
         same_texts >= texts - texts / 20;
}

void IdMatch::Compare(ClassRows& classes, std::size_t max_nodes,
                      GraphComparison* result) {
  BuildIds();
  classes_ = &classes;
  max_nodes_ = max_nodes;
  result_ = result;
  RankBitmap matched(a_.nodes());
  for (std::uint64_t node = 0; node < b_.nodes(); ++node) {
    b_.Passed(node);
    if (!b_.Counts(node)) continue;
    const std::uint64_t other = ids_.Find(b_.id[node]);
    if (other != kNone) a_.Passed(other);
    // A node of another class is another node that got the old id.
    const bool is_new = other == kNone || !a_.Counts(other) ||
                        matched.Has(other) || !IsSameClass(other, node);
    if (is_new) {
      Note(NodeDifference::What::kAdded, kNone, node);
    } else {
      matched.Add(other);
      ComparePair(other, node);
    }
  }
  for (std::uint64_t node = 0; node < a_.nodes(); ++node) {
    a_.Passed(node);
    if (matched.Has(node) || !a_.Counts(node)) continue;
    Note(NodeDifference::What::kRemoved, node, kNone);
  }
  std::sort(result->nodes.begin(), result->nodes.end(), ComesFirst);
}

void IdMatch::ComparePair(std::uint64_t node_a, std::uint64_t node_b) {
  if (a_.own[node_a] == b_.own[node_b] &&
      a_.links[node_a] == b_.links[node_b]) {
    return;
  }
  const std::uint64_t size_a = a_.self_size[node_a];
  const std::uint64_t size_b = b_.self_size[node_b];
  Note(size_a < size_b   ? NodeDifference::What::kGrown
       : size_a > size_b ? NodeDifference::What::kShrunk
                         : NodeDifference::What::kChanged,
       node_a, node_b);
}

void IdMatch::Note(NodeDifference::What what, std::uint64_t node_a,
                   std::uint64_t node_b) {
  const bool in_b = node_b != kNone;
  const std::uint32_t row = in_b ? b_.class_row[node_b] : a_.class_row[node_a];
  ++Counter(result_->changes, what);
  ++Counter(classes_->row(row).changes, what);
  Keep({.what = what,
        .id = in_b ? b_.SourceId(node_b) : a_.SourceId(node_a),
        .class_index = row,
        .size_a = node_a == kNone ? 0 : a_.self_size[node_a],
        .size_b = in_b ? b_.self_size[node_b] : 0});
}

// A heap of the largest differences, with the smallest of them in front.
void IdMatch::Keep(const NodeDifference& node) {
  std::vector<NodeDifference>& nodes = result_->nodes;
  if (nodes.size() == max_nodes_) {
    if (nodes.empty() || !ComesFirst(node, nodes.front())) return;
    std::pop_heap(nodes.begin(), nodes.end(), ComesFirst);
    nodes.pop_back();
  }
  nodes.push_back(node);
  std::push_heap(nodes.begin(), nodes.end(), ComesFirst);
}

}  // namespace heapglot
