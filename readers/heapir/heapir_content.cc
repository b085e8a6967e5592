#include "readers/heapir/heapir_content.h"

#include <algorithm>
#include <span>

#include "core/ir/columns.h"
#include "core/ir/planes.h"
#include "core/ir/wire.h"
#include "core/text/utf.h"
#include "readers/heapir/heapir_frames.h"
#include "readers/heapir/heapir_wire.h"

namespace heapglot::heapir {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ContentPb = ir::v1::Content;
using ColumnPb = ir::v1::Column;
using PredictedPb = ir::v1::PredictedEdges;

// Whether a field that must be UTF-8 is UTF-8. libprotobuf checks this, too,
// but reports it on standard error.
bool IsText(const FieldDescriptor& known, const wire::Field& field) {
  return known.type() != FieldDescriptor::TYPE_STRING ||
         field.type != wire::kBytes || ClassifyUtf8(field.bytes) == pb::UTF8;
}

// The same for all of a FileHeader. What the cursor does not know (groups,
// 32-bit numbers) is rejected, as in chunks, because texts may follow it.
bool HasTexts(std::string_view header) {
  wire::FieldCursor fields(header);
  wire::Field field;
  while (fields.Next(&field)) {
    const FieldDescriptor* const known =
        ir::v1::FileHeader::descriptor()->FindFieldByNumber(
            static_cast<int>(field.number));
    if (known != nullptr && !IsText(*known, field)) return false;
  }
  return fields.ok();
}

// A Column, in place.
struct Column {
  ColumnPath path;
  planes::Shape shape;
  std::uint64_t count = 0;
  std::string_view planes;
  std::uint32_t like = 0;
};

bool ParsePath(std::string_view bytes, ColumnPath* path) {
  while (!bytes.empty()) {
    std::uint64_t number;
    if (path->size == path->numbers.size() ||
        !wire::TakeVarint(&bytes, &number) || number > INT32_MAX)
      return false;
    path->numbers[path->size++] = static_cast<std::uint32_t>(number);
  }
  return true;
}

bool ParseColumn(std::string_view bytes, Column* column) {
  wire::FieldCursor fields(bytes);
  wire::Field field;
  std::uint32_t before = 0;
  while (fields.Next(&field)) {
    if (field.number <= before) return false;
    before = field.number;
    const bool has_bytes = field.number == ColumnPb::kPathFieldNumber ||
                           field.number == ColumnPb::kPlanesFieldNumber;
    if (field.type != (has_bytes ? wire::kBytes : wire::kVarint)) return false;
    switch (field.number) {
      case ColumnPb::kPathFieldNumber:
        if (!ParsePath(field.bytes, &column->path)) return false;
        break;
      case ColumnPb::kEncodingFieldNumber:
        if (field.value > ColumnPb::Encoding_MAX) return false;
        column->shape.encoding = static_cast<ColumnPb::Encoding>(field.value);
        break;
      case ColumnPb::kWidthFieldNumber:
        if (field.value > sizeof(std::uint64_t)) return false;
        column->shape.width = static_cast<std::uint32_t>(field.value);
        break;
      case ColumnPb::kCountFieldNumber:
        column->count = field.value;
        break;
      case ColumnPb::kBaseFieldNumber:
        column->shape.base = field.value;
        break;
      case ColumnPb::kPlanesFieldNumber:
        column->planes = field.bytes;
        break;
      case ColumnPb::kLikeFieldNumber:
        if (field.value > INT32_MAX) return false;
        column->like = static_cast<std::uint32_t>(field.value);
        break;
      default:
        return false;
    }
  }
  return fields.ok();
}

}  // namespace

bool IsChunkKind(std::uint32_t kind) {
  return kind < kFirstSkippableKind &&
         BodyField(static_cast<int>(kind)) != nullptr;
}

