// What makes some bytes from others, in few bytes: zstd with the others as
// prefix.
#ifndef HEAPGLOT_CORE_BYTES_ZSTD_DELTA_H_
#define HEAPGLOT_CORE_BYTES_ZSTD_DELTA_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "core/ir/byte_buffer.h"
#include "heapglot/status.h"

namespace heapglot {

// The most bytes of base and result together: zstd can look back that far.
inline constexpr std::uint64_t kMaxDeltaWindow = std::uint64_t{1} << 30;

// The delta that makes `bytes` from `base`: one zstd frame. The same for the
// same bytes and version of libzstd. Memory: up to 80 MiB of tables, and the
// delta.
// Errors: kLimit if the two are larger than kMaxDeltaWindow.
Result<ByteBuffer> MakeZstdDelta(std::string_view base, std::string_view bytes);

// The most bytes that a delta of `size` bytes can make, whatever it claims.
std::uint64_t MaxOfZstdDelta(std::uint64_t size);

// Makes from `base` what `delta` says: all of `out`, and no more.
// Errors: kMalformed.
Status ApplyZstdDelta(std::string_view base, std::string_view delta,
                      std::span<char> out);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_ZSTD_DELTA_H_
