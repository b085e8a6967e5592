// The checksum of gzip, which other formats use, too.
#ifndef HEAPGLOT_CORE_BYTES_CRC32_H_
#define HEAPGLOT_CORE_BYTES_CRC32_H_

#include <cstdint>
#include <string_view>

namespace heapglot {

// Extends `checksum`, that of some bytes, by `bytes`, which follow them. The
// checksum of nothing is 0.
std::uint32_t Crc32(std::uint32_t checksum, std::string_view bytes);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_CRC32_H_
