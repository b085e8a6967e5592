// The way back: lines as they were in a file of this format.
#ifndef HEAPGLOT_WRITERS_DRAFT_DRAFT_NATIVE_H_
#define HEAPGLOT_WRITERS_DRAFT_DRAFT_NATIVE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draft/draft_form.h"
#include "core/draft/draft_lines.h"
#include "core/draft/draft_record.h"
#include "core/draft/draft_record_writer.h"
#include "core/ir/synthesized_edges.h"
#include "core/packed_numbers.h"
#include "core/text/string_texts.h"
#include "heapglot/stream.h"
#include "writers/draft/draft_rows.h"
#include "writers/draft/draft_window.h"

namespace heapglot::draft {

// Writes a stream that our reader made from such a file: records in the order
// of RecordOrder, with its verbatim lines and those of Extra in between.
// Memory: 8 bytes a node at most (0.2 if the ids ascend in equal steps), 8
// bytes a string, and the chunks between two RecordOrder chunks.
class NativeWriter : public Writer {
 public:
  // What becomes of records that the stream keeps as lines.
  enum class Lines : std::uint8_t {
    kKeep,     // they stay as they are, if the form has lines
    kArrays,   // they become arrays where they can
    kObjects,  // they become objects where they can
  };
  NativeWriter(const Form& form, Lines lines, std::unique_ptr<RecordWriter> out)
      : form_(form),
        shape_(lines),
        out_(std::move(out)),
        parser_(schema_, kMaxDepth) {
    ids_.known = &string_ids_;
  }

  ChunkSet Wanted(int pass) override;
  Status Accept(const pb::Chunk& chunk) override;
  Status Finish() override;
  bool HasPutBack() const override { return true; }

 private:
  enum Pass { kSurvey, kWrite };
  // Bytes; no name of a field is longer.
  static constexpr std::size_t kMaxName = 1024;
  static constexpr std::uint64_t kMaxDepth = 1000;
  struct Kind {
    std::uint64_t code = 0;
    std::uint32_t name_form = 0;
  };

  struct Verbatim {
    std::string text;
    std::size_t at = 0;  // where the next line begins
  };

  void Survey(const pb::Chunk& chunk);
  void SurveyStrings(const pb::Strings& strings);
  void AddStrings(const pb::Chunk& chunk);
  void AddKinds(const pb::Vocabulary& words);
  void Replay(const pb::RecordOrder& order);
  void ReplayAll();
  bool WriteOne(std::uint32_t body);
  bool WriteLine(Verbatim& lines);
  bool CanReshape() const;
  bool WriteAsText(std::size_t slot);
  void Reshape();
  void Rewrite();
  void Learn();
  bool HasRoom(const Type* of, std::span<const Field> fields);
  bool WriteMetadata();
  bool WriteString();
  void WriteStringRecord(std::uint64_t id, std::string_view text, int encoding);
  void BeginRecord(const Type& type, const Subtype* subtype, ValueRows& values,
                   std::uint64_t owner) {
    // Most files have no values.
    if (!values.empty() && HasNamedField(type, subtype, values, owner))
      out_->BeginNamed(type, subtype);
    else
      out_->Begin(type, subtype);
  }
  bool HasNamedField(const Type& type, const Subtype* subtype,
                     ValueRows& values, std::uint64_t owner) const;
  void WriteSubtype(const Subtype* subtype, ValueRows& values,
                    std::uint64_t owner, const Field& field);
  bool WriteNode();
  bool WriteNodeField(const pb::Nodes& nodes, int row, const Field& field,
                      const Layout& layout);
  bool WriteForeignField(const pb::Nodes& nodes, int row, const Field& field);
  bool WriteEdge();
  bool WriteEdgeRecord(const pb::Edges& edges, int row, std::uint64_t from);
  bool WriteEdgeField(const pb::Edges& edges, int row, const Field& field,
                      std::uint64_t from);
  bool WriteDest(const pb::Edges& edges, int row);
  bool WriteLabel(const pb::Edges& edges, int row);
  std::uint32_t NameFormOf(const pb::Edges& edges, int row) const;
  bool WriteValueOf(ValueRows& values, std::uint64_t owner, const Field& field);
  void WriteRest(ValueRows& values, std::uint64_t owner);
  Type* TypeOf(std::string_view name);
  const Subtype* SubtypeOf(Type* type, const std::vector<Kind>& kinds,
                           std::uint32_t kind) const;
  void Clear();

  std::uint64_t NodeId(std::uint64_t index) const {
    const std::uint64_t position = node_base_ + index;
    return is_own_ || position >= node_ids_.size() ? OwnIds::Node(position)
                                                   : node_ids_[position];
  }
  std::uint64_t StringId(std::uint64_t index) const {
    return index < string_ids_.size() ? string_ids_[index] : 0;
  }

  const Form form_;
  const Lines shape_;
  const std::unique_ptr<RecordWriter> out_;
  Schema schema_;
  RecordParser parser_;
  Record record_;
  Status status_;             // besides that of out_
  std::uint64_t offset_ = 0;  // counts lines: later ones are greater
  int pass_ = 0;
  bool is_own_ = false;
  FileTraits traits_;
  OwnIds ids_;
  PackedNumbers node_ids_;
  std::vector<std::uint64_t> string_ids_ = {0};  // by index
  bool goes_on_ = false;  // the last string of the survey continues
  StringTexts names_{kMaxName};
  std::uint64_t graph_ = 0;      // ordinal + 1
  std::uint64_t node_base_ = 0;  // nodes of the graphs before
  std::vector<Kind> node_kinds_, edge_kinds_;
  SynthesizedEdges synthesized_;  // of this graph

  // Since the last RecordOrder.
  Rows strings_, nodes_, edges_, metadata_;
  ValueRows node_values_{string_ids_}, edge_values_{string_ids_};
  Verbatim lines_, order_lines_;  // of Extra, of RecordOrder
  StringTexts made_{std::size_t{1} << 30};
  int edge_slot_ = -1;           // in edges_per_node
  std::uint32_t edge_left_ = 0;  // edges left of that node
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_WRITERS_DRAFT_DRAFT_NATIVE_H_