Status ReadFileHeader(const Frame& frame, std::string_view content,
                      ir::v1::FileHeader* header) {
  if (content.size() > kMaxFileHeader) {
    return frame.Error(Code::kLimit,
                       "the file header has " + std::to_string(content.size()) +
                           " bytes; at most " + std::to_string(kMaxFileHeader) +
                           " are allowed");
  }
  if (!HasTexts(content) ||
      !header->ParseFromArray(content.data(),
                              static_cast<int>(content.size()))) {
    return frame.Error(Code::kMalformed, "it has no FileHeader");
  }
  if (header->version_major() == 0)
    return frame.Error(Code::kMalformed, "version_major is missing");
  if (header->version_major() > kVersionMajor) {
    return frame.Error(
        Code::kUnsupported,
        "the file has version " + std::to_string(header->version_major()) +
            "." + std::to_string(header->version_minor()) +
            "; this program knows version " + std::to_string(kVersionMajor));
  }
  for (const std::string& feature : header->required_features()) {
    if (feature == kFeatureZstd || feature == kFeaturePrediction) continue;
    return frame.Error(Code::kUnsupported,
                       "the file needs the feature " + feature +
                           ", which this program does not know");
  }
  if (header->version_minor() > kVersionMinor) {
    header->DiscardUnknownFields();
  } else if (!ir::v1::FileHeader::GetReflection()
                  ->GetUnknownFields(*header)
                  .empty()) {
    return frame.Error(Code::kMalformed, "its FileHeader has unknown fields");
  }
  return {};
}

Status ContentReader::Read(const Frame& frame, std::string_view content) {
  if (extent_.column_bytes > kKeptBytes) chunks_[kind_].reset();
  kind_ = frame.kind;
  std::unique_ptr<pb::Chunk>& reused = chunks_[kind_];
  if (reused == nullptr) reused = std::make_unique<pb::Chunk>();
  body_ = MutableBody(reused.get(), static_cast<int>(kind_));
  last_path_ = {};
  extent_ = {};
  trailer_.reset();
  predicted_.reset();
  has_prediction_ = false;
  Fault fault = ReadFields(content);
  if (fault.code == Code::kOk) fault = CheckRows();
  if (fault.code == Code::kOk) fault = Restore();
  return fault.code == Code::kOk ? Status()
                                 : frame.Error(fault.code, fault.message);
}

ContentReader::Fault ContentReader::ReadFields(std::string_view content) {
  wire::FieldCursor fields(content);
  wire::Field field;
  bool has_chunk = false;
  while (fields.Next(&field)) {
    const bool is_first = field.number == ContentPb::kChunkFieldNumber;
    if (is_first == has_chunk || field.type != wire::kBytes) {
      return {Code::kMalformed,
              "its content does not begin with its chunk, the only one"};
    }
    has_chunk = true;
    Fault fault;
    switch (field.number) {
      case ContentPb::kChunkFieldNumber:
        fault = ReadChunk(field.bytes);
        break;
      case ContentPb::kColumnFieldNumber:
        fault = ReadColumn(field.bytes);
        break;
      case ContentPb::kTrailerFieldNumber:
        fault = ReadTrailer(field.bytes);
        break;
      case ContentPb::kPredictedFieldNumber:
        fault = ReadPredicted(field.bytes);
        break;
      default:
        if (lenient_) break;
        return {Code::kMalformed, "its content has the unknown field " +
                                      std::to_string(field.number)};
    }
    if (fault.code != Code::kOk) return fault;
  }
  if (!fields.ok() || !has_chunk)
    return {Code::kMalformed, "its content is no Content message"};
  return {};
}

ContentReader::Fault ContentReader::ReadChunk(std::string_view bytes) {
  wire::FieldCursor fields(bytes);
  wire::Field field;
  if (!fields.Next(&field) || field.type != wire::kBytes ||
      field.number != kind_ || !fields.rest().empty()) {
    return {Code::kMalformed, "its chunk does not have one body of kind " +
                                  std::to_string(kind_)};
  }
  // Checked first, because a message may take many times the memory of its
  // bytes.
  const Descriptor& type = *body_->GetDescriptor();
  extent_.AddPlain(type, field.bytes);
  if (!FitsInFrame(extent_)) {
    return {Code::kLimit, "its chunk has more than " +
                              std::to_string(kMaxParts) +
                              " texts and messages"};
  }
  if (Fault fault = CheckPlain(type, field.bytes); fault.code != Code::kOk)
    return fault;
  if (!body_->ParseFromArray(field.bytes.data(),
                             static_cast<int>(field.bytes.size())))
    return {Code::kMalformed, "its chunk is no " + type.name() + " message"};
  if (lenient_) body_->DiscardUnknownFields();
  return {};
}

