#include "readers/heapir/heapir_raw.h"

#include <cstdint>
#include <string>

#include "core/ir/byte_buffer.h"
#include "core/ir/checksum.h"
#include "core/ir/wire.h"
#include "heapglot/ir/v1/chunk.pb.h"
#include "heapglot/ir/v1/frame.pb.h"
#include "readers/heapir/heapir_frames.h"
#include "readers/heapir/heapir_wire.h"

namespace heapglot::heapir {
namespace {

using FramePb = ir::v1::Frame;
using TrailerPb = ir::v1::Trailer;

class RawForm {
 public:
  explicit RawForm(ByteSink& out) : out_(out) {}

  Status Write(std::string_view file);

 private:
  Status WriteFrame(const Frame& frame, std::string_view content);
  // Makes the content of the last frame, with a trailer for the new frames in
  // place of the old one, which is returned in `*trailer`.
  Status Retie(const Frame& frame, std::string_view content,
               TrailerPb* trailer);

  ByteSink& out_;
  Unpacker unpacker_;
  ChecksumOfNumbers checksums_;  // of the new frames
  ByteBuffer frame_;
  ByteBuffer footer_;
};

Status RawForm::Write(std::string_view file) {
  HEAPGLOT_RETURN_IF_ERROR(out_.Write(kMagic));
  FrameCursor cursor(file);
  ChecksumOfNumbers checksums;
  Frame frame;
  for (; !cursor.at_end(); checksums.Add(frame.checksum)) {
    HEAPGLOT_RETURN_IF_ERROR(cursor.Next(&frame));
    HEAPGLOT_RETURN_IF_ERROR(CheckChecksum(frame));
    const Result<std::string_view> content = unpacker_.Unpack(frame);
    if (!content.ok()) return content.status();
    if (frame.kind == ir::v1::Chunk::kFooter) {
      TrailerPb trailer;
      HEAPGLOT_RETURN_IF_ERROR(Retie(frame, *content, &trailer));
      HEAPGLOT_RETURN_IF_ERROR(
          CheckEnd(cursor, frame, trailer, checksums.value()));
      frame.raw_size = static_cast<std::uint32_t>(footer_.size());
      return WriteFrame(frame, footer_.view());
    }
    HEAPGLOT_RETURN_IF_ERROR(WriteFrame(frame, *content));
  }
  return {Code::kTruncated, "heapir: the file ends without a footer",
          Where::Byte(file.size())};
}

Status RawForm::WriteFrame(const Frame& frame, std::string_view content) {
  frame_.Clear();
  wire::AppendNumber(FramePb::kKindFieldNumber, frame.kind, &frame_);
  wire::AppendNumber(FramePb::kNamesFieldNumber, frame.names ? 1 : 0, &frame_);
  wire::AppendNumber(FramePb::kRawSizeFieldNumber, content.size(), &frame_);
  wire::AppendBytes(FramePb::kRawFieldNumber, content, &frame_);
  const std::uint64_t checksum = Checksum(frame_.view());
  wire::AppendFixed64(FramePb::kChecksumFieldNumber, checksum, &frame_);
  checksums_.Add(checksum);
  char length[wire::kMaxVarint];
  const char* const end = wire::PutVarint(frame_.size(), length);
  HEAPGLOT_RETURN_IF_ERROR(
      out_.Write({length, static_cast<std::size_t>(end - length)}));
  return out_.Write(frame_.view());
}

Status RawForm::Retie(const Frame& frame, std::string_view content,
                      TrailerPb* trailer) {
  footer_.Clear();
  wire::FieldCursor fields(content);
  wire::Field field;
  while (fields.Next(&field)) {
    if (field.type != wire::kBytes)
      return frame.Error(Code::kMalformed, "its content is no Content");
    if (field.number == ir::v1::Content::kTrailerFieldNumber) {
      bool ignored = false;
      if (!ParseTrailer(field.bytes, trailer, &ignored))
        return frame.Error(Code::kMalformed, "its trailer is broken");
      continue;
    }
    wire::AppendBytes(static_cast<int>(field.number), field.bytes, &footer_);
  }
  if (!fields.ok())
    return frame.Error(Code::kMalformed, "its content is no Content");
  ByteBuffer made;
  wire::AppendNumber(TrailerPb::kFramesFieldNumber, frame.number, &made);
  wire::AppendFixed64(TrailerPb::kChecksumFieldNumber, checksums_.value(),
                      &made);
  wire::AppendBytes(ir::v1::Content::kTrailerFieldNumber, made.view(),
                    &footer_);
  return {};
}

}  // namespace

// A frame may be a thousand times as large as in the file.
Result<std::uint64_t> SizeOfContents(std::string_view file,
                                     std::uint64_t max_size) {
  HEAPGLOT_RETURN_IF_ERROR(CheckMagic(file));
  std::uint64_t size = 0;
  FrameCursor cursor(file);
  for (Frame frame; !cursor.at_end() && frame.kind != ir::v1::Chunk::kFooter;) {
    HEAPGLOT_RETURN_IF_ERROR(cursor.Next(&frame));
    if (frame.raw_size > max_size - size) {
      return frame.Error(Code::kLimit, "unpacked, more than " +
                                           std::to_string(max_size) + " bytes");
    }
    size += frame.raw_size;
  }
  return size;
}

Status WriteRawForm(std::string_view file, std::uint64_t max_size,
                    ByteSink& out) {
  const Result<std::uint64_t> size = SizeOfContents(file, max_size);
  return size.ok() ? RawForm(out).Write(file) : size.status();
}

}  // namespace heapglot::heapir
