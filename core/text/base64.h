// Base64 (RFC 4648, section 4): the usual alphabet, with padding.
#ifndef HEAPGLOT_CORE_TEXT_BASE64_H_
#define HEAPGLOT_CORE_TEXT_BASE64_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace heapglot {

// The texts of byte sequences whose length is a multiple of 3 can be
// concatenated.
void AppendBase64(std::string_view bytes, std::string* out);

// Appends the decoded bytes. False if it is not base64; then nothing is
// appended.
bool AppendFromBase64(std::string_view text, std::string* out);

// Implementations for input without padding; all have the same results.
struct Base64Variant {
  std::string_view name;
  // Encodes bytes whose number is a multiple of 3: writes 4 characters for each
  // 3.
  void (*encode)(std::string_view bytes, char* out);
  // Decodes characters whose number is a multiple of 4: writes 3 bytes for each
  // 4. False if they are not base64; the bytes are then meaningless.
  bool (*decode)(std::string_view text, char* out);
};
// Like ScanUintsVariants().
std::span<const Base64Variant> Base64Variants();

namespace internal {

void EncodeBase64Plain(std::string_view bytes, char* out);
bool DecodeBase64Plain(std::string_view text, char* out);
// Require HasAvx2().
void EncodeBase64Avx2(std::string_view bytes, char* out);
bool DecodeBase64Avx2(std::string_view text, char* out);
// Require HasAvx512().
void EncodeBase64Avx512(std::string_view bytes, char* out);
bool DecodeBase64Avx512(std::string_view text, char* out);

}  // namespace internal
}  // namespace heapglot

#endif  // HEAPGLOT_CORE_TEXT_BASE64_H_
