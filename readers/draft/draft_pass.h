// From records to chunks: one pass over a file that has an index.
#ifndef HEAPGLOT_READERS_DRAFT_DRAFT_PASS_H_
#define HEAPGLOT_READERS_DRAFT_DRAFT_PASS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/bytes/trail.h"
#include "core/chunk_builder.h"
#include "core/id_table.h"
#include "readers/draft/draft_index.h"
#include "readers/draft/draft_lookup.h"
#include "readers/draft/draft_own_value.h"

namespace heapglot::draft {

// Strings chunks with chosen indices and source ids.
class StringChunks {
 public:
  explicit StringChunks(ChunkSink* out) : out_(*out) {}
  // `index` is that of the previous string plus 1.
  Status Add(std::uint64_t index, std::string_view text,
             pb::StringEncoding encoding, std::uint64_t source_id, bool names);
  Status Flush();

 private:
  Status AddPieces(std::string_view text, pb::StringEncoding encoding);
  void AddRow(std::string_view text, pb::StringEncoding encoding);

  ChunkSink& out_;
  pb::Chunk chunk_;
};

class Pass {
 public:
  // With `survey`, nothing is sent to `out`: totals, edge counts and classes go
  // to the index, and oddities to the context.
  Pass(const ByteSource& source, Context& context, ChunkSet wanted,
       ChunkSink* out, bool survey, Index* index)
      : source_(source),
        context_(context),
        wanted_(wanted),
        out_(*out),
        survey_(survey),
        index_(*index),
        lookup_(source, *index),
        strings_(out) {}

  Status Run();
  // Whether, in a survey, a reference leads from one graph to another.
  bool crosses_graphs() const { return crosses_graphs_; }

 private:
  // What a field of type `value`, or another reference, stands for.
  struct Value {
    std::uint32_t form = pb::V_NONE;  // V_NODE, V_DANGLING, V_INT
    std::uint64_t bits = 0;
  };

  bool Wants(pb::Chunk::BodyCase kind) const { return wanted_.Has(kind); }
  bool WantsNames() const {
    return wanted_.HasUserOfNames() || Wants(pb::Chunk::kStrings);
  }

  Status SendHeader();
  Status SendNames();
  Status SendSection(Section& section);
  Status SendGraph();
  Status SendVocabularies();
  Status SendTables();
  Status SendFoundTypes();
  Status SendLines();
  Status SendEnd();

  Status AddLine();
  Status AddRecord();
  Status AddNumbers(const NumberRecord& record);
  bool IsFull() const;
  Status AddMetadata();
  bool IsKnownDeclaration();
  Status AddVerbatim();
  Status AddLayout();
  Status AddExtra();
  Status AddColumn();
  Status CellsLeftOut(std::string_view of_rows);
  // At the end of a graph.
  Status CheckWaitingColumns();
  Status AddString();

  // Nodes (draft_nodes.cc).
  Status AddNode();
  Status AddNodeField(const Field& field, const Token& token);
  Status CheckSlice();
  Status FindOddball(std::uint64_t position, std::uint32_t* which);
  Status AddOddball(const Token& token);
  Status AddTimestamp(const Field& field, const Token& token);
  Status AddNodeValue(const Field& field, const Token& token);
  Status AddUnknownSubtype(pb::Values::Owner space, std::uint64_t owner,
                           const Field& field, const Token& token);
  Status AddUnknownFields(pb::Values::Owner space, std::uint64_t owner);
  Status AddFieldEdge(const Field& field, std::uint64_t target);
  Status AddOwnField(const Field& field, const Token& token);
  Status CheckOwnType();
  Status AddOwnValue();
  // Clears the parts of `*value` that mean nothing.
  Status CheckOwnValue(OwnValue* value);
  Status CheckOwnName(OwnValue* value);
  void SetType(const Value& constructor);
  // Sets the entry of the current node in a column.
  template <typename Column, typename T>
  void SetNode(Column* column, T value) {
    if (keeps_nodes_) SetSparse(column, row_, value);
  }
  std::uint64_t FunctionName(std::uint64_t node);
  void SetValue(std::uint32_t form, std::uint64_t bits);

  // Edges (draft_edges.cc).
  Status AddEdge();
  // The resolved parts of an edge.
  struct Edge {
    std::uint64_t source = 0;
    std::uint32_t kind = 0;
    std::uint32_t to_form = pb::TO_OMITTED;
    std::uint64_t to = 0;
    std::uint32_t name_form = pb::NAME_NONE;
    std::uint64_t name = 0;
    std::uint64_t label = 0;          // string
    bool has_dangling_label = false;  // it has one, but there is no such string
  };
  bool NeedsEdges() const;
  bool ReadEdge(const NumberRecord& record, Edge* edge);
  Status AddNumberEdge(const Edge& edge);
  struct Lines {
    std::string begin;  // empty: there are no such lines
    std::uint64_t offset = 0;
    bool Have(std::string_view line, std::uint64_t at) const {
      return at > offset && !begin.empty() && line.starts_with(begin);
    }
  };
  Lines UnwantedEdges() const;
  bool EdgeSource(std::uint64_t* source);
  Status AddEdgeTarget(int row);
  bool ReadLabel(std::uint64_t id, Edge* edge) const;
  void ReadEdgeName(Edge* edge) const;
  void AddEdgeName(int row, const Edge& edge);
  std::uint32_t UsualNameForm(std::uint32_t kind) const;
  void FillNameForms(int rows);
  Status AddEdgeFields(const Edge& edge);
  Status FlushGap(std::uint64_t source);
  Status BeginEdge(std::uint64_t source, std::uint32_t kind, int* row);
  void CountEdge(std::uint64_t source, std::uint32_t kind);
  void SetTarget(int row, std::uint32_t form, std::uint64_t to);

