// The tables of a stream as rows of cells, however they were cut into chunks,
// and however strings and kinds are numbered.
#ifndef HEAPGLOT_CORE_COMPARE_TABLE_ROWS_H_
#define HEAPGLOT_CORE_COMPARE_TABLE_ROWS_H_

#include <google/protobuf/descriptor.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes/sha256.h"
#include "core/compare/chunk_pull.h"
#include "core/text/string_store.h"
#include "heapglot/stream.h"

namespace heapglot {

// How to read an entry of a column.
enum class CellRole : std::uint8_t {
  kNumber,
  kSigned,
  kDouble,
  kString,     // index of a string
  kOwnText,    // is in the chunk itself
  kIndexRef,   // index + 1, 0 = none
  kTarget,     // form: TargetForm
  kValue,      // form: ValueForm
  kEdgeName,   // form: NameForm, or as the kind says
  kEdgeFlags,  // those of the kind, too
  kForm,       // a ValueForm
  kKind,       // of a vocabulary
  kKindRef,    // the same, index + 1
};

// What is compared as one column.
struct ColumnSpec {
  std::string name;
  CellRole role = CellRole::kNumber;
  // The column, and those that say how to read it; nullptr if there is none.
  const google::protobuf::FieldDescriptor* value = nullptr;
  const google::protobuf::FieldDescriptor* form = nullptr;
  const google::protobuf::FieldDescriptor* kind = nullptr;  // of edges
  pb::Vocabulary::Space space = pb::Vocabulary::NODE_KIND;  // of kinds
  bool default_is_position = false;  // ids: none = index + 1
};

// What is compared as a table.
struct TableSpec {
  // All but kPlain are not simply the rows of a message.
  enum class Shape : std::uint8_t {
    kPlain,
    kTypeFields,   // of Types: the fields of all types, end to end
    kEdges,        // column 0 is the source, in whichever way it is given
    kGraph,        // one row: the message itself
    kMetadata,     // rows are messages
    kExtra,        // rows are sections, which may span chunks
    kExtraTables,  // of all names
    kStrings,      // those that have an id in the source
  };
  std::string name;
  pb::Chunk::BodyCase body = pb::Chunk::BODY_NOT_SET;
  Shape shape = Shape::kPlain;
  int owner_space = -1;  // of Values
  std::vector<ColumnSpec> columns;
};

// All tables, in the order of chunk.proto. Their columns do not include what is
// layout and not content: RecordOrder, SourceImage, how chunks are cut, strings
// without an id and kinds that nothing uses, Types.source_position.
std::vector<TableSpec> AllTables();

// A kind as it is compared: by name, meaning and the code in the source.
struct Kind {
  std::uint32_t identity = 0;  // the same for the same kind, in both streams
  std::uint32_t name_form = 0;
  std::uint32_t edge_flags = 0;
};

// Numbers kinds the same way for both streams. Memory: the names of kinds.
class KindNames {
 public:
  std::uint32_t Identify(std::string_view name, std::uint32_t known,
                         const std::int64_t* source_code);
  // The name of the kind; valid as long as this object.
  const std::string& NameOf(std::uint32_t identity) const {
    return *names_[identity];
  }

 private:
  std::map<std::string, std::uint32_t> identities_;
  std::vector<const std::string*> names_;
};

// The entries of a column in a chunk; nothing, or one for each row.
struct EntryView {
  std::span<const std::uint32_t> narrow;
  std::span<const std::uint64_t> wide;

  bool empty() const { return narrow.empty() && wide.empty(); }
  std::uint64_t operator[](std::size_t row) const {
    if (!wide.empty()) return wide[row];
    return narrow.empty() ? 0 : narrow[row];
  }
};

struct BoundColumn {
  EntryView value;
  EntryView form;
  EntryView kind;
};

// Goes over the rows of one table, one graph at a time.
class TableCursor {
 public:
  // All must outlive this. `strings` must have all strings of the stream.
  TableCursor(Reader& reader, const TableSpec& spec, StringStore& strings,
              KindNames& names);

  // Moves on to the next graph; false at the end of the stream.
  Result<bool> NextGraph();
  // Makes rows available; if this graph has no more, rows_left() is 0
  // afterwards.
  Status Fill();

  // The rows at hand: entries of the columns from row() on.
  std::size_t rows_left() const { return rows_ - row_; }
  std::size_t row() const { return row_; }
  // The index of the first of them in its graph.
  std::uint64_t index() const { return index_; }
  void Advance(std::size_t rows) {
    row_ += rows;
    index_ += rows;
  }

  const BoundColumn& column(std::size_t i) const { return columns_[i]; }
  // Columns of the dialect, by name.
  const std::map<std::string, BoundColumn>& extra() const { return extra_; }
  const std::string& own_text(std::size_t column, std::size_t row) const {
    return own_texts_[row * own_texts_a_row_ + column];
  }
  // Whether all rows at hand have the same own texts. These may be long and the
  // rows many, so they must not be compared for each row.
  bool has_one_own_text() const { return own_texts_a_row_ == 0; }
  Kind KindOf(pb::Vocabulary::Space space, std::uint64_t kind) const {
    return kind < kinds_[space].size() ? kinds_[space][kind] : Kind();
  }
  StringStore& strings() const { return strings_; }

 private:
  Status Use(const pb::Chunk& chunk);
  void AddKinds(const pb::Vocabulary& vocabulary);
  void Bind(const pb::Chunk& chunk);
  void BindPlain(const google::protobuf::Message& table, std::size_t rows);
  void BindExtraColumns(const google::protobuf::Message& table,
                        const char* field, const std::string& prefix);
  void BindSources(const pb::Edges& edges);
  void BindTypeFields(const pb::Types& types);
  void BindGraph(const pb::Graph& graph);
  void BindMetadata(const pb::Metadata& metadata);
  void BindExtra(const pb::Extra& extra);
  void BindStrings(const pb::Strings& strings);
  EntryView Kept(const std::vector<std::uint64_t>& numbers) const {
    return {.narrow = {}, .wide = numbers};
  }

  const TableSpec& spec_;
  StringStore& strings_;
  KindNames& names_;
  ChunkPull pull_;

  bool graph_ended_ = true;
  std::array<std::vector<Kind>, pb::Vocabulary::Space_ARRAYSIZE> kinds_;

  std::vector<BoundColumn> columns_;
  std::map<std::string, BoundColumn> extra_;
  std::size_t rows_ = 0;
  std::size_t row_ = 0;
  std::uint64_t index_ = 0;
  // Entries that a chunk does not have in this form.
  std::vector<std::uint64_t> computed_;
  std::vector<std::uint64_t> computed_too_;
  std::vector<std::string> own_texts_;
  std::size_t own_texts_a_row_ = 0;  // 0: all rows have the same ones
  // A section that continues in the next chunk.
  struct Section {
    std::uint64_t size = 0;
    std::unique_ptr<Sha256> digest;
    std::string format;
    std::string name;
    std::uint64_t position = 0;
  };
  Section section_;
  bool string_continued_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_COMPARE_TABLE_ROWS_H_
