#include "readers/draft/draft_trailer.h"

#include <cstdio>

namespace heapglot::draft {
namespace {

// How a problem begins: with what the trailer has as `key`.
std::string Says(const Token& token, const std::string& key) {
  return token.kind == TokenKind::kAbsent
             ? "the trailer has no \"" + key + "\""
             : "the trailer says " + key + " " + Shown(token);
}

}  // namespace

std::string TrailerProblem(const Record& trailer, std::uint64_t records,
                           std::uint64_t bytes, std::uint32_t crc32) {
  std::string problem;
  const auto check = [&](const std::string& key, std::uint64_t found) {
    const Token& token = trailer.Find(key);
    if (token.kind == TokenKind::kUint && token.value == found) return true;
    problem = Says(token, key) + ", there are " + std::to_string(found);
    return false;
  };
  if (!check("records", records) || !check("bytes", bytes)) return problem;
  char expected[9];
  std::snprintf(expected, sizeof expected, "%08x",
                static_cast<unsigned>(crc32));
  const Token& sum = trailer.Find("crc32");
  if (sum.kind == TokenKind::kString && sum.text == expected) return {};
  return Says(sum, "crc32") + ", but it is \"" + expected + "\"";
}

}  // namespace heapglot::draft
