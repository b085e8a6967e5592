// hg.column records: columns and tables that only one format has.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_COLUMNS_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/draft/draft_record.h"

namespace heapglot::draft {

struct Index;
struct Section;

// One record: cells of consecutive rows of a table.
struct ColumnCells {
  std::string table;  // "node", "edge", "hg.type", ...; kExtraTable
  std::string of;     // kExtraTable: its name
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // at most kMaxColumnRows
  // Each list has one cell per row, or none. Strings and nodes are ids of
  // records.
  pb::ExtraColumn column;
};

// Which columns the tables of a graph have.
using ColumnNames = std::map<std::string, std::set<std::string>>;

// Reads the record. Returns what is wrong with it; empty if nothing is.
std::string ReadColumn(const Record& record, ColumnCells* cells);

// The same for a record of a graph. Keeps the cells for AttachColumns(), except
// those of nodes and edges, which a Pass reads when it gets there.
std::string AddColumn(const Record& record, Section* section);

// Counts what is left out because what it belongs to is missing.
struct LeftOut {
  std::uint64_t references = 0;  // to rows, strings and nodes
  std::uint64_t columns = 0;     // records that have cells of other rows
};

// Puts the cells that were kept into the tables of all graphs. What has no row
// is left out and counted in `*left_out`.
void AttachColumns(Index* index, LeftOut* left_out);

// Cells that wait for the rows of a table that is sent chunk by chunk.
// Memory: 8 MiB for cells of rows to come, and the cells of rows that wait to
// be sent.
class WaitingColumns {
 public:
  // `next` is the row that comes next. False if too much is waiting already.
  // References that lead nowhere are left out and counted in `*missing`.
  bool Add(const Index& index, const Section& section, ColumnCells cells,
           std::uint64_t next, std::uint64_t* missing);
  // Whether it is time to send the rows that are there.
  bool is_long() const { return waiting_.size() >= 4 * kMaxRecords; }
  // Number of records that have cells of `row` or of later rows.
  std::ptrdiff_t CountBehind(std::uint64_t row) const;
  // Forgets records that end before `row`.
  void Forget(std::uint64_t row);
  // Adds the cells of `rows` rows from `first` on, and forgets what is then no
  // longer needed.
  void Take(std::uint64_t first, std::uint64_t rows,
            google::protobuf::RepeatedPtrField<pb::ExtraColumn>* extra);
  void Clear() { waiting_.clear(); }

 private:
  // Limits for rows to come.
  static constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 20;
  static constexpr std::size_t kMaxRecords = 256;

  std::vector<ColumnCells> waiting_;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_COLUMNS_H_
