// A mutator for libFuzzer that takes heapir files apart and reassembles them
// with correct lengths and checksums, since no other change would get past
// those. It leaves other files, and some heapir files, to libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/byte_buffer.h"
#include "core/ir/checksum.h"
#include "core/ir/wire.h"
#include "heapglot/bytes.h"
#include "heapglot/ir/v1/frame.pb.h"
#include "readers/heapir/heapir_content.h"
#include "readers/heapir/heapir_frames.h"
#include "readers/heapir/heapir_wire.h"
#include "tests/fuzz/stream_mutation.h"
#include "writers/heapir/heapir_encoder.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size);

namespace heapglot::fuzz {
namespace {

// A frame whose content is not compressed.
struct Part {
  std::uint32_t kind = 0;
  bool names = false;
  std::string content;
};
using Parts = std::vector<Part>;

// The frames of a file, up to the first that cannot be read. The first frame is
// that of the file header.
Parts TakeApart(std::string_view file) {
  Parts parts;
  if (!file.starts_with(heapir::kMagic)) return parts;
  heapir::FrameCursor frames(file);
  heapir::Unpacker unpacker;
  heapir::Frame frame;
  while (!frames.at_end() && frames.Next(&frame).ok()) {
    const Result<std::string_view> content = unpacker.Unpack(frame);
    if (!content.ok()) break;
    parts.push_back({.kind = frame.kind,
                     .names = frame.names,
                     .content = std::string(*content)});
  }
  return parts;
}

// ------------------------------------------------------------------- frames

// Makes the trailer in the last frame match the frames before it.
void FixTrailer(std::uint64_t frames, std::uint64_t checksum, Part* last) {
  ir::v1::Content content;
  if (last->kind != pb::Chunk::kFooter) return;
  if (!content.ParseFromString(last->content) || !content.has_trailer()) return;
  content.mutable_trailer()->set_frames(frames);
  content.mutable_trailer()->set_checksum(checksum);
  last->content = content.SerializeAsString();
}

std::string PutTogether(Parts parts) {
  ByteBuffer file;
  file.Append(heapir::kMagic);
  ChecksumOfNumbers checksums;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (i + 1 == parts.size()) FixTrailer(i, checksums.value(), &part);
    ir::v1::Frame message;
    message.set_kind(part.kind);
    message.set_names(part.names);
    message.set_raw_size(static_cast<std::uint32_t>(part.content.size()));
    message.set_raw(std::move(part.content));
    ByteBuffer frame;
    frame.Append(message.SerializeAsString());
    const std::uint64_t checksum = Checksum(frame.view());
    wire::AppendFixed64(ir::v1::Frame::kChecksumFieldNumber, checksum, &frame);
    checksums.Add(checksum);
    wire::AppendVarint(frame.size(), &file);
    file.Append(frame.view());
  }
  return std::string(file.view());
}

// Changes the encoding of a frame: bytes of its content, its kind, or its
// place.
void MutatePart(std::size_t max_size, Random* random, Parts* parts) {
  const std::size_t at = Below(parts->size(), random);
  Part& part = (*parts)[at];
  switch (Below(16, random)) {
    case 0:
      part.kind = static_cast<std::uint32_t>(Below(256, random));
      break;
    case 1:
      part.names = !part.names;
      break;
    case 2:
      std::swap(part, (*parts)[Below(parts->size(), random)]);
      break;
    case 3:
      parts->erase(parts->begin() + static_cast<std::ptrdiff_t>(at));
      break;
    default:
      MutateBytes(max_size, &part.content);
  }
}

// ------------------------------------------------------------------- stream

// The chunks of a file, which need not keep the grammar; none if a frame cannot
// be decoded.
Stream StreamOf(const Parts& parts) {
  Stream stream;
  heapir::ContentReader reader;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!heapir::IsChunkKind(parts[i].kind)) return {};
    const heapir::Frame frame = {.kind = parts[i].kind,
                                 .names = parts[i].names};
    if (!reader.Read(frame, parts[i].content).ok()) return {};
    stream.push_back(reader.chunk());
  }
  return stream;
}

std::string Write(const Stream& stream, bool compress) {
  std::string file;
  const auto sink = ByteSink::ToString(&file);
  heapir::FrameWriter writer(*sink, compress);
  for (const pb::Chunk& chunk : stream) {
    if (!writer.Accept(chunk).ok()) return {};
  }
  return writer.Finish().ok() ? file : std::string();
}

// A file with one or more changes to its chunks; empty if it has no chunks.
std::string MutateContent(const Parts& parts, Random* random) {
  Stream stream = StreamOf(parts);
  if (stream.empty()) return {};
  for (std::size_t changes = 1 + Below(4, random); changes > 0; --changes)
    MutateStream(random, &stream);
  if (Below(8, random) != 0) RepairStream(&stream);
  return Write(stream, Below(4, random) == 0);
}

// A copy of one file with a run of chunks of another inserted.
std::string Cross(const Parts& head, const Parts& tail, Random* random) {
  Stream stream = StreamOf(head);
  const Stream other = StreamOf(tail);
  if (stream.empty() || other.empty()) return {};
  const auto begin = static_cast<std::ptrdiff_t>(Below(other.size(), random));
  const auto end = begin + static_cast<std::ptrdiff_t>(
                               1 + Below(other.size() - begin, random));
  const auto at = static_cast<std::ptrdiff_t>(Below(stream.size(), random));
  stream.insert(stream.begin() + at, other.begin() + begin,
                other.begin() + end);
  RepairStream(&stream);
  return Write(stream, /*compress=*/false);
}

std::string_view ViewOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::string Mutate(std::string_view file, std::size_t max_size,
                   Random* random) {
  const Parts parts = TakeApart(file);
  if (parts.empty() || Below(32, random) == 0) return {};
  if (Below(4, random) != 0) {
    std::string mutated = MutateContent(parts, random);
    if (!mutated.empty()) return mutated;
  }
  Parts mutated = parts;
  MutatePart(max_size, random, &mutated);
  return PutTogether(std::move(mutated));
}

}  // namespace
}  // namespace heapglot::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned int seed) {
  using namespace heapglot::fuzz;
  Random random(seed);
  const std::string mutated = Mutate(ViewOf(data, size), max_size, &random);
  if (mutated.empty() || mutated.size() > max_size)
    return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(
    const std::uint8_t* data1, std::size_t size1, const std::uint8_t* data2,
    std::size_t size2, std::uint8_t* out, std::size_t max_size,
    unsigned int seed) {
  using namespace heapglot::fuzz;
  Random random(seed);
  const std::string crossed = Cross(TakeApart(ViewOf(data1, size1)),
                                    TakeApart(ViewOf(data2, size2)), &random);
  // 0 makes libFuzzer discard the result.
  if (crossed.size() > max_size) return 0;
  std::memcpy(out, crossed.data(), crossed.size());
  return crossed.size();
}
