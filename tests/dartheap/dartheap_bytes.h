// Builds dartheap files, byte by byte, for tests.
#ifndef HEAPGLOT_TESTS_DARTHEAP_DARTHEAP_BYTES_H_
#define HEAPGLOT_TESTS_DARTHEAP_DARTHEAP_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heapglot::testing {

// ULEB128 and SLEB128, minimal.
inline std::string U(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

inline std::string S(std::int64_t value) {
  std::string out;
  for (;; value >>= 7) {
    const auto group = static_cast<char>(value & 0x7f);
    if ((value >> 6) == 0 || (value >> 6) == -1) {
      out.push_back(group);
      return out;
    }
    out.push_back(static_cast<char>(group | 0x80));
  }
}

inline std::string Str(std::string_view text) {
  return U(text.size()) + std::string(text);
}

inline std::string Field(std::uint64_t slot, std::string_view name) {
  return U(1) + U(slot) + Str(name) + Str("");
}

inline std::string ClassBytes(std::string_view name, std::string_view uri,
                              const std::vector<std::string>& fields = {}) {
  std::string out =
      U(0) + Str(name) + Str("") + Str(uri) + Str("") + U(fields.size());
  for (const std::string& field : fields) out += field;
  return out;
}

// The data field of an object.
inline std::string None() { return U(0); }
inline std::string Null() { return U(1); }
inline std::string Bool(std::uint64_t value) { return U(2) + U(value); }
inline std::string Int(std::string_view encoded) {
  return U(3) + std::string(encoded);
}
inline std::string Double(std::uint64_t bits) {
  std::string out = U(4);
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(bits >> 8 * i));
  return out;
}
inline std::string Latin1(std::string_view text, std::uint64_t length) {
  return U(5) + U(length) + Str(text);
}
inline std::string Latin1(std::string_view text) {
  return Latin1(text, text.size());
}
inline std::string Utf16(std::u16string_view text, std::uint64_t length) {
  std::string out = U(6) + U(length) + U(text.size());
  for (const char16_t unit : text) {
    out.push_back(static_cast<char>(unit));
    out.push_back(static_cast<char>(unit >> 8));
  }
  return out;
}
inline std::string Utf16(std::u16string_view text) {
  return Utf16(text, text.size());
}
inline std::string Length(std::uint64_t length) { return U(7) + U(length); }
inline std::string Name(std::string_view name) { return U(8) + Str(name); }

inline std::string Object(std::uint64_t class_id, std::uint64_t size,
                          std::string_view data,
                          const std::vector<std::uint64_t>& references = {}) {
  std::string out =
      U(class_id) + U(size) + std::string(data) + U(references.size());
  for (const std::uint64_t id : references) out += U(id);
  return out;
}

// A whole file. Whatever is not set here is valid.
struct File {
  std::vector<std::string> classes;
  std::vector<std::string> objects;
  std::vector<std::string> externals;
  std::string hashes;  // encoded; empty: a zero for each object
  bool has_hashes = true;
  std::string trailing;
  std::uint64_t references = 0;

  std::string Bytes() const {
    std::string out = "dartheap" + U(0) + Str("main") + U(0) + U(0) + U(0);
    out += U(classes.size());
    for (const std::string& added : classes) out += added;
    out += U(references) + U(objects.size());
    for (const std::string& added : objects) out += added;
    out += U(externals.size());
    for (const std::string& added : externals) out += added;
    if (has_hashes)
      out += hashes.empty() ? std::string(objects.size(), '\0') : hashes;
    return out + trailing;
  }
};

}  // namespace heapglot::testing

#endif  // HEAPGLOT_TESTS_DARTHEAP_DARTHEAP_BYTES_H_
