// What makes some bytes of others, in few bytes: zstd with the others as prefix.
#ifndef HEAPGLOT_CORE_BYTES_ZSTD_DELTA_H_
#define HEAPGLOT_CORE_BYTES_ZSTD_DELTA_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "core/ir/byte_buffer.h"
#include "heapglot/status.h"

namespace heapglot {

// Bytes of base and result together: what zstd can look back over.
inline constexpr std::uint64_t kMaxDeltaWindow = std::uint64_t{1} << 30;

// The delta that makes `bytes` of `base`: one zstd frame. The same for the same
// bytes and the same version of libzstd. Memory: up to 80 MiB of tables, and
// the delta.
// Errors: kLimit when the two are larger than kMaxDeltaWindow.
Result<ByteBuffer> MakeZstdDelta(std::string_view base, std::string_view bytes);

// How many bytes a delta of `size` bytes can make, whatever it claims.
std::uint64_t MaxOfZstdDelta(std::uint64_t size);

// Makes of `base` what `delta` says, all of `out` and no more.
// Errors: kMalformed.
Status ApplyZstdDelta(std::string_view base, std::string_view delta,
                      std::span<char> out);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_ZSTD_DELTA_H_
