#include "writers/heapir/heapir_encoder.h"

#include <zstd.h>

#include <algorithm>
#include <cassert>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "core/column.h"
#include "core/ir/encode.h"
#include "core/ir/extent.h"
#include "core/ir/planes.h"
#include "core/ir/wire.h"
#include "heapglot/ir/v1/frame.pb.h"
#include "readers/heapir/heapir_wire.h"

namespace heapglot::heapir {
namespace {

using ColumnPb = ir::v1::Column;
using ContentPb = ir::v1::Content;
using FramePb = ir::v1::Frame;
using PredictedPb = ir::v1::PredictedEdges;
using TrailerPb = ir::v1::Trailer;

// Matches in byte planes are short; the 7 bytes that level 1 looks for are too
// long. Level 3 takes a quarter more time and makes real heaps 5 % smaller, but
// finds nothing in unpredictable references. A table of 8,192 entries finds
// nearly as much as one of 131,072 (files are 0.4 % larger), and takes up to a
// fifth less time, because it stays in the cache next to the processor.
constexpr FrameWriter::Packing kThorough = {
    .level = 3, .match = 4, .table = 13};
constexpr FrameWriter::Packing kQuick = {.level = 1, .match = 5, .table = 13};

// A small source image gets the parameters of the level. In a large one, which
// is mostly numbers of objects, only matches that are quickly found are taken:
// that is at least twice as fast, for 3 % (a real Dart heap) to 10 %
// (unpredictable references) more bytes.
constexpr FrameWriter::Packing kOfSource = {.level = 1};
constexpr FrameWriter::Packing kOfLargeSource = {
    .level = 1, .match = 7, .table = 9};
constexpr std::uint64_t kLargeSource = std::uint64_t{8} << 20;

// Readers take a file for a bomb if its contents are more than 1,000 times as
// large, and more than 64 MiB. To prevent that, a content is now and then
// stored as it is.
constexpr std::uint64_t kMostTimes = 500;
constexpr std::uint64_t kFreeContents = std::uint64_t{32} << 20;

// Both ways to write edges are tried with one of this many frames of edges; the
// frames in between follow the last such one.
constexpr std::uint64_t kTryBoth = 16;
// Predicted edges take longer to read: they must save one byte in this many.
constexpr std::size_t kWorthwhile = 16;

// Fails only for a parameter that this libzstd does not know, which would be a
// bug of ours.
void Set(ZSTD_CCtx* zstd, ZSTD_cParameter parameter, int value) {
  [[maybe_unused]] const std::size_t error =
      ZSTD_CCtx_setParameter(zstd, parameter, value);
  assert(ZSTD_isError(error) == 0);
}

// What a reader counts in a chunk with this content, and has limits for.
Extent ExtentOf(const pb::Chunk& chunk, std::string_view content) {
  const google::protobuf::Message& body = BodyOf(chunk);
  // The content begins with the chunk, which holds the body.
  wire::Field plain;
  wire::FieldCursor(content).Next(&plain);
  wire::FieldCursor(plain.bytes).Next(&plain);
  Extent extent;
  extent.AddPlain(*body.GetDescriptor(), plain.bytes);
  ForEachColumn(body, [&extent](const ColumnPath&, const auto& message,
                                const auto& field) {
    extent.AddColumn(field, ColumnSize(message, field));
  });
  extent.AddRows(chunk);
  return extent;
}

const google::protobuf::FieldDescriptor* ValueColumn() {
  return pb::Nodes::descriptor()->FindFieldByNumber(
      pb::Nodes::kValueFieldNumber);
}

}  // namespace

FrameWriter::FrameWriter(ByteSink& sink, bool compress) : out_(sink) {
  if (!compress) return;
  zstd_.reset(ZSTD_createCCtx());
  if (zstd_ == nullptr) throw std::bad_alloc();
}

void FrameWriter::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

Status FrameWriter::Accept(const pb::Chunk& chunk) {
  if (frames_ == 0) WriteFileHeader();
  packing_ = !chunk.has_source_image() ? kThorough
             : images_ < kLargeSource  ? kOfSource
                                       : kOfLargeSource;
  if (zstd_ != nullptr && chunk.has_edges())
    EncodeEdges(chunk);
  else
    EncodeContent(chunk);
  if (content_.size() > kMaxContent) {
    return {Code::kLimit, "heapir: " + std::to_string(content_.size()) +
                              " bytes in one chunk; a frame holds " +
                              std::to_string(kMaxContent)};
  }
  const Extent extent = ExtentOf(chunk, content_.view());
  if (!FitsInFrame(extent)) {
    return {Code::kLimit,
            "heapir: " + std::to_string(extent.rows) + " rows of " +
                std::to_string(extent.parts) +
                " columns, messages and texts in one chunk; a frame holds " +
                std::to_string(kMaxRows) + " and " + std::to_string(kMaxParts)};
  }
  contents_ += content_.size() + extent.rows + extent.fields;
  if (chunk.has_source_image()) images_ += content_.size();
  WriteFrame(static_cast<std::uint32_t>(chunk.body_case()),
             chunk.has_strings() && chunk.strings().names(), zstd_ != nullptr);
  return out_.status();
}

Status FrameWriter::Copy(std::string_view frame, std::uint64_t checksum) {
  out_.Write(frame);
  checksums_.Add(checksum);
  ++frames_;
  return out_.status();
}

Status FrameWriter::Finish() {
  out_.Flush();
  return out_.status();
}

void FrameWriter::WriteFileHeader() {
  out_.Write(kMagic);
  ir::v1::FileHeader header;
  header.set_version_major(kVersionMajor);
  header.set_version_minor(kVersionMinor);
  if (zstd_ != nullptr) {
    header.add_required_features(std::string(kFeatureZstd));
    header.add_required_features(std::string(kFeaturePrediction));
  }
  content_.Clear();
  EncodeWithoutColumns(header, &content_);
  WriteFrame(kFileHeaderKind, /*names=*/false, /*compress=*/false);
}

void FrameWriter::EncodeContent(const pb::Chunk& chunk) {
  content_.Clear();
  EncodeFieldWithoutColumns(ContentPb::kChunkFieldNumber, chunk, &content_);
  ForEachColumn(BodyOf(chunk), [&](const ColumnPath& path, const auto& message,
                                   const auto& field) {
    if (zstd_ != nullptr && &field == ValueColumn())
      return EncodeValues(path, chunk.nodes());
    std::visit([&](auto entries) { EncodeColumn(path, entries); },
               EntriesOf(message, field));
  });
  if (!chunk.has_footer()) return;
  part_.Clear();
  wire::AppendNumber(TrailerPb::kFramesFieldNumber, frames_, &part_);
  wire::AppendFixed64(TrailerPb::kChecksumFieldNumber, checksums_.value(),
                      &part_);
  wire::AppendBytes(ContentPb::kTrailerFieldNumber, part_.view(), &content_);
}

void FrameWriter::EncodeEdges(const pb::Chunk& chunk) {
  const bool try_both = edge_frames_++ % kTryBoth == 0;
  const bool is_predicted =
      (try_both || predicts_) && prediction_.Encode(chunk.edges());
  if (is_predicted) {
    EncodePredicted(chunk);
    if (!try_both) return;
    const std::size_t predicted = Compressed().size();
    packing_ = kQuick;
    EncodeContent(chunk);
    const std::size_t plain = Compressed().size();
    predicts_ = predicted < plain - plain / kWorthwhile;
    if (predicts_) EncodePredicted(chunk);
  } else {
    EncodeContent(chunk);
  }
  packing_ = is_predicted && predicts_ ? kThorough : kQuick;
}

// Encodes the edges as prediction_ has them.
void FrameWriter::EncodePredicted(const pb::Chunk& chunk) {
  content_.Clear();
  EncodeFieldWithoutColumns(ContentPb::kChunkFieldNumber, chunk, &content_);
  ForEachColumn(chunk.edges(), [this](const ColumnPath& path,
                                      const auto& message, const auto& field) {
    const bool is_extra = path.size > 1;
    if (!is_extra && field.number() == pb::Edges::kKindFieldNumber) return;
    Entries entries = EntriesOf(message, field);
    if (!is_extra && field.number() == pb::Edges::kNameFieldNumber)
      entries = prediction_.missed_names();
    if (!is_extra && field.number() == pb::Edges::kToFieldNumber)
      entries = prediction_.missed_targets();
    std::visit(
        [&](auto all) {
          if (!all.empty()) EncodeColumn(path, all);
        },
        entries);
  });
  part_.Clear();
  wire::AppendBytes(PredictedPb::kLabelsFieldNumber, prediction_.labels(),
                    &part_);
  wire::AppendBytes(PredictedPb::kTargetsFieldNumber, prediction_.targets(),
                    &part_);
  wire::AppendBytes(ContentPb::kPredictedFieldNumber, part_.view(), &content_);
}

void FrameWriter::EncodeValues(const ColumnPath& path, const pb::Nodes& nodes) {
  const std::span values = SpanOf(nodes.value());
  const std::span names = SpanOf(nodes.name());
  if (names.size() != values.size()) return EncodeColumn(path, values);
  std::size_t names_again = 0;
  std::size_t others = 0;
  bool has_most = false;  // a value of 2^64 - 1, to which 1 cannot be added
  other_values_.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t value = values[i];
    const bool is_name = value == names[i];
    other_values_[i] = is_name ? 0 : value + 1;
    names_again += is_name && value != 0 ? 1 : 0;
    others += !is_name && value != 0 ? 1 : 0;
    has_most |= !is_name && value == ~std::uint64_t{0};
  }
  if (has_most || names_again <= others) return EncodeColumn(path, values);
  EncodeColumn(path, std::span<const std::uint64_t>(other_values_),
               pb::Nodes::kNameFieldNumber);
}

