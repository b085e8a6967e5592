#include "tools/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cwchar>
#include <vector>

#include "core/text/utf.h"

namespace heapglot::tool {
namespace {

constexpr std::array<std::string_view, 7> kUnits = {"B",   "KiB", "MiB", "GiB",
                                                    "TiB", "PiB", "EiB"};

// wcwidth() knows the widths of Unicode characters only in a UTF-8 locale, and
// the program's own locale stays "C" so that no output depends on it.
locale_t TheUtf8Locale() {
  static const locale_t locale =
      newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);  // from a file
  return locale;
}

class Utf8Locale {
 public:
  Utf8Locale() {
    if (TheUtf8Locale() != nullptr) previous_ = uselocale(TheUtf8Locale());
  }
  ~Utf8Locale() {
    if (previous_ != nullptr) uselocale(previous_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t previous_ = nullptr;
};

// Columns of the code point at `p`; moves `p` after it.
int NextColumns(const char*& p, const char* end) {
  const std::int32_t code = DecodeWtf8(p, end);
  const int columns = wcwidth(static_cast<wchar_t>(code));
  return columns < 0 ? 1 : columns;
}

// Letters that have to be changed, added, removed or swapped with their
// neighbour to turn `a` into `b`. Case does not matter.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  };
  std::vector<std::vector<std::size_t>> cost(
      a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                             cost[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// The power of 1024 that a unit stands for; nullopt if it is not a unit.
std::optional<int> UnitPower(std::string_view unit) {
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.empty()) return 0;
  constexpr std::string_view kLetters = "bkmgtpe";
  const auto lower = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  const std::size_t power = kLetters.find(lower(unit[0]));
  if (power == std::string_view::npos) return std::nullopt;
  unit.remove_prefix(1);
  if (power > 0) {  // "k", "kb", "kib"
    if (!unit.empty() && lower(unit[0]) == 'i') {
      unit.remove_prefix(1);
      if (unit.empty()) return std::nullopt;
    }
    if (!unit.empty() && lower(unit[0]) == 'b') unit.remove_prefix(1);
  }
  if (!unit.empty()) return std::nullopt;
  return static_cast<int>(power);
}

}  // namespace

std::string Thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string HumanBytes(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 1023.95 would be printed as 1024.0.
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ", value);
  return text + std::string(kUnits[unit]);
}

std::string BytesInFull(std::uint64_t bytes) {
  std::string text = Thousands(bytes) + (bytes == 1 ? " byte" : " bytes");
  if (bytes >= 1024) text += " (" + HumanBytes(bytes) + ")";
  return text;
}

std::string Percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::optional<std::uint64_t> ParseSize(std::string_view text) {
  const char* end = text.data() + text.size();
  double number = 0;
  const auto parsed =
      std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (parsed.ec != std::errc() || std::signbit(number)) return std::nullopt;
  const std::string_view unit(parsed.ptr,
                              static_cast<std::size_t>(end - parsed.ptr));
  const std::optional<int> power = UnitPower(unit);
  if (!power) return std::nullopt;
  // A plain number may need all 64 bits; a double has 53.
  std::uint64_t exact = 0;
  const auto integer = std::from_chars(text.data(), end, exact);
  if (integer.ec == std::errc() && integer.ptr == parsed.ptr) {
    if (*power > 0 && exact >> (64 - 10 * *power) != 0) return std::nullopt;
    return exact << (10 * *power);
  }
  const double bytes = std::ldexp(number, 10 * *power);
  if (!(bytes < 0x1p64)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string_view Closest(std::string_view word,
                         std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = 0;
  if (word.size() > 64) return best;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    const std::size_t near = std::max<std::size_t>(1, candidate.size() / 3);
    const bool start = word.size() >= 3 && candidate.starts_with(word);
    if (distance > near && !start) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string Enumerate(std::span<const std::string_view> words,
                      std::string_view conjunction) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && i + 1 < words.size()) text += ", ";
    if (i > 0 && i + 1 == words.size()) {
      text.append(" ").append(conjunction).append(" ");
    }
    text += words[i];
  }
  return text;
}

std::string Join(std::span<const std::string> words, char between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

void LoadDisplayWidths() { TheUtf8Locale(); }

int DisplayColumns(std::string_view text) {
  const Utf8Locale locale;
  int columns = 0;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) columns += NextColumns(p, end);
  return columns;
}

std::string FitLeft(std::string_view text, int columns, bool unicode) {
  const int width = DisplayColumns(text);
  if (width <= columns) {
    return std::string(text) + std::string(columns - width, ' ');
  }
  const std::string_view mark = unicode ? "…" : "...";
  const int room = columns - (unicode ? 1 : 3);
  const Utf8Locale locale;
  const char* const end = text.data() + text.size();
  const char* cut_at = text.data();
  int used = 0;
  for (const char* p = cut_at; p != end; cut_at = p) {
    const int more = NextColumns(p, end);
    if (used + more > room) break;
    used += more;
  }
  std::string cut(text.data(), cut_at);
  cut += mark;
  return cut + std::string(std::max(0, room - used), ' ');
}

std::string PadLeft(std::string_view text, int columns) {
  const int blanks = columns - static_cast<int>(text.size());
  return std::string(std::max(0, blanks), ' ') + std::string(text);
}

}  // namespace heapglot::tool
