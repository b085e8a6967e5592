#include "readers/heapsnapshot/heapsnapshot_validate_strings.h"

#include <optional>
#include <string>
#include <string_view>

#include "core/bytes/trail.h"
#include "core/text/utf.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"
#include "readers/heapsnapshot/heapsnapshot_rules.h"

namespace heapglot::heapsnapshot {
namespace {

// The longest string of V8, in UTF-16 units (v8::String::kMaxLength, 64 bits).
constexpr std::uint64_t kMaxV8String = 0x1fff'ffe8;

using Example = FindingLog::Example;

// UTF-16 units of UTF-8 text.
std::uint64_t Utf16Units(std::string_view text) {
  std::uint64_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xc0) != 0x80 ? 1 : 0;
    units += byte >= 0xf0 ? 1 : 0;
  }
  return units;
}

class StringChecker {
 public:
  StringChecker(const ByteSource& source, Context& context, std::uint64_t begin,
                bool devtools_gets_there, FindingLog& log)
      : source_(source),
        bytes_(source.bytes()),
        context_(context),
        log_(log),
        devtools_gets_there_(devtools_gets_there),
        begin_(begin),
        at_(begin) {}

  StringFacts Run();

 private:
  // Reads the array. False if it is not JSON at at_.
  bool ReadAll();
  bool ReadString();
  bool ReadOther();
  void CheckEnd();

  char Next() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  void SkipSpace() {
    while (at_ < bytes_.size() && IsSpace(bytes_[at_])) ++at_;
  }

  const ByteSource& source_;
  std::string_view bytes_;
  Context& context_;
  FindingLog& log_;
  const bool devtools_gets_there_;
  std::uint64_t begin_;
  std::uint64_t at_;
  std::uint64_t count_ = 0;
};

StringFacts StringChecker::Run() {
  if (ReadAll()) {
    if (devtools_gets_there_) CheckEnd();
  } else {
    log_.Add(RuleFor("strings.cut"),
             "found " + Found(bytes_, at_) + " among the strings",
             Where::Byte(at_));
  }
  // There are no more characters than bytes, so most files need no counting.
  if (at_ - begin_ > kMaxV8String) {
    const std::uint64_t units = Utf16Units(bytes_.substr(begin_, at_ - begin_));
    if (units > kMaxV8String) {
      log_.Add(RuleFor("strings.long"),
               "the strings are " + std::to_string(units) +
                   " characters, more than " + std::to_string(kMaxV8String),
               Where::Byte(begin_));
    }
  }
  return {.count = count_};
}

bool StringChecker::ReadAll() {
  Trail trail(source_, begin_);
  // Bytes between two looks at what was read.
  constexpr std::uint64_t kStep = std::uint64_t{256} << 10;
  std::uint64_t next = at_ + kStep;
  ++at_;
  SkipSpace();
  if (Next() == ']') {
    ++at_;
    return true;
  }
  for (;; ++at_, SkipSpace()) {
    if (!(Next() == '"' ? ReadString() : ReadOther())) return false;
    ++count_;
    if (at_ >= next) {
      next = at_ + kStep;
      trail.Advance(at_);
      if (!context_.Proceed("checking", at_, bytes_.size()).ok()) return false;
    }
    SkipSpace();
    if (Next() != ',') break;
  }
  if (Next() != ']') return false;
  ++at_;
  return true;
}

bool StringChecker::ReadString() {
  const std::uint64_t begin = at_;
  const char* p = bytes_.data() + at_ + 1;
  StringToken token;
  const StringEnd end = ScanString(&p, bytes_.data() + bytes_.size(), &token);
  at_ = end == StringEnd::kCut ? bytes_.size()
                               : static_cast<std::uint64_t>(p - bytes_.data());
  if (end != StringEnd::kOk) return false;
  if (token.is_plain) return true;
  const auto add = [&](const Rule& rule, const char* what) {
    log_.Add(rule, [&] {
      return Example{"string " + std::to_string(count_) + what,
                     Where::Byte(begin), count_};
    });
  };
  if (ClassifyUtf8(token.raw) != pb::UTF8)
    add(RuleFor("string.bytes"), " is not UTF-8");
  if (HasLoneSurrogate(token.raw))
    add(RuleFor("string.surrogate"), " has a lone surrogate");
  return true;
}

bool StringChecker::ReadOther() {
  const std::uint64_t begin = at_;
  JsonChecker json(context_.limits.max_depth);
  at_ += json.Feed(bytes_.substr(at_));
  if (json.state() != JsonChecker::State::kDone) return false;
  log_.Add(RuleFor("string.other"), [&] {
    return Example{
        "string " + std::to_string(count_) + " is " + Found(bytes_, begin),
        Where::Byte(begin), count_};
  });
  return true;
}

// DevTools parses everything up to the last "]" of the file.
void StringChecker::CheckEnd() {
  const std::size_t last = bytes_.rfind(']');
  if (last == std::string_view::npos || last < at_) return;
  log_.Add(RuleFor("file.bracket"), "a ']' follows the strings",
           Where::Byte(last));
}

}  // namespace

bool HasLoneSurrogate(std::string_view raw) {
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  const auto kind = [&](std::size_t at) {  // 'h'igh, 'l'ow, or none
    const std::string_view escape = raw.substr(at, 6);
    if (escape.size() < 6 || escape[1] != 'u' ||
        escape.find_first_not_of(kHex, 2) != std::string_view::npos)
      return '\0';
    const char first = static_cast<char>(escape[2] | 0x20);
    const char second = static_cast<char>(escape[3] | 0x20);
    if (first != 'd') return '\0';
    if (second == '8' || second == '9' || second == 'a' || second == 'b')
      return 'h';
    return second >= 'c' && second <= 'f' ? 'l' : '\0';
  };
  for (std::size_t at = raw.find('\\'); at != std::string_view::npos;
       at = raw.find('\\', at)) {
    const char found = kind(at);
    if (found == 'l') return true;
    if (found == 'h') {
      const bool is_pair = raw.substr(at + 6, 1) == "\\" && kind(at + 6) == 'l';
      if (!is_pair) return true;
      at += 12;
      continue;
    }
    at += 2;
  }
  return false;
}

StringFacts CheckStrings(const ByteSource& source, Context& context,
                         std::uint64_t begin, bool devtools_gets_there,
                         FindingLog& log) {
  return StringChecker(source, context, begin, devtools_gets_there, log).Run();
}

}  // namespace heapglot::heapsnapshot
