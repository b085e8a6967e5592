#include "readers/netcf/netcf_sniff.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kMaxDigits = 8;

std::string_view SkipBlanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

// Takes a word from the front of a line, and the blanks around it.
std::string_view TakeWord(std::string_view* line) {
  const std::string_view text = SkipBlanks(*line);
  const std::size_t size = std::min(text.find_first_of(kBlanks), text.size());
  *line = SkipBlanks(text.substr(size));
  return text.substr(0, size);
}

// Takes a line that has more than blanks from the front of a text.
std::string_view TakeLine(std::string_view* text) {
  const std::size_t start =
      std::min(text->find_first_not_of(" \t\r\n"), text->size());
  *text = text->substr(start);
  const std::size_t size = std::min(text->find_first_of("\r\n"), text->size());
  const std::string_view line = text->substr(0, size);
  *text = text->substr(size);
  return line;
}

bool HasPrefix(std::string_view word) {
  return word.starts_with("0x") || word.starts_with("0X");
}

// CLRProfiler and SOS write addresses, with a prefix.
bool IsPlainNumber(std::string_view word, std::size_t max_digits = kMaxDigits) {
  return !word.empty() && word.size() <= max_digits &&
         word.find_first_not_of("0123456789abcdefABCDEF") ==
             std::string_view::npos;
}

// "a 2 NAME": a version that is no address, and a name.
Sniff SniffStart(std::string_view rest) {
  constexpr std::size_t kMaxVersionDigits = 4;
  std::string_view version = TakeWord(&rest);
  if (HasPrefix(version)) version.remove_prefix(2);
  if (!IsPlainNumber(version) || HasPrefix(rest)) return Sniff::kNo;
  const std::size_t zeros = version.find_first_not_of('0');
  if (zeros != std::string_view::npos &&
      version.size() - zeros > kMaxVersionDigits)
    return Sniff::kNo;
  return rest.empty() ? Sniff::kMaybe : Sniff::kYes;
}

// "t 1 NAME"; its relatives have "t 1 0 NAME".
bool IsType(std::string_view rest) {
  if (!IsPlainNumber(TakeWord(&rest)) || rest.empty()) return false;
  const auto first = static_cast<unsigned char>(rest[0]);
  return std::isalpha(first) != 0 || first == '_' || first == '<';
}

bool IsObject(std::string_view rest) {
  int numbers = 0;
  for (; !rest.empty(); ++numbers)
    if (!IsPlainNumber(TakeWord(&rest))) return false;
  return numbers >= 3;
}

// "r 1f4 1 0": a kind of one digit, flags of one or two.
bool IsRoot(std::string_view rest) {
  if (!IsPlainNumber(TakeWord(&rest)) || !IsPlainNumber(TakeWord(&rest), 1) ||
      !IsPlainNumber(TakeWord(&rest), 2))
    return false;
  return rest.empty() || IsPlainNumber(rest);
}

Sniff SniffLine(std::string_view line) {
  const std::string_view letter = TakeWord(&line);
  if (letter.size() != 1) return Sniff::kNo;
  if (letter[0] == kDomainStart) return SniffStart(line);
  switch (std::tolower(static_cast<unsigned char>(letter[0]))) {
    case kDomainStart:
      return std::min(SniffStart(line), Sniff::kMaybe);
    case kType:
      return IsType(line) ? Sniff::kMaybe : Sniff::kNo;
    case kObject:
      return IsObject(line) ? Sniff::kMaybe : Sniff::kNo;
    case kRoot:
      return IsRoot(line) ? Sniff::kMaybe : Sniff::kNo;
    default:
      return Sniff::kNo;
  }
}

Sniff SniffText(std::string_view text) {
  std::string_view first = TakeLine(&text);
  const std::string_view second = TakeLine(&text);
  // A line that begins like this may be anything.
  const bool is_end = first.size() > 1 && first[0] == kDomainEnd &&
                      kBlanks.find(first[1]) != std::string_view::npos;
  if (is_end) return std::min(SniffLine(second), Sniff::kMaybe);
  return SniffLine(first);
}

}  // namespace

Sniff SniffLog(std::string_view head) {
  const TextForm form = FormOf(head);
  if (form.encoding == Encoding::kUtf8)
    return SniffText(head.substr(form.begin, form.end - form.begin));
  // Every other byte, as if all were ASCII.
  std::string text;
  const std::size_t low = form.encoding == Encoding::kUtf16Le ? 0 : 1;
  for (std::size_t i = form.begin; i + 1 < form.end; i += 2)
    text.push_back(head[i + 1 - low] == 0 ? head[i + low] : '?');
  return SniffText(text);
}

}  // namespace heapglot::netcf
