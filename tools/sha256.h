// The checksum by which a report names its source.
#ifndef HEAPGLOT_TOOLS_SHA256_H_
#define HEAPGLOT_TOOLS_SHA256_H_

#include <string>
#include <string_view>

namespace heapglot::tool {

// SHA-256 of `bytes` in lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_SHA256_H_
