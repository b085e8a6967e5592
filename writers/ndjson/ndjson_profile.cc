#include "writers/ndjson/ndjson_profile.h"

#include <algorithm>

#include "core/text/utf.h"

namespace heapglot::ndjson {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr std::size_t kLooked = std::size_t{64} << 10;

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The value behind the first `key`.
std::string_view Behind(std::string_view text, std::string_view key) {
  const std::size_t found = text.find(key);
  return found == std::string_view::npos ? std::string_view()
                                         : text.substr(found + key.size());
}

// d.dddddddddde+dd in the first heap number.
bool HasLongExponent(std::string_view head) {
  const std::string_view value = Behind(head, R"("value":)");
  for (std::string_view rest = head;;) {
    rest = Behind(rest, R"("value":)");
    if (rest.empty()) return false;
    const std::string_view number = rest.substr(0, rest.find_first_of(",}"));
    if (number.size() >= 16 && number[number.size() - 4] == 'e') return true;
    if (rest.data() - value.data() > static_cast<std::ptrdiff_t>(kLooked))
      return false;
  }
}

// An exponent where the shortest form has none.
bool HasPythonExponent(std::string_view head) {
  return Has(head, "e+16") || Has(head, "e+17") || Has(head, "e+18") ||
         Has(head, "e+19") || Has(head, "e+20") || Has(head, "e-05") ||
         Has(head, "e-06");
}

std::string DescribeIds(std::string_view value, std::string_view key) {
  if (!value.starts_with('"')) return {};
  return ";" + std::string(key) + (value.starts_with("\"0x") ? "=hex" : "=dec");
}

std::string DescribeObjects(std::string_view head) {
  std::string text = ";shape=object";
  const std::string_view subtype =
      Behind(Behind(head, R"({"type":"node")"), R"("subtype":)");
  if (!subtype.empty() && subtype.front() != '"') text += ";subtypes=code";
  const std::size_t twin = head.find(R"(,"s1":)");
  if (twin != std::string_view::npos) {
    const std::string_view line =
        head.substr(twin, head.find('\n', twin) - twin);
    if (line.rfind(R"(,"s1":)") > 0 && !Has(line, R"("s2")")) text += ";twins";
  }
  text += DescribeIds(
      Behind(Behind(head, R"({"type":"node")"), R"("identifier":)"), "ids");
  text += DescribeIds(Behind(head, R"({"type":"string","id":)"), "string_ids");
  return text;
}

// The first field of the first array record of a type.
std::string_view FirstField(std::string_view source, std::string_view head,
                            std::string_view type) {
  const std::string name = R"(,"name":")" + std::string(type) + '"';
  const std::size_t at = source.find(name);
  const std::size_t code = source.rfind(':', at);
  if (at == std::string_view::npos || code == std::string_view::npos) return {};
  const std::string digits(source.substr(code + 1, at - code - 1));
  return Behind(head, "\n[" + digits + ",");
}

std::string DescribeArrays(std::string_view source, std::string_view head) {
  return DescribeIds(FirstField(source, head, "node"), "ids") +
         DescribeIds(FirstField(source, head, "string"), "string_ids");
}

}  // namespace

std::string DescribeProfile(std::string_view source) {
  std::string text = "1";
  if (source.starts_with(kBom)) text += ";bom";
  const std::size_t last = source.find_last_not_of("\r\n \t");
  const std::size_t begin =
      last == std::string_view::npos ? 0 : source.rfind('\n', last) + 1;
  if (!Has(source.substr(begin), R"("hg.trailer")")) text += ";trailer=no";
  if (source.substr(0, source.find('\n')).ends_with('\r')) text += ";eol=crlf";
  // Behind the declarations.
  std::size_t data = source.rfind(R"({"type":"subtype")", kLooked);
  if (data == std::string_view::npos) data = 0;
  const std::string_view head = source.substr(data, kLooked);
  const std::size_t arrays = head.find("\n[");
  std::size_t objects = head.find("\n{\"type\":\"node\"");
  objects = std::min(objects, head.find("\n{\"type\":\"string\""));
  // The first node may stand behind all strings.
  const std::string_view rest = source.substr(data);
  text +=
      objects < arrays ? DescribeObjects(rest) : DescribeArrays(source, rest);
  if (HasLongExponent(head))
    text += ";f64=e10";
  else if (HasPythonExponent(head))
    text += ";f64=py";
  if (AsciiPrefix(head) == head.size() && Has(head, "\\u")) text += ";ascii";
  return text;
}

Profile ReadProfile(std::string_view text) {
  Profile profile;
  profile.all = text.empty();
  using draft::Style;
  Style& style = profile.style;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part == "shape=object") style.object = true;
    if (part == "subtypes=code") style.names = false;
    if (part == "twins") style.twins = true;
    if (part == "ascii") style.ascii = true;
    if (part == "eol=crlf") style.crlf = true;
    if (part == "ids=hex") style.ids = Style::Ids::kHex;
    if (part == "ids=dec") style.ids = Style::Ids::kDecimal;
    if (part == "string_ids=hex") style.string_ids = Style::Ids::kHex;
    if (part == "string_ids=dec") style.string_ids = Style::Ids::kDecimal;
    if (part == "f64=e10") style.doubles = Style::Doubles::kExponent;
    if (part == "f64=py") style.doubles = Style::Doubles::kPython;
    if (part == "trailer=no") style.trailer = false;
    if (part == "bom") style.bom = true;
    if (part == "all") profile.all = true;
  }
  return profile;
}

}  // namespace heapglot::ndjson
