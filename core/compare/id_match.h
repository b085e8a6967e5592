// Tells by id what became of the nodes of a dump in a later one.
#ifndef HEAPGLOT_CORE_COMPARE_ID_MATCH_H_
#define HEAPGLOT_CORE_COMPARE_ID_MATCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/compare/aspects.h"
#include "core/compare/compared_dump.h"
#include "core/compare/graph_compare.h"
#include "core/id_map.h"
#include "core/rank_bitmap.h"

namespace heapglot {

// Memory: that of an IdMap, 1 bit a node, and the list.
class IdMatch {
 public:
  // Both must have read their nodes.
  IdMatch(ComparedDump& a, ComparedDump& b, AspectSet aspects)
      : a_(a), b_(b), aspects_(aspects) {}

  // Whether both have ids of the same sort.
  bool HasComparableIds() const;
  // Whether both seem to be dumps of one process: a tenth of the ids of the
  // smaller one, and at least three, are also in the other one; nine tenths of
  // the common ids mean nodes of the same class; and of those that mean texts,
  // nineteen of twenty mean the same text.
  bool IsOneProcess();
  // Whether the ids of both are the same, in order.
  bool HasSameIds() const;

  // Compares node by node; both must have read their links by id. Notes the
  // changes in `classes` and `result`, and up to `max_nodes` of the nodes, with
  // rows in place of classes.
  void Compare(ClassRows& classes, std::size_t max_nodes,
               GraphComparison* result);

 private:
  void BuildIds();
  bool IsSameClass(std::uint64_t node_a, std::uint64_t node_b) const {
    return !aspects_.Has(Aspect::kClasses) ||
           a_.class_row[node_a] == b_.class_row[node_b];
  }
  void Note(NodeDifference::What what, std::uint64_t node_a,
            std::uint64_t node_b);
  void ComparePair(std::uint64_t node_a, std::uint64_t node_b);
  void Keep(const NodeDifference& node);

  static constexpr std::uint64_t kNone = IdMap::kNone;

  ComparedDump& a_;
  ComparedDump& b_;
  const AspectSet aspects_;
  IdMap ids_{IdMap::Numbering::kAll};  // to nodes of a_
  bool has_ids_ = false;
  ClassRows* classes_ = nullptr;
  std::size_t max_nodes_ = 0;
  GraphComparison* result_ = nullptr;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_ID_MATCH_H_
