#include "writers/heapir/heapir_relabel.h"

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/bytes/trail.h"
#include "heapglot/ir/v1/frame.pb.h"
#include "readers/heapir/heapir_content.h"
#include "readers/heapir/heapir_frames.h"
#include "readers/heapir/heapir_wire.h"
#include "writers/heapir/heapir_encoder.h"

namespace heapglot::heapir {
namespace {

// Bytes of the file; reading and writing a smaller one takes no time.
constexpr std::size_t kLeastFile = std::size_t{1} << 20;
// Bytes of an average content. The writer's own have several times as many.
constexpr std::uint64_t kLeastContent = std::uint64_t{32} << 10;
// One byte in this many of all contents may be uncompressed.
constexpr std::uint64_t kRawShare = 64;

Status InputChanged() {
  return {Code::kInput, "the input changed while it was read"};
}

// Whether the file has nothing that this version does not know.
bool HasKnownVersion(const Frame& frame) {
  ir::v1::FileHeader header;
  return !frame.is_compressed &&
         ReadFileHeader(frame, frame.content, &header).ok() &&
         header.version_minor() <= kVersionMinor;
}

// Changes the header of the file.
using ChangeHeader = std::function<void(pb::Header* header)>;

class Relabeller {
 public:
  Relabeller(const ChangeHeader& change, ByteSink& out)
      : change_(change), frames_(out, /*compress=*/true) {}

  Status Add(const Frame& frame, std::string_view bytes) {
    // frames_ writes its own file header.
    if (frame.number == 0 || frame.kind >= kFirstSkippableKind) return {};
    if (!CheckChecksum(frame).ok()) return InputChanged();
    if (frame.kind != pb::Chunk::kHeader && frame.kind != pb::Chunk::kFooter)
      return frames_.Copy(bytes, frame.checksum);
    const Result<std::string_view> content = unpacker_.Unpack(frame);
    if (!content.ok() || !contents_.Read(frame, *content).ok())
      return InputChanged();
    pb::Chunk chunk = contents_.chunk();
    if (chunk.has_header()) change_(chunk.mutable_header());
    return frames_.Accept(chunk);
  }
  Status Finish() { return frames_.Finish(); }

 private:
  const ChangeHeader& change_;
  Unpacker unpacker_;
  ContentReader contents_;
  FrameWriter frames_;
};

Status Relabel(const ByteSource& file, const ChangeHeader& change,
               ByteSink& out) {
  const std::string_view bytes = file.bytes();
  if (!CheckMagic(bytes).ok()) return InputChanged();
  FrameCursor cursor(bytes);
  Trail trail(file);
  Relabeller copy(change, out);
  Frame frame;
  while (!cursor.at_end()) {
    const std::uint64_t begin = cursor.offset();
    if (!cursor.Next(&frame).ok()) return InputChanged();
    HEAPGLOT_RETURN_IF_ERROR(
        copy.Add(frame, bytes.substr(begin, cursor.offset() - begin)));
    trail.Advance(cursor.offset());
  }
  return copy.Finish();
}

}  // namespace

bool IsWorthCopying(const ByteSource& file) {
  const std::string_view bytes = file.bytes();
  if (bytes.size() < kLeastFile || !CheckMagic(bytes).ok()) return false;
  FrameCursor cursor(bytes);
  Trail trail(file);
  Frame frame;
  std::uint64_t contents = 0;
  std::uint64_t uncompressed = 0;
  std::uint64_t frames = 0;
  for (; !cursor.at_end(); ++frames) {
    if (!cursor.Next(&frame).ok()) return false;
    if (frame.number == 0 && !HasKnownVersion(frame)) return false;
    contents += frame.raw_size;
    if (!frame.is_compressed) uncompressed += frame.raw_size;
    trail.Advance(cursor.offset());
  }
  return contents >= frames * kLeastContent &&
         uncompressed <= contents / kRawShare;
}

Status WriteRelabelled(const ByteSource& file, const pb::Host& host,
                       ByteSink& out) {
  return Relabel(
      file,
      [&host](pb::Header* header) { *header->mutable_leftovers_of() = host; },
      out);
}

Status WriteWithHeader(const ByteSource& file, const pb::Header& header,
                       ByteSink& out) {
  return Relabel(
      file, [&header](pb::Header* replaced) { *replaced = header; }, out);
}

}  // namespace heapglot::heapir
