#include "readers/draft/draft_trailer.h"

#include <cstdio>
#include <string_view>

namespace heapglot::draft {

std::string TrailerProblem(const Record& trailer, std::uint64_t records,
                           std::uint64_t bytes, std::uint32_t crc32) {
  std::string problem;
  const auto check = [&](std::string_view key, std::uint64_t found) {
    const Token& token = trailer.Find(key);
    if (token.kind == TokenKind::kUint && token.value == found) return true;
    problem.append("the trailer says ").append(token.text).append(" ");
    problem.append(key).append(", there are ").append(std::to_string(found));
    return false;
  };
  if (!check("records", records) || !check("bytes", bytes)) return problem;
  char expected[9];
  std::snprintf(expected, sizeof expected, "%08x",
                static_cast<unsigned>(crc32));
  const Token& sum = trailer.Find("crc32");
  if (sum.kind == TokenKind::kString && sum.text == expected) return {};
  return "the trailer says crc32 " + Shown(sum) + ", but it is \"" + expected +
         "\"";
}

}  // namespace heapglot::draft
