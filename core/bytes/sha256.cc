#include "core/bytes/sha256.h"

// The functions that OpenSSL had before 3.0: they need neither memory nor its
// configuration, which takes a millisecond to read, and the linker leaves out
// all the rest of the library.
#define OPENSSL_API_COMPAT 0x10100000L
#include <openssl/sha.h>

#include <array>

namespace heapglot {

struct Sha256::State {
  SHA256_CTX context;
};

// The functions always return 1.
Sha256::Sha256() : state_(std::make_unique<State>()) {
  SHA256_Init(&state_->context);
}

Sha256::~Sha256() = default;

void Sha256::Add(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
}

std::string Sha256::Finish() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256_Final(digest.data(), &state_->context);
  return {digest.begin(), digest.end()};
}

std::string Sha256Of(std::string_view bytes) {
  Sha256 digest;
  digest.Add(bytes);
  return digest.Finish();
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 0xF];
  }
  return text;
}

}  // namespace heapglot
