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

// What differs. Rows are identified by their position in their graph, so an
// inserted row makes all rows after it differ.
struct StreamDifference {
  struct Example {
    std::uint64_t graph = 0;  // index
    std::uint64_t row = 0;    // index in its table of that graph
    std::string before;       // for people: raw text of the input, cut
    std::string after;
  };
  struct Column {
    std::string name;        // "nodes.self_size", "edges.name"
    std::uint64_t rows = 0;  // that differ
    std::vector<Example> examples;
  };
  // A table whose number of rows, over all graphs, has changed.
  struct Table {
    std::string name;  // "nodes"
    std::uint64_t rows_before = 0;
    std::uint64_t rows_after = 0;
    // Sums over all graphs of the surplus and the missing rows.
    std::uint64_t added = 0;
    std::uint64_t removed = 0;
  };
  std::vector<Table> tables;    // in the order of chunk.proto
  std::vector<Column> columns;  // in the same order

  bool empty() const { return tables.empty() && columns.empty(); }
  // The names of both, sorted: the kind of difference. A table is called
  // "nodes+" if it has more rows, "nodes-" if it has fewer.
  std::vector<std::string> Names() const;
};

struct StreamCompareOptions {
  std::size_t max_examples = 3;  // for each column
  std::size_t max_text = 100;    // bytes of a text in an example
  // Like Context::progress: tables that are done. May be empty.
  std::function<void(std::string_view phase, std::uint64_t done,
                     std::uint64_t total)>
      progress;
};

// Compares what two readers send. It does not matter how rows are cut into
// chunks, in which order tables come, how strings and kinds are numbered,
// whether edges are grouped, and whether a default is written down. Layout is
// not content: how to make the bytes of the source (SourceImage, RecordOrder),
// what Header says about the source file and its dialect, strings and kinds
// that nothing uses.
//
// Each table takes a pass over both. Memory: that of both readers, two chunks,
// 3 MiB, and the names of kinds; all strings of both are in temporary files if
// they are more than that.
// Errors: those of the readers; kOutput if there is no room for the strings.
Result<StreamDifference> CompareStreams(
    Reader& before, Reader& after, const StreamCompareOptions& options = {});

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_STREAM_COMPARE_H_
