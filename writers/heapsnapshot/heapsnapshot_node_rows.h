// The array of nodes.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_ROWS_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/text/string_store.h"
#include "core/text/text_budget.h"
#include "heapglot/context.h"
#include "heapglot/status.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_added_edges.h"
#include "writers/heapsnapshot/heapsnapshot_layout.h"
#include "writers/heapsnapshot/heapsnapshot_losses.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"
#include "writers/heapsnapshot/heapsnapshot_row_array.h"
#include "writers/heapsnapshot/heapsnapshot_string_table.h"
#include "writers/heapsnapshot/heapsnapshot_wire.h"

namespace heapglot::heapsnapshot {

// Writes the nodes of the stream, as they come, and around them those that the
// layout adds. Memory: the texts between two chunks of nodes (StringStore).
class NodeRows {
 public:
  // What the survey has found.
  struct Stream {
    std::uint64_t nodes = 0;
    pb::Graph::IdSpace id_space = pb::Graph::IMPLICIT;
    bool has_traces = false;  // that are written, so that nodes refer to them
  };

  // All must outlive this.
  NodeRows(Layout& layout, const NodeNames& names, const StringNumbers& numbers,
           StringTable& strings, BufferedOut& out)
      : layout_(layout),
        names_(names),
        numbers_(numbers),
        strings_(strings),
        rows_(out),
        added_edges_(layout) {}

  // Begins the array, once the layout is finished.
  void Begin(const Stream& stream);
  // Take strings and nodes of the stream in their order; names of nodes may
  // contain strings. Errors: those of temporary files.
  Status Add(const pb::Strings& strings);
  Status Add(const pb::Nodes& chunk);
  // Ends the array. Layout::status() says whether external memory could be
  // read.
  void End(LossReport* loss);

 private:
  struct Row {
    NodeType type;
    std::uint64_t name;
    std::uint64_t id;
    std::uint64_t self_size;
    std::uint64_t edge_count;
    std::uint64_t trace_node = 0;
    std::uint64_t detachedness = 0;
  };
  // How ids of nodes are made: from those of the stream, or from their
  // positions.
  struct Ids {
    std::uint64_t column_mask;  // all bits if the stream's are used
    std::uint64_t factor;
    std::uint64_t shift;

    std::uint64_t Of(std::uint64_t id, std::uint64_t index) const {
      const std::uint64_t made = index + 1;
      return ((id & column_mask) | (made & ~column_mask)) * factor + shift;
    }
  };

  Ids IdsOf(const NodeColumns& nodes) const;
  std::uint64_t TraceMask() const {
    return stream_.has_traces ? ~std::uint64_t{0} : 0;
  }
  void Write(const Row& row) {
    rows_.Add(static_cast<std::uint64_t>(row.type), row.name, row.id,
              row.self_size, row.edge_count, row.trace_node, row.detachedness);
  }
  void WriteGroups(const std::vector<Layout::Group>& groups,
                   std::uint64_t first_ordinal);
  void AddNamed(const NodeColumns& nodes, const Ids& ids, int rows);
  void AddAny(const NodeColumns& nodes, const Ids& ids, int rows,
              bool may_hide);
  std::uint64_t NumberOf(const NodeName& name, const NodeColumns& nodes,
                         int row);
  void CountValues(const NodeColumns& nodes, int rows);

  Layout& layout_;
  const NodeNames& names_;
  const StringNumbers& numbers_;
  StringTable& strings_;
  RowArray<kNodeFields> rows_;
  AddedEdges added_edges_;
  Stream stream_;
  std::uint64_t seen_ = 0;  // nodes of the stream
  StringStore window_;      // strings since the last chunk of nodes
  TextBudget made_budget_;
  std::string made_text_;  // reused
  NodeLosses losses_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NODE_ROWS_H_
