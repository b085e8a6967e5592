// What differs between the contents of two dumps: table by table, row by row,
// column by column.
#ifndef HEAPGLOT_CORE_COMPARE_STREAM_COMPARE_H_
#define HEAPGLOT_CORE_COMPARE_STREAM_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot {

// What differs. Rows are told apart by their position in their graph: rows that
// come in between make all behind them differ.
struct StreamDifference {
  struct Example {
    std::uint64_t graph = 0;  // index
    std::uint64_t row = 0;    // index in its table of that graph
    std::string before;       // for people: text of the input as it is, cut
    std::string after;
  };
  struct Column {
    std::string name;        // "nodes.self_size", "edges.name"
    std::uint64_t rows = 0;  // that differ
    std::vector<Example> examples;
  };
  // A table that has not as many rows as before, over all graphs.
  struct Table {
    std::string name;  // "nodes"
    std::uint64_t rows_before = 0;
    std::uint64_t rows_after = 0;
    // Sums over the graphs of the rows that are too many or missing.
    std::uint64_t added = 0;
    std::uint64_t removed = 0;
  };
  std::vector<Table> tables;    // in the order of chunk.proto
  std::vector<Column> columns;  // the same

  bool empty() const { return tables.empty() && columns.empty(); }
  // The names of both, sorted: what sort of difference it is. A table stands
  // there as "nodes+" if it has rows more, "nodes-" if it has fewer.
  std::vector<std::string> Names() const;
};

struct StreamCompareOptions {
  std::size_t max_examples = 3;  // of a column
  std::size_t max_text = 100;    // bytes of a text in an example
  // As Context::progress: tables that are done. May be empty.
  std::function<void(std::string_view phase, std::uint64_t done,
                     std::uint64_t total)>
      progress;
};

// Compares what two readers send. It does not matter how rows are cut into
// chunks, in which order tables come, how strings and kinds are numbered,
// whether edges are grouped, and whether a default is written down. Layout is no
// content: how to make the bytes of the source (SourceImage, RecordOrder), what
// Header says about the source file and its dialect, strings and kinds that nothing uses.
//
// Every table is a pass over both. Memory: that of both readers, two chunks, 3
// MiB, the names of kinds; all strings of both lie in temporary files if they
// are more than that.
// Errors: those of the readers; kOutput when there is no room for the strings.
Result<StreamDifference> CompareStreams(
    Reader& before, Reader& after, const StreamCompareOptions& options = {});

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_STREAM_COMPARE_H_
