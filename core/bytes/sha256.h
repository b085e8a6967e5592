// SHA-256, which identifies files.
#ifndef HEAPGLOT_CORE_BYTES_SHA256_H_
#define HEAPGLOT_CORE_BYTES_SHA256_H_

#include <memory>
#include <string>
#include <string_view>

namespace heapglot {

// The digest of the bytes that are added.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Add(std::string_view bytes);
  // The 32 bytes of the digest. Nothing may be added afterwards.
  std::string Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of `bytes`: 32 bytes.
std::string Sha256Of(std::string_view bytes);

// Bytes as lower-case hexadecimal digits.
std::string Hex(std::string_view bytes);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_SHA256_H_
