// What a snapshot has no place for.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LOSSES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LOSSES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"

namespace heapglot::heapsnapshot {

// The codes that a run counts under.
inline constexpr FidelityRow kFidelity[] = {
    {"heapsnapshot.value.double", LossClass::kEquivalent,
     "shown as the shortest text that reads back as the same number"},
    {"heapsnapshot.value.nan", LossClass::kApproximated,
     "a NaN is shown as NaN, whatever its bits"},
    {"heapsnapshot.value.length", LossClass::kDropped,
     "the stated number of elements"},
    {"heapsnapshot.string.length", LossClass::kDropped,
     "the full length of a string of which the source has the start only"},
    {"heapsnapshot.string.surrogate", LossClass::kApproximated,
     "a lone surrogate becomes U+FFFD"},
    {"heapsnapshot.string.bytes", LossClass::kApproximated,
     "a byte that is no UTF-8 becomes U+FFFD"},
    {"heapsnapshot.node.size", LossClass::kApproximated,
     "DevTools shows sizes of 4 GiB and more modulo 2^32"},
    {"heapsnapshot.node.identity_hash", LossClass::kDropped,
     "the identity hash code of an object"},
    {"heapsnapshot.node.id", LossClass::kApproximated,
     "ids that mean nothing to who compares snapshots are given anew"},
    {"heapsnapshot.node.extra", LossClass::kDropped,
     "what the source says of a node and V8 has no field for"},
    {"heapsnapshot.value.other", LossClass::kDropped,
     "values of nodes that are no strings, numbers or oddballs"},
    {"heapsnapshot.value.named", LossClass::kDropped,
     "named values of nodes, edges and classes"},
    {"heapsnapshot.root.detail", LossClass::kDropped,
     "flags, containers, labels and threads of roots"},
    {"heapsnapshot.root.target", LossClass::kDropped,
     "roots of objects that the source left out or does not have"},
    {"heapsnapshot.location", LossClass::kDropped,
     "places in scripts that nodes come from"},
    {"heapsnapshot.trace", LossClass::kDropped,
     "where nodes were allocated, samples, stacks and threads"},
    {"heapsnapshot.metadata", LossClass::kDropped,
     "what the source says about the dump"},
    {"heapsnapshot.type.library", LossClass::kDropped,
     "the library of a class; told only where two classes share a name"},
    {"heapsnapshot.edge.omitted", LossClass::kApproximated,
     "a reference to an object that the source left out leads to (omitted)"},
    {"heapsnapshot.edge.dangling", LossClass::kApproximated,
     "a reference to an object that does not exist leads to (dangling "
     "reference)"},
    {"heapsnapshot.edge.immediate", LossClass::kApproximated,
     "a small integer in place of a reference leads to (small integer)"},
    {"heapsnapshot.edge.extra", LossClass::kDropped,
     "what the source says of an edge beside its name and target"},
    {"heapsnapshot.edge.index", LossClass::kApproximated,
     "an index below 0 or of 2^32 and more is written modulo 2^32"},
    {"heapsnapshot.edge.weak_index", LossClass::kDropped,
     "the index of a weak element"},
    {"heapsnapshot.external.holder", LossClass::kApproximated,
     "external memory of an object that does not exist is held by (omitted) "
     "or (dangling reference)"},
    {"heapsnapshot.graph.totals", LossClass::kDropped,
     "stated totals and flags of the heap"},
    {"heapsnapshot.graph.name", LossClass::kDropped, "the name of the heap"},
    {"heapsnapshot.extra", LossClass::kDropped,
     "what only the source's own format has a place for"},
};

// Counts `count` cases of a code of kFidelity.
void Lose(std::string_view code, std::uint64_t count, LossReport* loss,
          const std::vector<std::uint64_t>& examples = {});

// Of the nodes, and the external memory that becomes nodes.
class NodeLosses {
 public:
  void Add(const pb::Nodes& nodes, int row, bool keeps_ids);
  void AddExternal(std::uint64_t size);
  void Report(LossReport* loss) const;

 private:
  // How many nodes suffer a loss, and the first few of them.
  struct Tally {
    std::uint64_t count = 0;
    std::vector<std::uint64_t> examples;
    void Add(std::uint64_t node) {
      ++count;
      if (examples.size() < LossReport::kExamples) examples.push_back(node);
    }
  };

  void AddValue(const pb::Nodes& nodes, int row, std::uint64_t node);

  Tally doubles_, nans_, lengths_, cut_strings_, big_sizes_, ids_, hashes_,
      extras_, others_;
};

// Of the edges.
class EdgeLosses {
 public:
  void Add(const pb::Edges& edges) {
    if (!edges.extra().empty()) extra_edges_ += edges.count();
  }
  void AddBigIndex() { ++big_indices_; }
  void AddWeakElement() { ++weak_elements_; }
  void Report(LossReport* loss) const;

 private:
  std::uint64_t extra_edges_ = 0;
  std::uint64_t big_indices_ = 0;
  std::uint64_t weak_elements_ = 0;
};

// Of what else a graph has: from the chunks of the survey.
class OtherLosses {
 public:
  void Add(const pb::Chunk& chunk);
  void Report(LossReport* loss) const;

 private:
  void AddRoots(const pb::Roots& roots);

  std::uint64_t metadata_ = 0;
  std::uint64_t root_details_ = 0;
  std::uint64_t root_targets_ = 0;
  std::uint64_t graph_totals_ = 0;
  bool has_name_ = false;
  bool has_extra_ = false;
  pb::GraphEnd totals_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_LOSSES_H_
