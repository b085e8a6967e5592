// Numbers of heapir files: docs/heapir.md, frame.proto.
#ifndef HEAPGLOT_READERS_HEAPIR_HEAPIR_WIRE_H_
#define HEAPGLOT_READERS_HEAPIR_HEAPIR_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/ir/extent.h"
#include "heapglot/stream.h"

namespace heapglot::heapir {

// Like PNG's: shows a transfer that changes line ends or drops the eighth bit.
inline constexpr std::string_view kMagic = "\x89HIR\r\n\x1a\n";

inline constexpr std::uint32_t kVersionMajor = 1;
inline constexpr std::uint32_t kVersionMinor = 0;
// Some frames are compressed.
inline constexpr std::string_view kFeatureZstd = "zstd";
// Some frames have PredictedEdges or Column.like.
inline constexpr std::string_view kFeaturePrediction = "prediction";

inline constexpr std::uint32_t kFileHeaderKind = 0;
// Frames of unknown kinds from here on may be skipped.
inline constexpr std::uint32_t kFirstSkippableKind = 128;

// Bytes of the content of a frame, before compression.
inline constexpr std::size_t kMaxContent = std::size_t{16} << 20;
// The same of the file header.
inline constexpr std::size_t kMaxFileHeader = std::size_t{64} << 10;
// Bytes around the content, at most.
inline constexpr std::size_t kMaxEnvelope = 64;
// Rows of the chunk in a frame.
inline constexpr std::uint64_t kMaxRows = kMaxChunkRows;
// Bytes of a frame's columns in memory. A column of zeros has none in the file.
inline constexpr std::uint64_t kMaxColumnBytes = std::uint64_t{128} << 20;
// Fields of the types in a chunk: a class may have any number.
inline constexpr std::uint64_t kMaxFieldRows =
    kMaxColumnBytes / sizeof(std::uint64_t);
// Messages, texts and columns in a chunk; each takes many times its bytes.
inline constexpr std::uint64_t kMaxParts = std::uint64_t{1} << 16;

// Whether a frame may hold a chunk of that extent.
inline bool FitsInFrame(const Extent& extent) {
  return extent.rows <= kMaxRows && extent.fields <= kMaxFieldRows &&
         extent.column_bytes <= kMaxColumnBytes && extent.parts <= kMaxParts;
}

}  // namespace heapglot::heapir

#endif  // HEAPGLOT_READERS_HEAPIR_HEAPIR_WIRE_H_
