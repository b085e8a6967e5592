// Sends the smaller tables of a .heapsnapshot file, and what is not a table.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TABLES_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/chunk_builder.h"
#include "heapglot/bytes.h"
#include "heapglot/stream.h"
#include "readers/heapsnapshot/heapsnapshot_index.h"
#include "readers/heapsnapshot/heapsnapshot_numbers.h"

namespace heapglot::heapsnapshot {

// The index has checked every byte, so what fails now has changed since.
Status InputChanged();

// One pass over locations, traces, samples, unknown tables, and the sections
// with other JSON.
class TablePass {
 public:
  // Strings of the file begin at index `first_string` of the stream.
  TablePass(const ByteSource& source, const Index& index, ChunkSet wanted,
            ChunkSink& out, std::uint64_t first_string);

  // The snapshot object, which comes before the nodes.
  Status SendSnapshotObject();
  // All others, which come after the nodes, in the order of the file.
  Status SendTables();

 private:
  bool Wants(pb::Chunk::BodyCase kind) const { return wanted_.Has(kind); }

  Status SendLocations(const Section& section);
  Status SendTraceFunctions(const Section& section);
  Status SendTraceTree(const Section& section);
  // Sends the nodes of the tree from `first` on, whose numbers are in `block`.
  Status SendTraceNodes(std::uint64_t first,
                        std::span<const std::uint64_t> block);
  Status SendSamples(const Section& section);
  // Adds the columns at `positions` of a block as ExtraColumn.
  template <typename Rows>
  void AddExtraColumns(std::span<const std::uint64_t> block,
                       const std::vector<MetaField>& fields,
                       const std::vector<std::size_t>& positions,
                       Rows* rows) const;
  Status SendExtraTable(const Section& section);
  Status SendExtra(std::string_view name, std::uint64_t position,
                   std::string_view head, const Span& value);

  // Calls `fill` with the rows of a section, kChunkRows at a time, and sends
  // what it made.
  template <typename Fill>
  Status ForEachBlock(const Section& section, std::size_t width, Fill fill);

  const ByteSource& source_;
  std::string_view bytes_;
  const Index& index_;
  ChunkSet wanted_;
  ChunkSink& out_;
  std::uint64_t first_string_;
  pb::Chunk chunk_;
};

// Fills a column of a chunk from a column of blocks of rows.
template <typename T>
class ColumnFill {
 public:
  // `column` must be empty and outlive this. It gets `rows` entries, all of
  // which must be added. `at` is the column of the rows.
  ColumnFill(google::protobuf::RepeatedField<T>* column, int rows,
             std::size_t at)
      : column_(column), next_(AddRows(column, rows)), at_(at) {}

  template <typename Convert>
  void Add(std::span<const std::uint64_t> block, std::size_t width,
           Convert convert) {
    T* out = next_;
    T bits = 0;
    for (std::size_t at = at_; at < block.size(); at += width) {
      const T value = convert(block[at]);
      *out++ = value;
      bits |= value;
    }
    next_ = out;
    bits_ |= bits;
  }
  void Add(std::span<const std::uint64_t> block, std::size_t width) {
    Add(block, width,
        [](std::uint64_t value) { return static_cast<T>(value); });
  }
  // Leaves the column empty if all entries are 0.
  void Finish() {
    if (bits_ == 0) column_->Clear();
  }

 private:
  google::protobuf::RepeatedField<T>* column_;
  T* next_;  // the next entry
  std::size_t at_;
  T bits_ = 0;  // OR of all entries
};

// Fills `column`, which is empty, from a column of a block of rows.
template <typename T, typename Convert>
void FillFrom(std::span<const std::uint64_t> block, std::size_t width,
              std::size_t at, google::protobuf::RepeatedField<T>* column,
              Convert convert) {
  ColumnFill<T> fill(column, static_cast<int>(block.size() / width), at);
  fill.Add(block, width, convert);
  fill.Finish();
}

// Turns the numbers of `column` into references to nodes or strings, as its
// type says; strings of the file begin at index `first_string`. A number that
// refers to nothing stays. `rows` is how many the column has, or would have.
void ResolveReferences(const Index& index, std::uint64_t first_string,
                       std::size_t rows, pb::ExtraColumn* column);

// Adds an ExtraColumn for each field at `positions`; returns what fills them.
template <typename Rows>
std::vector<ColumnFill<std::int64_t>> AddExtraFills(
    const std::vector<MetaField>& fields,
    const std::vector<std::size_t>& positions, int count, Rows* rows) {
  std::vector<ColumnFill<std::int64_t>> fills;
  for (const std::size_t at : positions) {
    pb::ExtraColumn* const column = rows->add_extra();
    column->set_name(fields[at].name);
    column->set_type(fields[at].type);
    fills.emplace_back(column->mutable_ints(), count, at);
  }
  return fills;
}

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_TABLES_H_
