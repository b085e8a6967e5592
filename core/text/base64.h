// Base64 (RFC 4648, section 4): the usual alphabet, with padding.
#ifndef HEAPGLOT_CORE_TEXT_BASE64_H_
#define HEAPGLOT_CORE_TEXT_BASE64_H_

#include <string>
#include <string_view>

namespace heapglot {

// Texts of bytes whose number is a multiple of 3 may be put behind each other.
void AppendBase64(std::string_view bytes, std::string* out);

// Appends the bytes. False if it is no base64; then nothing is appended.
bool AppendFromBase64(std::string_view text, std::string* out);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_BASE64_H_
