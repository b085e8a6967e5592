// The deltas of an archive: what makes a dump from another one
// (docs/archives.md).
#ifndef HEAPGLOT_TOOLS_DELTA_FILE_H_
#define HEAPGLOT_TOOLS_DELTA_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::tool {

// What precedes the zstd frame.
struct DeltaHeader {
  static constexpr std::string_view kMagic = "\x89HGD\r\n\x1a\n";
  static constexpr std::size_t kBytes = 8 + 32 + 32 + 8 + 32;

  std::string digest;      // of the dump, as the archive names it
  std::string base;        // of the dump that it is made from
  std::uint64_t size = 0;  // of its raw form
  std::string sha256;      // 32 bytes, of its raw form

  std::string Encode() const;
  // Decodes the first bytes of a file.
  // Errors: kMalformed, kTruncated.
  static Result<DeltaHeader> Decode(std::string_view bytes);
};

// Whether these are the first bytes of a delta.
inline bool IsDelta(std::string_view bytes) {
  return bytes.starts_with(DeltaHeader::kMagic);
}

// The whole file that makes the raw form `dump` from the raw form `base`.
// Errors: kLimit if they are too large.
Result<std::string> MakeDelta(const DeltaHeader& header, std::string_view base,
                              std::string_view dump);

// The raw form of a dump. `base` is the raw form of the dump that `delta`
// names.
// Memory: that of the result, which is in a temporary file above 16 MiB.
// Errors: kMalformed, kTruncated, kLimit; kOutput if there is no room.
Result<std::unique_ptr<ByteSource>> ApplyDelta(std::string_view base,
                                               std::string_view delta,
                                               const Limits& limits,
                                               std::string name);

// The raw form of a heapir file (heapir_raw.h). Memory: the same.
// Errors: those of reading it, but not all that a reader would find; kLimit.
Result<std::unique_ptr<ByteSource>> RawFormOf(std::string_view heapir,
                                              const Limits& limits,
                                              std::string name);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_DELTA_FILE_H_
