#include "readers/heapir/heapir_frames.h"

#include <zstd.h>

#include <new>

#include "core/ir/checksum.h"
#include "core/ir/wire.h"
#include "readers/heapir/heapir_wire.h"

namespace heapglot::heapir {
namespace {

// Bytes of the longest length that a frame can have.
constexpr std::size_t kMaxLengthBytes = 5;

// What transfers in text mode leave of kMagic.
constexpr std::string_view kWithoutReturns = "\x89HIR\n\x1a\n";
constexpr std::string_view kDoubleReturns = "\x89HIR\r\r\n\x1a\r\n";
constexpr std::string_view kSevenBits = "\tHIR\r\n\x1a\n";

// Takes the fields of a Frame, which come in the order of their numbers.
bool ParseFrame(std::string_view bytes, Frame* frame) {
  using FramePb = ir::v1::Frame;
  wire::FieldCursor fields(bytes);
  wire::Field field;
  std::uint32_t before = 0;
  bool has_content = false;
  while (fields.Next(&field)) {
    if (field.number <= before) return false;
    before = field.number;
    const bool is_number = field.type == wire::kVarint;
    switch (field.number) {
      case FramePb::kKindFieldNumber:
        if (!is_number || field.value > UINT32_MAX) return false;
        frame->kind = static_cast<std::uint32_t>(field.value);
        break;
      case FramePb::kNamesFieldNumber:
        if (!is_number || field.value > 1) return false;
        frame->names = field.value != 0;
        break;
      case FramePb::kRawSizeFieldNumber:
        if (!is_number || field.value > UINT32_MAX) return false;
        frame->raw_size = static_cast<std::uint32_t>(field.value);
        break;
      case FramePb::kRawFieldNumber:
      case FramePb::kZstdFieldNumber:
        if (field.type != wire::kBytes || has_content) return false;
        has_content = true;
        frame->is_compressed = field.number == FramePb::kZstdFieldNumber;
        frame->content = field.bytes;
        // One byte of tag and eight of number must follow.
        frame->checked = bytes.substr(0, bytes.size() - fields.rest().size());
        break;
      case FramePb::kChecksumFieldNumber:
        if (field.type != wire::kFixed64) return false;
        frame->checksum = field.value;
        break;
      default:
        return false;
    }
  }
  return fields.ok() && has_content && before == FramePb::kChecksumFieldNumber;
}

}  // namespace

Status Frame::Error(Code code, const std::string& message) const {
  return {code, "heapir: frame " + std::to_string(number) + ": " + message,
          Where::Byte(offset)};
}

Status CheckMagic(std::string_view file) {
  if (file.starts_with(kMagic)) return {};
  if (kMagic.starts_with(file))
    return {Code::kTruncated, "heapir: the file ends within its magic number",
            Where::Byte(file.size())};
  for (const std::string_view damaged :
       {kWithoutReturns, kDoubleReturns, kSevenBits}) {
    if (!file.starts_with(damaged)) continue;
    return {Code::kMalformed,
            "heapir: a file that was damaged by a text-mode transfer",
            Where::Byte(0)};
  }
  return {Code::kMalformed, "heapir: the file does not begin with its magic",
          Where::Byte(0)};
}

FrameCursor::FrameCursor(std::string_view file)
    : file_(file), offset_(kMagic.size()) {}

Status FrameCursor::TakeLength(const Frame& frame, std::uint64_t* length) {
  *length = 0;
  for (unsigned size = 0; size < kMaxLengthBytes; ++size) {
    if (at_end()) {
      return {Code::kTruncated,
              "heapir: the file ends in the length of frame " +
                  std::to_string(number_),
              Where::Byte(file_.size())};
    }
    const auto byte = static_cast<unsigned char>(file_[offset_++]);
    *length |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * size);
    if (byte >= 0x80) continue;
    if (byte != 0) return {};
    return frame.Error(Code::kMalformed, "its length is 0, or not minimal");
  }
  return frame.Error(Code::kMalformed, "its length is no 32-bit number");
}

