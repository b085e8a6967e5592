// The records hg.column: columns and tables that only one format has.
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

// Cells of rows that follow each other in some table: one record.
struct ColumnCells {
  std::string table;  // "node", "edge", "hg.type", ...; kExtraTable
  std::string of;     // kExtraTable: its name
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // at most kMaxColumnRows
  // With a cell for each row, or none. Strings and nodes are ids of records.
  pb::ExtraColumn column;
};

// Which columns the tables of a graph have.
using ColumnNames = std::map<std::string, std::set<std::string>>;

// Reads the record. The answer is what is wrong with it; empty = nothing.
std::string ReadColumn(const Record& record, ColumnCells* cells);

// The same for a record of a graph: keeps the cells for AttachColumns(), but
// for those of nodes and edges, which a Pass takes as it gets there.
std::string AddColumn(const Record& record, Section* section);

// What is left out of a file for want of what it belongs to.
struct LeftOut {
  std::uint64_t references = 0;  // to rows, strings and nodes
  std::uint64_t columns = 0;     // records that have cells of other rows
};

// Puts the cells that were kept into the tables of all graphs. What has no row
// is left out, and added to `*left_out`.
void AttachColumns(Index* index, LeftOut* left_out);

// The cells that wait for the rows of a table that is sent chunk by chunk.
// Memory: 8 MiB for cells of rows to come; and those of rows that wait to be
// sent.
class WaitingColumns {
 public:
  // `next` is the row that comes next. False if too much is waiting already.
  // References that lead nowhere are left out, and added to `*missing`.
  bool Add(const Index& index, const Section& section, ColumnCells cells,
           std::uint64_t next, std::uint64_t* missing);
  // Whether it is time to send the rows that are there.
  bool is_long() const { return waiting_.size() >= 4 * kMaxRecords; }
  // Records that have cells of `row` or of rows behind it.
  std::ptrdiff_t CountBehind(std::uint64_t row) const;
  // Forgets what ends before `row`.
  void Forget(std::uint64_t row);
  // Adds the cells of `rows` rows from `first` on, and forgets what is no longer
  // needed then.
  void Take(std::uint64_t first, std::uint64_t rows,
            google::protobuf::RepeatedPtrField<pb::ExtraColumn>* extra);
  void Clear() { waiting_.clear(); }

 private:
  // Of rows to come.
  static constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 20;
  static constexpr std::size_t kMaxRecords = 256;

  std::vector<ColumnCells> waiting_;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_COLUMNS_H_