template <typename T>
void FrameWriter::EncodeColumn(const ColumnPath& path,
                               std::span<const T> entries, std::uint32_t like) {
  const planes::Shape shape = planes::Choose(entries.data(), entries.size());
  const std::size_t size = shape.width * entries.size();
  ByteBuffer& path_bytes = frame_;  // free until the content is complete
  path_bytes.Clear();
  for (std::size_t i = 0; i < path.size; ++i)
    wire::AppendVarint(path.numbers[i], &path_bytes);

  part_.Clear();
  wire::AppendBytes(ColumnPb::kPathFieldNumber, path_bytes.view(), &part_);
  wire::AppendNumber(ColumnPb::kEncodingFieldNumber,
                     static_cast<std::uint64_t>(shape.encoding), &part_);
  wire::AppendNumber(ColumnPb::kWidthFieldNumber, shape.width, &part_);
  wire::AppendNumber(ColumnPb::kCountFieldNumber, entries.size(), &part_);
  wire::AppendNumber(ColumnPb::kBaseFieldNumber, shape.base, &part_);
  if (size != 0)
    wire::AppendBytesHead(ColumnPb::kPlanesFieldNumber, size, &part_);
  // Goes after the planes.
  const std::size_t head = part_.size();
  wire::AppendNumber(ColumnPb::kLikeFieldNumber, like, &part_);

  wire::AppendBytesHead(ContentPb::kColumnFieldNumber, part_.size() + size,
                        &content_);
  content_.Append(part_.view().substr(0, head));
  planes::Split(entries.data(), entries.size(), shape, content_.Grow(size));
  content_.Append(part_.view().substr(head));
}

