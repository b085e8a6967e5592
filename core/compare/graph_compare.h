// Whether two dumps are the same graph, and what changed between them.
#ifndef HEAPGLOT_CORE_COMPARE_GRAPH_COMPARE_H_
#define HEAPGLOT_CORE_COMPARE_GRAPH_COMPARE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/compare/aspects.h"
#include "core/compare/class_rows.h"
#include "core/compare/compared_dump.h"
#include "heapglot/stream.h"

namespace heapglot {

// How the nodes of one dump were matched to those of the other, surest first.
enum class MatchedBy {
  kBytes,      // not at all: the dumps are the same bytes
  kPosition,   // the nodes of both are in the same order
  kIds,        // the ids of both are from one process
  kStructure,  // what a node looks like, and what it refers to, to a depth
};

enum class Match { kAuto, kIds, kStructure };

struct CompareOptions {
  AspectSet aspects = AspectSet::All();
  Match match = Match::kAuto;
  int depth = 3;              // for kStructure: edges that are followed
  std::size_t max_nodes = 0;  // longest list of nodes
  bool same_bytes = false;    // the caller knows that both are the same
};

// A node that is in one dump only, or differs.
struct NodeDifference {
  enum class What : std::uint8_t {
    kAdded,
    kRemoved,
    kGrown,
    kShrunk,
    kChanged
  };
  What what = What::kChanged;
  std::uint64_t id = 0;
  std::uint32_t class_index = 0;  // in GraphComparison::classes
  std::uint64_t size_a = 0;
  std::uint64_t size_b = 0;

  std::uint64_t size_distance() const {
    return size_a < size_b ? size_b - size_a : size_a - size_b;
  }
};

struct GraphComparison {
  // Equal in all aspects that were not to be ignored.
  bool same = false;
  MatchedBy matched_by = MatchedBy::kPosition;
  // For kStructure: how many edges were followed, until a difference showed or
  // at most.
  int depth = 0;
  enum class Ids { kNotComparable, kSame, kDifferent };
  Ids ids = Ids::kNotComparable;
  // The ids are addresses or the like: an object that was moved has a new one.
  bool ids_may_move = false;
  // Only one of the dumps says in which libraries its classes are, so they were
  // compared by name.
  bool ignores_libraries = false;
  pb::Header header_a;
  pb::Header header_b;
  GraphTotals a;
  GraphTotals b;
  // By Aspect: whether all nodes, or edges, or roots together differ in it. If
  // none does and the graphs are not the same (two names are swapped), the
  // first aspect that is not where it was, as far as that can be told.
  std::array<bool, kAspects> differs{};
  // For kIds only.
  NodeChanges changes;
  // All classes with nodes, the largest difference in size first.
  std::vector<ClassDifference> classes;
  // For kIds only: the largest differences in size first.
  std::vector<NodeDifference> nodes;
};

// Compares what the readers send. What a converter made up is left out, as are
// locations, traces, samples, metadata, and what belongs to no node.
//
//   1. By position. If both dumps have the same order, it is the same graph.
//   2. Otherwise by id, if the ids of both are of the same sort, and nine
//      tenths of the common ones mean nodes of the same class.
//   3. Otherwise by structure: 64-bit signatures of nodes, refined over their
//      edges. Equal multisets of them mean the same graph as far as can be seen
//      to that depth; this is not a proof.
//
// Time: 4 passes over each dump, 1 more by id, up to `depth` more by structure.
// Memory: see ComparedDump; by id also an IdMap.
// Errors: those of the readers and of Scratch; kUsage if ids must be used and
// cannot be compared.
Status CompareGraphs(Reader& a, Reader& b, const CompareOptions& options,
                     GraphComparison* result);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_GRAPH_COMPARE_H_
