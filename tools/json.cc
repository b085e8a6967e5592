#include "tools/json.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "core/text/number.h"
#include "core/text/utf.h"

namespace heapglot::tool {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

}  // namespace

void Json::Key(std::string_view key) {
  Separate();
  Quote(key);
  text_ += layout_ == Layout::kPretty ? ": " : ":";
  after_key_ = true;
}

void Json::String(std::string_view text) {
  Separate();
  Quote(text);
}

void Json::Number(std::uint64_t number) {
  Separate();
  text_ += std::to_string(number);
}

void Json::Signed(std::int64_t number) {
  Separate();
  text_ += std::to_string(number);
}

void Json::Bool(bool value) {
  Separate();
  text_ += value ? "true" : "false";
}

void Json::Double(double number) {
  if (!std::isfinite(number)) return Null();
  Separate();
  AppendDouble(number, &text_);
}

void Json::Null() {
  Separate();
  text_ += "null";
}

void Json::Add(std::string_view key, std::string_view text) {
  Key(key);
  String(text);
}

void Json::Add(std::string_view key, std::uint64_t number) {
  Key(key);
  Number(number);
}

void Json::AddBool(std::string_view key, bool value) {
  Key(key);
  Bool(value);
}

std::string Json::Take() {
  text_ += '\n';
  return std::move(text_);
}

void Json::Begin(char bracket) {
  Separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
}

void Json::End(char bracket) {
  --depth_;
  if (!first_) NewLine();
  text_ += bracket;
  first_ = false;
}

void Json::Separate() {
  if (std::exchange(after_key_, false)) return;
  if (!std::exchange(first_, false)) text_ += ',';
  if (depth_ > 0) NewLine();
}

void Json::NewLine() {
  if (layout_ == Layout::kOneLine) return;
  text_ += '\n';
  text_.append(2 * depth_, ' ');
}

void Json::Quote(std::string_view text) {
  text_ += '"';
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const char* const start = p;
    const std::int32_t code = DecodeWtf8(p, end);
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code == kBadByte || is_surrogate) {
      text_ += kReplacement;
    } else if (code == '"' || code == '\\') {
      text_ += '\\';
      text_ += *start;
    } else if (code < 0x20) {
      char escaped[16];
      std::snprintf(escaped, sizeof escaped, "\\u%04x",
                    static_cast<unsigned>(code));
      text_ += escaped;
    } else {
      text_.append(start, p);
    }
  }
  text_ += '"';
}

}  // namespace heapglot::tool
