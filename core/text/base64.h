// Base64 (RFC 4648, section 4): the usual alphabet, with padding.
#ifndef HEAPGLOT_CORE_TEXT_BASE64_H_
#define HEAPGLOT_CORE_TEXT_BASE64_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace heapglot {

// Texts of bytes whose number is a multiple of 3 may be put behind each other.
void AppendBase64(std::string_view bytes, std::string* out);

// Appends the bytes. False if it is no base64; then nothing is appended.
bool AppendFromBase64(std::string_view text, std::string* out);

// Ways to do what needs no padding, with the same results.
struct Base64Variant {
  std::string_view name;
  // Of bytes whose number is a multiple of 3: writes 4 characters for each 3.
  void (*encode)(std::string_view bytes, char* out);
  // Of characters whose number is a multiple of 4: writes 3 bytes for each 4.
  // False if they are no base64; then the bytes are of no use.
  bool (*decode)(std::string_view text, char* out);
};
// As ScanUintsVariants().
std::span<const Base64Variant> Base64Variants();

namespace internal {

void EncodeBase64Plain(std::string_view bytes, char* out);
bool DecodeBase64Plain(std::string_view text, char* out);
// Need HasAvx2().
void EncodeBase64Avx2(std::string_view bytes, char* out);
bool DecodeBase64Avx2(std::string_view text, char* out);
// Need HasAvx512().
void EncodeBase64Avx512(std::string_view bytes, char* out);
bool DecodeBase64Avx512(std::string_view text, char* out);

}  // namespace internal
}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_BASE64_H_
