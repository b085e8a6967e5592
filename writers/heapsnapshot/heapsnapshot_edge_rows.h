// The array of edges.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_H_

#include <cstdint>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/column.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_added_edges.h"
#include "writers/heapsnapshot/heapsnapshot_edge_forms.h"
#include "writers/heapsnapshot/heapsnapshot_externals.h"
#include "writers/heapsnapshot/heapsnapshot_layout.h"
#include "writers/heapsnapshot/heapsnapshot_losses.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"
#include "writers/heapsnapshot/heapsnapshot_row_array.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Writes the edges of the stream, grouped by their nodes, and those that the
// layout adds.
class EdgeRows {
 public:
  // All must outlive this. Adds a fixed string to `numbers`.
  EdgeRows(Layout& layout, StringNumbers& numbers, BufferedOut& out);

  // The survey.
  void AddVocabulary(const pb::Vocabulary& vocabulary);

  // Begins the array, once the layout is finished.
  void Begin();
  void Add(const pb::Edges& edges);
  // Ends the array. Layout::status() says whether external memory could be
  // read.
  void End(LossReport* loss);

 private:
  struct Kind {
    std::uint32_t known = pb::EDGE_OTHER;
    std::uint32_t name_form = pb::NAME_NONE;
    EdgeForm form;  // follows from these two
  };

  int AddPlain(const pb::Edges& edges);
  void AddOne(const pb::Edges& edges, int row);
  void Skip(const pb::Edges& edges);
  void Write(EdgeType type, std::uint64_t name, std::uint64_t ordinal) {
    rows_.Add(static_cast<std::uint64_t>(type), name, ordinal * kNodeFields);
  }
  // `before`: how many edges its node has before these.
  void WriteGroup(const Layout::Group& group, std::uint64_t before);
  // Writes what is added to nodes before `node`.
  void WriteAdded(std::uint64_t node);

  const Kind& KindOf(const pb::Edges& edges, int row) const {
    const std::uint32_t kind = At(edges.kind(), row);
    return kind < kinds_.size() ? kinds_[kind] : no_kind_;
  }
  // Whether an edge has a name form of its own that differs from its kind's.
  bool HasOwnNameForm(const pb::Edges& edges, int row) const {
    return !edges.name_form().empty() &&
           edges.name_form(row) != KindOf(edges, row).name_form;
  }
  bool HaveOwnNameForms(const pb::Edges& edges) const;
  EdgeForm FormOf(const pb::Edges& edges, int row);

  Layout& layout_;
  const StringNumbers& numbers_;
  RowArray<kEdgeFields> rows_;
  AddedEdges added_;
  const std::uint64_t external_;  // numbers of the strings of these names
  const std::uint64_t element_;
  const Kind no_kind_ = {
      .form = {EdgeType::kElement, EdgeForm::Name::kPosition}};
  std::vector<Kind> kinds_;  // by vocabulary row
  PlainEdges plain_;
  std::uint64_t node_ = Externals::kDangling;  // whose edges came last
  std::uint64_t position_ = 0;                 // of its next edge
  EdgeLosses losses_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_EDGE_ROWS_H_