Status FrameCursor::Next(Frame* frame) {
  *frame = {.number = number_, .offset = offset_};
  std::uint64_t length;
  HEAPGLOT_RETURN_IF_ERROR(TakeLength(*frame, &length));
  constexpr std::size_t kMost = kMaxContent + kMaxEnvelope;
  if (length > kMost) {
    return frame->Error(
        Code::kLimit, "it has " + std::to_string(length) + " bytes; at most " +
                          std::to_string(kMost) + " are allowed");
  }
  if (length > file_.size() - offset_) {
    return {Code::kTruncated,
            "heapir: the file ends in frame " + std::to_string(number_) +
                ", which begins at " + std::to_string(frame->offset) +
                " and has " + std::to_string(length) + " bytes",
            Where::Byte(file_.size())};
  }
  if (!ParseFrame(file_.substr(offset_, length), frame))
    return frame->Error(Code::kMalformed, "it is no Frame message");
  if (frame->raw_size > kMaxContent) {
    return frame->Error(Code::kLimit,
                        "its content has " + std::to_string(frame->raw_size) +
                            " bytes; at most " + std::to_string(kMaxContent) +
                            " are allowed");
  }
  offset_ += length;
  ++number_;
  return {};
}

Status CheckChecksum(const Frame& frame) {
  if (Checksum(frame.checked) == frame.checksum) return {};
  return frame.Error(Code::kMalformed,
                     "it is damaged: its checksum does not fit");
}

bool ParseTrailer(std::string_view bytes, ir::v1::Trailer* trailer,
                  bool* has_unknown) {
  wire::FieldCursor fields(bytes);
  wire::Field field;
  while (fields.Next(&field)) {
    if (field.number == ir::v1::Trailer::kFramesFieldNumber &&
        field.type == wire::kVarint) {
      trailer->set_frames(field.value);
    } else if (field.number == ir::v1::Trailer::kChecksumFieldNumber &&
               field.type == wire::kFixed64) {
      trailer->set_checksum(field.value);
    } else {
      *has_unknown = true;
    }
  }
  return fields.ok();
}

Status CheckEnd(const FrameCursor& behind_footer, const Frame& footer,
                const ir::v1::Trailer& trailer, std::uint64_t checksums) {
  if (trailer.frames() != footer.number) {
    return footer.Error(Code::kMalformed,
                        "frames is " + std::to_string(trailer.frames()) +
                            ", but there are " + std::to_string(footer.number) +
                            " before it");
  }
  if (trailer.checksum() != checksums) {
    return footer.Error(Code::kMalformed,
                        "the frames before it are not those it was made for: "
                        "their checksums differ");
  }
  if (behind_footer.at_end()) return {};
  return {Code::kMalformed, "heapir: bytes follow the footer",
          Where::Byte(behind_footer.offset())};
}

Unpacker::Unpacker() : zstd_(ZSTD_createDCtx()) {
  if (zstd_ == nullptr) throw std::bad_alloc();
}

void Unpacker::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

Result<std::string_view> Unpacker::Unpack(const Frame& frame) {
  const std::string_view content = frame.content;
  if (!frame.is_compressed) {
    if (content.size() == frame.raw_size) return content;
    return frame.Error(Code::kMalformed,
                       "raw_size is " + std::to_string(frame.raw_size) +
                           ", but the content has " +
                           std::to_string(content.size()) + " bytes");
  }
  // One whole zstd frame without a dictionary. (A skippable frame has size 0.)
  if (ZSTD_getFrameContentSize(content.data(), content.size()) !=
          frame.raw_size ||
      frame.raw_size == 0 ||
      ZSTD_getDictID_fromFrame(content.data(), content.size()) != 0 ||
      ZSTD_findFrameCompressedSize(content.data(), content.size()) !=
          content.size()) {
    return frame.Error(Code::kMalformed,
                       "its content is no zstd frame of raw_size, which is " +
                           std::to_string(frame.raw_size));
  }
  raw_.Clear();
  char* const out = raw_.Grow(frame.raw_size);
  const std::size_t size = ZSTD_decompressDCtx(zstd_.get(), out, frame.raw_size,
                                               content.data(), content.size());
  if (ZSTD_isError(size) != 0 || size != frame.raw_size) {
    return frame.Error(
        Code::kMalformed,
        std::string("its content is damaged: ") + ZSTD_getErrorName(size));
  }
  return raw_.view();
}

}  // namespace heapglot::heapir