  Value Resolve(const Token& token);
  Value Resolve(std::uint64_t bits) {
    const bool may_be_id = index_.is_version0 || bits % 2 != 0;
    if (may_be_id) {
      const std::uint64_t position = index_.nodes.Find(bits);
      if (position != IdMap::kNone) {
        if (section_->HasNode(position))
          return {pb::V_NODE, position - section_->first_node};
        crosses_graphs_ = true;
      }
    }
    if (bits % 2 != 0) return {pb::V_DANGLING, bits};
    return {pb::V_INT,
            static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 1)};
  }
  Status Dangling(const Field& field, const Token& token);
  // The same for one of our own fields, which is left out.
  Status NoSuchRow(std::string_view field, std::uint64_t value);
  // The index of the string that one of our own fields refers to; 0: none.
  Status ReadOwnText(std::string_view field, const Token& token,
                     std::uint64_t* index);

  // Values (draft_pass_values.cc).
  struct ValueRow {
    std::uint64_t owner = 0;
    std::uint64_t key = 0;
    std::uint32_t form = pb::V_NONE;
    std::uint64_t bits = 0;
    std::uint64_t length = 0;
    std::uint32_t encoding = pb::USUAL;
  };
  Status AddRow(pb::Values::Owner space, const ValueRow& row);
  // Adds the record, an hg.value, as a row.
  Status AddOwnRow();
  bool OwnerOf(std::uint64_t space, std::uint64_t* owner) const;
  // A field of the record by its name.
  const Token& FieldOf(std::string_view name) const;
  // Adds a field as a row of Values.
  Status AddValue(pb::Values::Owner space, std::uint64_t owner,
                  const Field& field, const Token& token);
  // Makes a string that no record has, and sets its index.
  Status MakeString(std::string_view text, std::uint64_t* index);
  // The string that a field refers to; 0 if there is no such record.
  std::uint64_t StringIndexOf(const Token& token) const;
  // The index of the next string.
  std::uint64_t NextString() const {
    return index_.names.names().size() + 1 + string_ + made_;
  }

  // Counts one more record of that kind, for RecordOrder.
  void Note(pb::Chunk::BodyCase body) {
    if (body != noted_) EndRun(body);
    ++run_;
  }
  void EndRun(pb::Chunk::BodyCase next);
  Status Flush();
  Status FlushNodes();
  Status FlushEdges();
  Status FlushValues();
  template <typename MakeMessage>
  Status Warn(std::string_view code, MakeMessage&& make_message) {
    // If graphs are to become one, another survey follows.
    if (!survey_ || crosses_graphs_) return {};
    const Where where = {.byte = offset_, .line = records_, .column = 1};
    return context_.Warn(code, where, std::forward<MakeMessage>(make_message));
  }

  const ByteSource& source_;
  Context& context_;
  const ChunkSet wanted_;
  ChunkSink& out_;
  const bool survey_;
  Index& index_;
  Lookup lookup_;
  StringChunks strings_;
  Section* section_ = nullptr;
  Record record_;
  std::uint64_t offset_ = 0;   // of record_
  std::string_view line_;      // with its end
  std::uint64_t records_ = 0;  // lines so far
  std::uint64_t slices_ = 0;   // sliced strings that were checked
  bool crosses_graphs_ = false;
  bool needs_edges_ = true;
  const bool keeps_nodes_ = Wants(pb::Chunk::kNodes);

  std::uint64_t string_ = 0;  // position of the next string record
  std::uint64_t made_ = 0;    // strings that MakeString() made
  std::uint64_t node_ = 0;    // position of the next node, over all graphs
  // Of the current graph.
  GraphCounts counts_;
  std::uint64_t sent_values_ = 0;
  std::uint64_t pending_values_ = 0;   // in value_chunks_
  std::uint64_t pending_text_ = 0;     // of lines since the last Flush()
  std::uint64_t pending_entries_ = 0;  // of metadata since then
  std::uint64_t type_rows_ = 0, root_rows_ = 0, frame_rows_ = 0;
  // Owner of the last value in each space; all graphs share the strings.
  std::array<std::uint64_t, pb::Values::Owner_ARRAYSIZE> last_owners_{};
  std::uint64_t first_string_ = 0;  // since the last Nodes chunk
  bool follows_strings_ = false;    // string records came since then
  // The current run of records of one kind.
  pb::Chunk::BodyCase noted_ = pb::Chunk::BODY_NOT_SET;
  std::uint64_t run_ = 0;

  // Of the current node.
  int row_ = 0;
  bool has_dangling_type_ = false;  // as its flags say
  std::uint64_t local_ = 0;         // in its graph
  std::uint64_t next_new_id_ = 0;
  // Only in our own files; the text is an index here.
  OwnValue own_value_;
  std::uint64_t own_type_ = 0;

  IdTable<std::uint32_t> oddballs_;  // forms
  std::string text_;
  WaitingColumns node_columns_, edge_columns_;  // for rows to come
  pb::Chunk nodes_, edge_chunk_, other_, extra_, metadata_, order_;
  bool keeps_data_ = false;  // has kept more than declarations
  std::array<pb::Chunk, pb::Values::Owner_ARRAYSIZE> value_chunks_;  // by owner
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_READERS_DRAFT_DRAFT_PASS_H_
