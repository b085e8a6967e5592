#include "writers/netcf/netcf_names.h"

#include <algorithm>
#include <cctype>

#include "core/text/utf.h"
#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {
namespace {

void AppendEscaped(char c, std::string* out) {
  const auto byte = static_cast<unsigned char>(c);
  out->append("\\x");
  out->push_back("0123456789abcdef"[byte >> 4]);
  out->push_back("0123456789abcdef"[byte & 15]);
}

}  // namespace

std::string OnOneLine(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '\r' || c == '\n')
      AppendEscaped(c, &out);
    else
      out.push_back(c);
  }
  return out;
}

std::string AsTypeName(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_control = static_cast<unsigned char>(name[i]) < 0x20;
    const bool is_outer_blank =
        name[i] == ' ' && (i == 0 || i + 1 == name.size());
    if (is_control || is_outer_blank)
      AppendEscaped(name[i], &out);
    else
      out.push_back(name[i]);
  }
  return out;
}

std::string AsDomainName(std::string_view name, bool has_timestamp) {
  if (name.empty()) return std::string(kUnnamed);
  // An escape has four bytes, and a timestamp follows the name.
  constexpr std::size_t kMost = 16'000;
  static_assert(4 * kMost + 1'000 <= kMaxDomainName);
  if (name.size() > kMost) name = name.substr(0, CutAtCodePoint(name, kMost));
  std::string out = AsTypeName(name);
  // In logs that are not ours, it would be the address of something.
  if (out.starts_with("0x") || out.starts_with("0X")) out.insert(0, "_");
  const std::size_t blank = out.rfind(' ');
  if (!has_timestamp && blank != std::string::npos &&
      IsTimestamp(std::string_view(out).substr(blank + 1)))
    out[blank] = '_';
  return out;
}

bool IsTimestamp(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  constexpr std::size_t kMaxDigits = 8;
  return !text.empty() && text.size() <= kMaxDigits &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace heapglot::netcf
