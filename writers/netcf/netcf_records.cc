#include "writers/netcf/netcf_records.h"

#include <algorithm>

#include "core/text/utf.h"

namespace heapglot::netcf {
namespace {

constexpr std::int32_t kReplacement = 0xfffd;

// The size of `text` without an incomplete character at its end.
std::size_t WholeCharacters(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size());
       ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const std::size_t needed = byte >= 0xf0   ? 4
                               : byte >= 0xe0 ? 3
                               : byte >= 0xc0 ? 2
                                              : 1;
    return needed > back ? text.size() - back : text.size();
  }
  return text.size();
}

bool HasPlainNumbers(const Layout& layout) {
  const Spelling usual;
  return layout.between == " " && layout.type == usual &&
         layout.object == usual && layout.size == usual &&
         layout.kind == usual && layout.flags == usual;
}

}  // namespace

void EncodingSink::AppendUnit(std::int32_t unit) {
  const auto low = static_cast<char>(unit & 0xff);
  const auto high = static_cast<char>(unit >> 8);
  units_.push_back(encoding_ == Encoding::kUtf16Le ? low : high);
  units_.push_back(encoding_ == Encoding::kUtf16Le ? high : low);
}

Status EncodingSink::Write(std::string_view bytes) {
  if (encoding_ == Encoding::kUtf8) return sink_.Write(bytes);
  rest_.append(bytes);
  const std::size_t size = WholeCharacters(rest_);
  units_.clear();
  const char* const end = rest_.data() + size;
  for (const char* p = rest_.data(); p != end;) {
    const std::int32_t decoded = DecodeWtf8(p, end);
    ForEachUtf16Unit(decoded == kBadByte ? kReplacement : decoded,
                     [this](std::int32_t unit) { AppendUnit(unit); });
  }
  rest_.erase(0, size);
  return sink_.Write(units_);
}

Status EncodingSink::Close() {
  if (rest_.empty()) return {};
  units_.clear();
  AppendUnit(kReplacement);
  rest_.clear();
  return sink_.Write(units_);
}

Records::Records(ByteSink& sink, const Layout& layout)
    : layout_(layout),
      is_plain_(HasPlainNumbers(layout)),
      encoded_(sink, layout.encoding),
      out_(encoded_) {
  if (layout.has_bom) out_.Write("\xef\xbb\xbf");
}

void Records::EndLineBefore() {
  if (is_line_open_)
    for (std::uint32_t i = 0; i <= layout_.blank_lines; ++i)
      out_.Write(layout_.line_end);
  is_line_open_ = true;
}

void Records::Begin(char letter) {
  EndLineBefore();
  out_.Write(layout_.before);
  out_.Write(layout_.has_upper_letters ? static_cast<char>(letter - 'a' + 'A')
                                       : letter);
}

void Records::End() { out_.Write(layout_.after); }

void Records::Line(std::string_view line) {
  EndLineBefore();
  out_.Write(line);
}

char* Records::AppendSpelled(std::uint64_t number, const Spelling& spelling,
                             char* at) const {
  at = std::copy(layout_.between.begin(), layout_.between.end(), at);
  at = std::copy(spelling.prefix.begin(), spelling.prefix.end(), at);
  char digits[16];
  const char* const end = AppendHex(number, digits);
  const auto size = static_cast<std::uint32_t>(end - digits);
  if (size < spelling.width) at = std::fill_n(at, spelling.width - size, '0');
  return std::transform(digits, digits + size, at, [&spelling](char c) {
    return spelling.is_upper && c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  });
}

Status Records::Finish() {
  if (layout_.has_last_line_end) EndLineBefore();
  if (layout_.has_control_z) out_.Write('\x1a');
  out_.Flush();
  if (!out_.status().ok()) return out_.status();
  return encoded_.Close();
}

}  // namespace heapglot::netcf
