#include "tools/json.h"

#include "core/text/utf.h"

namespace heapglot::tool {
namespace {

// `text` with U+FFFD for each byte that is no UTF-8 and each lone surrogate.
std::string ToUtf8(std::string_view text) {
  if (ClassifyUtf8(text) == pb::UTF8) return std::string(text);
  constexpr std::string_view kReplacement = "\uFFFD";
  std::string clean;
  clean.reserve(text.size() + kReplacement.size());
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const char* const start = p;
    const std::int32_t code = DecodeWtf8(p, end);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code == kBadByte || surrogate) {
      clean += kReplacement;
    } else {
      clean.append(start, p);
    }
  }
  return clean;
}

}  // namespace

Json::Json(Layout layout) : layout_(layout) { pretty_.SetIndent(' ', 2); }

template <typename Call>
void Json::Write(Call&& call) {
  if (layout_ == Layout::kPretty) {
    call(pretty_);
  } else {
    call(one_line_);
  }
}

void Json::BeginObject() {
  Write([](auto& writer) { writer.StartObject(); });
}

void Json::EndObject() {
  Write([](auto& writer) { writer.EndObject(); });
}

void Json::BeginArray() {
  Write([](auto& writer) { writer.StartArray(); });
}

void Json::EndArray() {
  Write([](auto& writer) { writer.EndArray(); });
}

void Json::Key(std::string_view key) { String(key); }

void Json::String(std::string_view text) {
  const std::string clean = ToUtf8(text);
  Write([&](auto& writer) {
    writer.String(clean.data(), static_cast<rapidjson::SizeType>(clean.size()));
  });
}

void Json::Number(std::uint64_t number) {
  Write([&](auto& writer) { writer.Uint64(number); });
}

void Json::Bool(bool value) {
  Write([&](auto& writer) { writer.Bool(value); });
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
  std::string text(buffer_.GetString(), buffer_.GetSize());
  text += '\n';
  return text;
}

}  // namespace heapglot::tool
