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

std::string CountsProblem(const Token& counts,
                          const OwnTextTable<std::uint64_t>& records,
                          bool has_all, std::uint64_t max_depth,
                          const char** place) {
  JsonCursor in(counts.text, max_depth);
  if (counts.kind != TokenKind::kCompound || !in.Take('{'))
    return "the trailer needs an object as \"counts\"";
  std::uint64_t counted = 0;
  Token name, count;
  for (bool is_first = true; in.ok() && !in.Take('}'); is_first = false) {
    if (!is_first) in.Expect(',', "a comma");
    if (!in.Value(&name) || !in.Expect(':', "a colon") || !in.Value(&count))
      break;
    const auto known = records.find(Decode(name));
    const std::uint64_t found = known == records.end() ? 0 : known->second;
    if (has_all && (count.kind != TokenKind::kUint || count.value != found)) {
      *place = name.text.data();
      return "the trailer counts " + Shown(count) + " " + Quoted(name.text) +
             ", there are " + std::to_string(found);
    }
    counted += found;
  }
  if (!in.ok()) return "the counts of the trailer are damaged";
  std::uint64_t there = 0;
  for (const auto& [type, found] : records) there += found;
  if (!has_all || counted == there) return {};
  return "the trailer counts " + std::to_string(counted) +
         " records, there are " + std::to_string(there);
}

}  // namespace heapglot::draft