std::string_view FrameWriter::Compressed() {
  compressed_.Clear();
  Set(zstd_.get(), ZSTD_c_compressionLevel, packing_.level);
  Set(zstd_.get(), ZSTD_c_minMatch, packing_.match);
  Set(zstd_.get(), ZSTD_c_hashLog, packing_.table);
  Set(zstd_.get(), ZSTD_c_chainLog, packing_.table);
  const std::size_t most = ZSTD_compressBound(content_.size());
  const std::size_t size =
      ZSTD_compress2(zstd_.get(), compressed_.Grow(most), most, content_.data(),
                     content_.size());
  // The room suffices, so only memory can have run out.
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  if (size >= content_.size()) return content_.view();
  compressed_.Shrink(size);
  return compressed_.view();
}

bool FrameWriter::IsTooSmall(std::size_t stored) const {
  return contents_ > kFreeContents && contents_ / kMostTimes > stored_ + stored;
}

void FrameWriter::WriteFrame(std::uint32_t kind, bool names, bool compress) {
  std::string_view stored = compress ? Compressed() : content_.view();
  if (IsTooSmall(stored.size())) stored = content_.view();
  stored_ += stored.size();
  const int field = stored.data() == content_.data()
                        ? FramePb::kRawFieldNumber
                        : FramePb::kZstdFieldNumber;
  frame_.Clear();
  wire::AppendNumber(FramePb::kKindFieldNumber, kind, &frame_);
  wire::AppendNumber(FramePb::kNamesFieldNumber, names ? 1 : 0, &frame_);
  wire::AppendNumber(FramePb::kRawSizeFieldNumber, content_.size(), &frame_);
  wire::AppendBytesHead(field, stored.size(), &frame_);
  // The stored content is not copied into frame_.
  checksum_.Reset();
  checksum_.Add(frame_.view());
  checksum_.Add(stored);
  const std::uint64_t checksum = checksum_.value();
  const std::size_t head = frame_.size();
  wire::AppendFixed64(FramePb::kChecksumFieldNumber, checksum, &frame_);

  char length[wire::kMaxVarint];
  const char* const end =
      wire::PutVarint(frame_.size() + stored.size(), length);
  out_.Write({length, static_cast<std::size_t>(end - length)});
  out_.Write(frame_.view().substr(0, head));
  out_.Write(stored);
  out_.Write(frame_.view().substr(head));
  checksums_.Add(checksum);
  ++frames_;
}

}  // namespace heapglot::heapir
