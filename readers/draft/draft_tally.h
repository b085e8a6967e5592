// Counts while a file is scanned, so that most files need no survey.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_TALLY_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_TALLY_H_

#include <bit>
#include <cstdint>
#include <vector>

#include "core/id_table.h"
#include "readers/draft/draft_index.h"
#include "readers/draft/draft_own_value.h"

namespace heapglot::draft {

// Takes the nodes and edges as the first scan finds them, and provides what a
// survey would, if a survey has nothing to report about them and they are easy
// to find: the ids of nodes are equally spaced, and no reference is dangling.
// The target of a reference may not be known yet, so references are only noted,
// and checked at the end.
//
// Memory: what it fills in the index, and 100 bytes per class.
class Tally {
 public:
  explicit Tally(Index* index) : index_(*index) {}

  // To be called for what only a survey can handle.
  void GiveUp();

  // Records must have been checked. Nodes are in the index already.
  void AddNode(const NumberRecord& record);
  void AddNode(const Record& record);
  void AddEdge(const NumberRecord& record) {
    if (!is_on_) return;
    const bool is_plain = record.fields.size() <= record.layout->edge_fields &&
                          record.Has(Role::kSource) && record.Has(Role::kDest);
    if (!is_plain) {
      AddOtherEdge(record);
      return;
    }
    CountKind(record.subtype);
    AddSource(record.At(Role::kSource));
    AddTarget(record.At(Role::kDest));
    if (record.Has(Role::kLabel)) AddText(record.At(Role::kLabel));
  }
  void AddEdge(const Record& record);

  // Fills in what a survey does, once all ids are known. False: it takes a
  // survey.
  bool Settle();

 private:
  void AddNodeId(std::uint64_t id);
  void AddField(const Field& field, std::uint64_t value);
  void AddOwnField(const Field& field, std::uint64_t value);
  void EndNode();
  void AddValue(const Field& field, std::uint64_t value);
  void AddReference(std::uint64_t id);
  void AddConstructor(std::uint64_t id);
  void AddOtherEdge(const NumberRecord& record);

  void CountKind(Subtype* subtype) {
    ++(subtype != nullptr ? subtype->edges : edges_without_kind_);
  }
  std::uint64_t CountMade(const Section& section) const;
  bool HasAllRows(const Section& section) const;
  // An edge that leaves a node.
  void AddSource(std::uint64_t id) {
    nodes_.Add(id);
    // If no node has the id, this position is meaningless; Settle() finds out.
    CountEdge((id - first_id_) >> shift_);
  }
  void CountEdge(std::uint64_t source) {
    ++counts_.edges;
    counts_.AddSource(source, count_);
    if (counts_.grouped) index_.CountEdgeOf(source);
  }
  // The target of an edge: even numbers are not ids.
  void AddTarget(std::uint64_t bits) {
    if (bits % 2 == 0)
      ++counts_.edges_immediate;
    else if (bits == kOmittedId)
      ++omitted_ids_;
    else
      nodes_.Add(bits);
  }
  // The text of a name or of a node.
  void AddText(std::uint64_t id) {
    if (!index_.IsHelper(id)) strings_.Add(id);
  }

  Index& index_;
  bool is_on_ = true;
  GraphCounts counts_;
  std::uint64_t edges_without_kind_ = 0;
  std::uint64_t edges_of_fields_ = 0;
  // The ids of nodes: the first one, the binary logarithm of their distance,
  // and their number.
  std::uint64_t first_id_ = 0;
  unsigned shift_ = 0;
  std::uint64_t count_ = 0;
  // What records refer to.
  IdRange nodes_, strings_;
  std::uint64_t omitted_ids_ = 0;  // unless a node has that id
  // In our own files, the highest rows of tables, and the highest node in a
  // value, that nodes refer to.
  std::uint64_t last_type_ = 0, last_frame_ = 0, last_space_ = 0;
  std::uint64_t last_value_ = 0;
  OwnValue own_value_;  // of the current node
  // Ids of constructors, with the row of each and in the order of rows.
  IdTable<std::size_t> constructors_;
  std::vector<std::uint64_t> constructor_ids_;
  Record expanded_;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_TALLY_H_
