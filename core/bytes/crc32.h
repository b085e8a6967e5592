// The checksum of gzip, which other formats use as well.
#ifndef HEAPGLOT_CORE_BYTES_CRC32_H_
#define HEAPGLOT_CORE_BYTES_CRC32_H_

#include <cstdint>
#include <string_view>

namespace heapglot {

// The checksum of what `checksum` is of, and `bytes` behind it; that of nothing
// is 0.
std::uint32_t Crc32(std::uint32_t checksum, std::string_view bytes);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_CRC32_H_
