// The tables after nodes and edges, for dumps of other formats.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_OTHER_TABLES_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_OTHER_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/bytes/buffered_out.h"
#include "core/loss/loss_tally.h"
#include "heapglot/context.h"
#include "heapglot/stream.h"
#include "writers/heapsnapshot/heapsnapshot_layout.h"
#include "writers/heapsnapshot/heapsnapshot_names.h"
#include "writers/heapsnapshot/heapsnapshot_native_rows.h"

namespace heapglot::heapsnapshot {

// Writes where nodes were allocated (trace_function_infos, trace_tree), the
// samples of a timeline, and places in scripts, with a pass for each. DevTools
// reads all of them, or fails. So what it cannot read is left out, and counted.
class OtherTables {
 public:
  // All must outlive this.
  OtherTables(const Layout& layout, const StringNumbers& numbers,
              BufferedOut& out)
      : layout_(layout), numbers_(numbers), out_(out) {}

  // Tells, after the survey, how many rows there will be, and whether nodes
  // have the ids that V8 gave, which samples refer to.
  void Announce(const pb::GraphEnd& totals, bool keeps_ids);
  // Whether there are functions and a tree, which nodes refer to.
  bool has_traces() const { return rows_[kFunctions] != 0; }
  std::uint64_t trace_functions() const { return rows_[kFunctions]; }

  // Ends the previous table, writes all up to the next one that has rows, and
  // returns the chunks that this one is made of; the empty set if there is
  // none.
  ChunkSet Next();
  void Add(const pb::Chunk& chunk);

  void Report(LossReport* loss) const;

 private:
  enum Table : std::uint8_t {
    kFunctions,
    kTree,
    kSamples,
    kLocations,
    kTables
  };
  struct Section {
    std::string_view key;  // with what precedes it
    pb::Chunk::BodyCase body;
    std::size_t width;
  };
  static const Section kSections[kTables];

  void Begin();
  void End();
  void AddFunctions(const pb::TraceFunctions& functions);
  void AddNodes(const pb::TraceNodes& nodes);
  void AddSamples(const pb::Samples& samples);
  void AddLocations(const pb::Locations& locations);
  // Counts rows of traces. `has_more`: more than V8 has fields for.
  void CountTraces(std::uint64_t rows, bool has_more);

  const Layout& layout_;
  const StringNumbers& numbers_;
  BufferedOut& out_;
  std::uint64_t rows_[kTables] = {};
  int table_ = -1;
  std::optional<RowWriter> writer_;
  std::optional<TreeWriter> tree_;
  std::vector<std::uint64_t> block_;  // reused
  std::uint64_t traces_ = 0;
  std::uint64_t cut_traces_ = 0;
  LossTally odd_locations_, cut_locations_;
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_OTHER_TABLES_H_
