// Writes streams of other formats as records.
#ifndef HEAPGLOT_WRITERS_DRAFT_DRAFT_STREAM_WRITER_H_
#define HEAPGLOT_WRITERS_DRAFT_DRAFT_STREAM_WRITER_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draft/draft_form.h"
#include "core/draft/draft_lines.h"
#include "core/draft/draft_record_writer.h"
#include "core/loss/loss_code.h"
#include "core/loss/loss_tally.h"
#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/stream.h"
#include "writers/draft/draft_losses.h"
#include "writers/draft/draft_rows.h"
#include "writers/draft/draft_survey.h"

namespace heapglot::draft {

// Writes a stream of another format.
class StreamWriter : public Writer {
 public:
  // `fidelity` has the rows of kDraftFidelity under codes of the form.
  // `leftovers` may be nullptr.
  StreamWriter(const Form& form, std::span<const FidelityRow> fidelity,
               std::unique_ptr<RecordWriter> out, Leftovers* leftovers,
               Context& context)
      : form_(form),
        fidelity_(fidelity),
        context_(context),
        leftovers_(leftovers),
        out_(std::move(out)) {}

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;

 private:
  enum Pass { kSurvey, kWrite };

  void BeginFile();
  void WriteHelper(OwnText text);
  void WriteGraph(const pb::Graph& graph);
  void WriteGraphField(const pb::Graph& graph,
                       const google::protobuf::FieldDescriptor& field);
  void WriteSchemas(const pb::Graph& graph);
  void WriteVocabulary(const pb::Vocabulary& vocabulary);
  void WriteStrings(const pb::Strings& strings);
  void BeginString(std::uint64_t index);
  void EndString();
  void WriteNodes(const pb::Nodes& nodes);
  void WriteEdges(const pb::Edges& edges);
  void WriteEdge(const pb::Edges& edges, int row, std::uint64_t from);
  std::uint32_t NameFormOf(const pb::Edges& edges, int row) const;
  void WriteDest(const pb::Edges& edges, int row, std::uint64_t from);
  void WriteDecimal(std::uint64_t number);
  bool WriteEdgeField(const pb::Edges& edges, int row, Role role);
  void WriteTable(const pb::Chunk& chunk);
  void WriteRow(const google::protobuf::Message& rows,
                std::span<const Column> columns, const Type& type, int row);
  bool WriteCell(const google::protobuf::Message& rows, const Column& column,
                 int row);
  bool WriteTarget(const google::protobuf::Message& rows, const Column& column,
                   int row);
  bool WriteDangling(const google::protobuf::Message& rows, int row);
  // Which rows the cells of a column belong to.
  struct ColumnPlace {
    std::string_view table;  // the name of its records
    std::string_view of;     // kExtraTable: its name
    std::uint64_t first;     // row of the graph
  };
  void WriteColumn(const ColumnPlace& place, std::uint64_t begin,
                   std::uint64_t end, const pb::ExtraColumn& column);
  void WriteColumns(
      const ColumnPlace& place, std::uint64_t rows,
      const google::protobuf::RepeatedPtrField<pb::ExtraColumn>& columns);
  void WriteTableColumns(const pb::Chunk& chunk, std::string_view table,
                         std::uint64_t count);
  void WriteExtraTable(const pb::ExtraTable& table);
  void WriteTypeFields(const pb::Types& types, int row);
  void WriteMetadata(const pb::Metadata& metadata);
  void WriteValues(const pb::Values& values);
  void WriteValue(const pb::Values& values, int row);
  bool WriteImmediate(std::uint64_t value);
  void WriteExtra(const pb::Extra& extra);
  // Reported in Finish().
  LossTally& Loss(LossCode<kDraftFidelity> code) { return losses_[code.row()]; }

  const Form form_;
  const std::span<const FidelityRow> fidelity_;
  Context& context_;
  Leftovers* const leftovers_;
  const std::unique_ptr<RecordWriter> out_;
  int pass_ = 0;
  std::array<LossTally, std::size(kDraftFidelity)> losses_;
  Declarations declared_;
  OwnIds ids_;
  Decimals decimals_;
  std::uint64_t graph_ = 0;                // ordinal + 1
  std::uint64_t node_base_ = 0;            // nodes of the graphs before
  std::uint64_t edges_ = 0;                // of this graph so far
  std::vector<std::uint32_t> name_forms_;  // of kinds of edge
  int type_field_ = 0;                     // of this chunk
  std::uint64_t type_fields_ = 0;          // of this graph so far
  // Names of the columns beyond those of the stream, by table.
  std::map<std::string, std::set<std::string>> columns_;
  bool is_in_string_ = false;
  std::uint64_t string_ = 0;  // index of that string
  bool is_text_ = true;       // it is UTF-8 so far
  bool is_wtf8_ = true;       // it is so far, but for lone surrogates
  std::string rest_;          // its bytes, in case it is not UTF-8
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_WRITERS_DRAFT_DRAFT_STREAM_WRITER_H_