ContentReader::Fault ContentReader::CheckPlain(const Descriptor& type,
                                               std::string_view bytes) {
  wire::FieldCursor fields(bytes);
  wire::Field field;
  while (fields.Next(&field)) {
    const FieldDescriptor* const known =
        type.FindFieldByNumber(static_cast<int>(field.number));
    if (known != nullptr) {
      Fault fault = CheckPlainField(*known, field);
      if (fault.code != Code::kOk) return fault;
    } else if (!lenient_) {
      return {Code::kMalformed, "there is no field " +
                                    std::to_string(field.number) + " in " +
                                    type.name()};
    }
  }
  if (fields.ok()) return {};
  return {Code::kMalformed, "its chunk has a broken " + type.name()};
}

ContentReader::Fault ContentReader::CheckPlainField(
    const FieldDescriptor& known, const wire::Field& field) {
  if (IsColumn(known)) {
    return {Code::kMalformed,
            "column " + known.name() + " stands in the chunk, not beside it"};
  }
  if (field.type != wire::kBytes) return {};
  if (!IsText(known, field)) {
    return {Code::kMalformed, known.full_name() + " is no UTF-8"};
  }
  if (known.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return {};
  // Recurses as deep as the types of chunk.proto, whatever the file has.
  return CheckPlain(*known.message_type(), field.bytes);
}

ContentReader::Fault ContentReader::ReadColumn(std::string_view bytes) {
  Column column;
  if (!ParseColumn(bytes, &column))
    return {Code::kMalformed, "it has a broken Column"};
  if (column.path.numbers <= last_path_.numbers)
    return {Code::kMalformed, "its columns are not in the order of their path"};
  last_path_ = column.path;
  Message* owner = nullptr;
  const FieldDescriptor* field = nullptr;
  Fault fault = FindColumn(column.path, &owner, &field);
  if (fault.code != Code::kOk) return fault;
  if (field == nullptr) return {};

  // column.count may be any 64-bit number.
  extent_.AddColumn(*field, std::min(column.count, kMaxColumnBytes + 1));
  if (!FitsInFrame(extent_)) {
    return {Code::kLimit, "column " + field->name() + " has " +
                              std::to_string(column.count) +
                              " entries, which is more than a frame may hold"};
  }
  if (column.count == 0 || column.shape.width > EntrySize(*field) ||
      column.planes.size() != column.shape.width * column.count) {
    return {Code::kMalformed, "column " + field->name() + " has " +
                                  std::to_string(column.planes.size()) +
                                  " bytes for " + std::to_string(column.count) +
                                  " entries of " +
                                  std::to_string(column.shape.width)};
  }
  const NewEntries entries = GrowColumn(owner, *field, column.count);
  std::visit(
      [&](auto all) {
        planes::Join(column.planes.data(), all.size(), column.shape,
                     all.data());
      },
      entries);
  return column.like == 0 ? Fault() : FillIn(column.path, column.like, entries);
}

// Resolves entries against column `like`: 0 stands for its entry, n + 1 for n.
ContentReader::Fault ContentReader::FillIn(const ColumnPath& path,
                                           std::uint32_t like,
                                           const NewEntries& entries) {
  has_prediction_ = true;
  const auto* const wide = std::get_if<std::span<std::uint64_t>>(&entries);
  const FieldDescriptor* const field =
      body_->GetDescriptor()->FindFieldByNumber(static_cast<int>(like));
  std::span<const std::uint64_t> others;
  if (field != nullptr && IsColumn(*field)) {
    const Entries all = EntriesOf(*body_, *field);
    const auto* const found = std::get_if<decltype(others)>(&all);
    if (found != nullptr) others = *found;
  }
  if (path.size != 1 || like >= path.numbers[0] || wide == nullptr ||
      wide->size() != others.size()) {
    return {Code::kMalformed, "column " + std::to_string(path.numbers[0]) +
                                  " is said to be like column " +
                                  std::to_string(like) +
                                  ", which is no such column before it"};
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    std::uint64_t& entry = (*wide)[i];
    entry = entry == 0 ? others[i] : entry - 1;
  }
  return {};
}

// Leaves `*column` nullptr for an unknown column if that is allowed.
ContentReader::Fault ContentReader::FindColumn(const ColumnPath& path,
                                               Message** owner,
                                               const FieldDescriptor** column) {
  const FieldDescriptor* field = body_->GetDescriptor()->FindFieldByNumber(
      static_cast<int>(path.numbers[0]));
  *owner = body_;
  if (path.size == 3 && field != nullptr && IsExtraColumns(*field)) {
    const auto index = static_cast<int>(path.numbers[1]);
    const auto& reflection = *body_->GetReflection();
    if (index >= reflection.FieldSize(*body_, field)) {
      return {Code::kMalformed, "there is no extra column " +
                                    std::to_string(index) +
                                    ", of which it has entries"};
    }
    *owner = reflection.MutableRepeatedMessage(body_, field, index);
    field = pb::ExtraColumn::descriptor()->FindFieldByNumber(
        static_cast<int>(path.numbers[2]));
  } else if (path.size != 1) {
    field = nullptr;
  }
  if (field != nullptr && IsColumn(*field)) {
    *column = field;
    return {};
  }
  if (lenient_) return {};
  return {Code::kMalformed, "there is no column " +
                                std::to_string(path.numbers[0]) + " in " +
                                body_->GetDescriptor()->name()};
}

ContentReader::Fault ContentReader::ReadTrailer(std::string_view bytes) {
  bool has_unknown = false;
  if (!ParseTrailer(bytes, &trailer_.emplace(), &has_unknown))
    return {Code::kMalformed, "its trailer is broken"};
  if (has_unknown && !lenient_)
    return {Code::kMalformed, "its trailer has an unknown field"};
  return {};
}

ContentReader::Fault ContentReader::ReadPredicted(std::string_view bytes) {
  if (predicted_.has_value())
    return {Code::kMalformed, "it has PredictedEdges twice"};
  has_prediction_ = true;
  Predicted& predicted = predicted_.emplace();
  wire::FieldCursor fields(bytes);
  wire::Field field;
  while (fields.Next(&field)) {
    const bool has_bytes = field.type == wire::kBytes;
    if (has_bytes && field.number == PredictedPb::kLabelsFieldNumber) {
      predicted.labels = field.bytes;
    } else if (has_bytes && field.number == PredictedPb::kTargetsFieldNumber) {
      predicted.targets = field.bytes;
    } else if (!lenient_) {
      return {Code::kMalformed, "its PredictedEdges have an unknown field"};
    }
  }
  if (fields.ok()) return {};
  return {Code::kMalformed, "its PredictedEdges are broken"};
}

ContentReader::Fault ContentReader::CheckRows() {
  extent_.AddRows(*chunks_[kind_]);
  if (extent_.rows > kMaxRows) {
    return {Code::kLimit, "it has " + std::to_string(extent_.rows) +
                              " rows; at most " + std::to_string(kMaxRows) +
                              " are allowed"};
  }
  if (extent_.fields <= kMaxFieldRows) return {};
  return {Code::kLimit, "its types have " + std::to_string(extent_.fields) +
                            " fields, which is more than a frame may hold"};
}

// Puts predicted edges in their places.
ContentReader::Fault ContentReader::Restore() {
  if (!predicted_.has_value()) return {};
  if (kind_ != pb::Chunk::kEdges)
    return {Code::kMalformed, "it has PredictedEdges and is of another kind"};
  pb::Edges& edges = *chunks_[kind_]->mutable_edges();
  extent_.column_bytes += std::uint64_t{edges.count()} *
                          (sizeof(std::uint32_t) + 2 * sizeof(std::uint64_t));
  const std::string message =
      prediction_.Decode(predicted_->labels, predicted_->targets, &edges);
  if (message.empty()) return {};
  return {Code::kMalformed, "its PredictedEdges do not fit: " + message};
}

}  // namespace heapglot::heapir
