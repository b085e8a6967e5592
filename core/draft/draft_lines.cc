#include "core/draft/draft_lines.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/bytes/crc32.h"
#include "core/text/base64.h"
#include "core/text/json_plain.h"
#include "core/text/number.h"
#include "core/text/utf.h"

namespace heapglot::draft {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::uint64_t kUsualNan = 0x7ff8'0000'0000'0000;

// Like Python's repr(): no exponent from 1e-04 up to 1e+16, and otherwise at
// least two digits of exponent.
void AppendPython(double value, std::string* out) {
  const double size = std::fabs(value);
  if (size == 0 || (size >= 1e-4 && size < 1e16)) {
    AppendDouble(value, out);
    return;
  }
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value,
                                          std::chars_format::scientific);
  (void)error;  // the buffer is large enough for every double
  out->append(buffer, end);
}

// With ten digits after the point, unless they do not restore the value.
void AppendExponent(double value, std::string* out) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value,
                                          std::chars_format::scientific, 10);
  (void)error;  // there is room for every double
  double same = 0;
  std::from_chars(text, end, same);
  if (std::bit_cast<std::uint64_t>(same) == std::bit_cast<std::uint64_t>(value))
    out->append(text, end);
  else
    AppendDouble(value, out);
}

}  // namespace

Status SummingSink::Write(std::string_view bytes) {
  bytes_ += bytes.size();
  crc32_ = Crc32(crc32_, bytes);
  return next_.Write(bytes);
}

std::string Utf16Of(std::string_view text) {
  std::string units;
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto add = [&](std::int32_t unit) {
    units.push_back(static_cast<char>(unit & 0xFF));
    units.push_back(static_cast<char>(unit >> 8));
  };
  while (p != end) {
    const std::int32_t code = DecodeWtf8(p, end);
    if (code != kBadByte) ForEachUtf16Unit(code, add);
  }
  return units;
}

// ------------------------------------------------------------------ records

void LineWriter::Begin(const Type& type, const Subtype* subtype,
                       bool is_object) {
  type_ = &type;
  subtype_ = subtype;
  layout_ = subtype != nullptr ? &subtype->layout : &type.layout;
  BeginLine();
  field_ = absent_ = 0;
  is_object_ = is_object;
  if (is_object_) {
    ranks_ = RanksOf(*layout_, type.name,
                     subtype != nullptr ? std::string_view(subtype->name)
                                        : std::string_view());
    if (ranks_ != nullptr)
      Hold();
    else
      out_->Write('{');
    BeginKey(kTypeKey);
    out_->Write("type");
    EndKey();
    out_->Write('"');
    WriteName(type.name, type.spelling);
    out_->Write('"');
  } else {
    out_->Write('[');
    out_->WriteUint(type.code);
  }
  CountRecord(type);
}

void LineWriter::BeginKey(int field) {
  if (ranks_ != nullptr) {
    EndPieces();
    pieces_.push_back(
        {.field = field, .begin = held_.size(), .end = 0, .rank = 0});
  } else if (field != kTypeKey) {
    Comma();
  }
  out_->Write('"');
}

void LineWriter::Absent() {
  ++field_;
  ++absent_;
}

void LineWriter::WriteNulls() {
  for (; absent_ > 0; --absent_) {
    Comma();
    out_->Write("null");
  }
}

void LineWriter::BeginField() {
  if (!is_object_) {
    if (absent_ > 0) WriteNulls();
    Comma();
  } else {
    absent_ = 0;
    const Field& field = layout_->fields[field_];
    const std::string_view name = field.name;
    BeginKey(static_cast<int>(field_));
    WriteName(style_.twins && name == "s2" ? "s1" : name, field.spelling);
    EndKey();
  }
  ++field_;
}

void LineWriter::Spelled(bool negative, std::uint64_t magnitude,
                         Style::Ids ids) {
  BeginField();
  const bool text = ids != Style::Ids::kNumber || magnitude > kMaxSafe;
  const bool decimal = ids == Style::Ids::kDecimal;
  if (text) out_->Write('"');
  if (negative) out_->Write('-');
  if (!text || decimal) {
    out_->WriteUint(magnitude);
  } else {
    out_->Write("0x");
    char digits[16];
    std::size_t count = 0;
    do {
      digits[15 - count++] = kHexDigits[magnitude & 0xF];
      magnitude >>= 4;
    } while (magnitude != 0);
    out_->Write({digits + 16 - count, count});
  }
  if (text) out_->Write('"');
}

void LineWriter::Uint(std::uint64_t value) {
  BeginField();
  if (value <= kMaxSafe) {
    out_->WriteUint(value);
    return;
  }
  char text[24];
  std::snprintf(text, sizeof text, "\"0x%llx\"",
                static_cast<unsigned long long>(value));
  out_->Write(text);
}

void LineWriter::Int(std::int64_t value) {
  const bool negative = value < 0;
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  if (!negative) {
    Uint(magnitude);
    return;
  }
  BeginField();
  const bool text = magnitude > kMaxSafe;
  char buffer[28];
  std::snprintf(buffer, sizeof buffer, text ? "\"-0x%llx\"" : "-%llu",
                static_cast<unsigned long long>(magnitude));
  out_->Write(buffer);
}

void LineWriter::Hex(std::uint64_t value) {
  Spelled(false, value, Style::Ids::kHex);
}
void LineWriter::Id(std::uint64_t id) { Spelled(false, id, style_.ids); }
void LineWriter::StringId(std::uint64_t id) {
  Spelled(false, id, style_.string_ids);
}

void LineWriter::Value(std::uint64_t bits) {
  const bool negative = bits % 2 == 0 && bits >> 63 != 0;
  Spelled(negative, negative ? 0 - bits : bits, style_.ids);
}

void LineWriter::Double(std::uint64_t bits) {
  BeginField();
  const auto value = std::bit_cast<double>(bits);
  text_.clear();
  if (std::isnan(value) && bits != kUsualNan) {
    char text[32];
    std::snprintf(text, sizeof text, "\"NaN:0x%016llx\"",
                  static_cast<unsigned long long>(bits));
    text_ = text;
  } else if (!std::isfinite(value)) {
    text_ = "\"";
    AppendDouble(value, &text_);
    text_ += '"';
  } else if (style_.doubles == Style::Doubles::kExponent) {
    AppendExponent(value, &text_);
  } else if (style_.doubles == Style::Doubles::kPython) {
    AppendPython(value, &text_);
  } else {
    AppendDouble(value, &text_);
  }
  out_->Write(text_);
}

void LineWriter::Bool(bool value) { Raw(value ? "true" : "false"); }

void LineWriter::Raw(std::string_view json) {
  BeginField();
  Grow(json.size());
  WriteJson(json);
}

void LineWriter::WriteAsAscii(std::string_view json) {
  text_.clear();
  AppendAsAscii(json, &text_);
  Grow(text_.size());
  out_->Write(text_);
}

void LineWriter::Base64(std::string_view bytes) {
  BeginField();
  text_.clear();
  AppendBase64(bytes, &text_);
  Grow(text_.size());
  out_->Write('"');
  out_->Write(text_);
  out_->Write('"');
}

void LineWriter::BeginText() {
  BeginField();
  out_->Write('"');
}
void LineWriter::EndText() { out_->Write('"'); }

void LineWriter::AppendText(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const char* const plain = p;
    p = SkipJsonPlain(p, end);
    if (p != plain) {
      const auto size = static_cast<std::size_t>(p - plain);
      Grow(size);
      out_->Write({plain, size});
      continue;
    }
    text_.clear();
    p = AppendEscaped(p, end, style_.ascii, &text_);
    Grow(text_.size());
    out_->Write(text_);
  }
}

void LineWriter::ExactText(std::string_view text) {
  BeginField();
  text_.clear();
  AppendName(text, style_.ascii, &text_);
  Grow(text_.size());
  out_->Write('"');
  out_->Write(text_);
  out_->Write('"');
}

void LineWriter::WriteEscapedName(std::string_view name) {
  text_.clear();
  AppendName(name, style_.ascii, &text_);
  out_->Write(text_);
}

void LineWriter::Pair(std::string_view key, std::string_view json) {
  absent_ = 0;
  BeginKey(kOtherKey);
  // An empty key may be a null pointer, which Write() must not get.
  if (!key.empty()) WriteName(key, SpellingOf(key));
  EndKey();
  Grow(json.size());
  WriteJson(json);
}

void LineWriter::Surplus(std::string_view json) {
  WriteNulls();
  Comma();
  WriteJson(json);
}

void LineWriter::SubtypeField() {
  BeginField();
  if (!is_object_ || !style_.names) {
    out_->WriteUint(subtype_->code);
    return;
  }
  out_->Write('"');
  WriteName(subtype_->name, subtype_->spelling);
  out_->Write('"');
}

void LineWriter::End() {
  if (ranks_ != nullptr) EndHeld();
  out_->Write(is_object_ ? '}' : ']');
  EndLine();
}

void LineWriter::EndLine() {
  out_->Write(style_.crlf ? std::string_view("\r\n") : std::string_view("\n"));
  ++records_;
}

// -------------------------------------------------------------- other lines

void LineWriter::Line(std::string_view line) {
  BeginLine();
  if (!style_.crlf && line.ends_with("\r\n")) {
    out_->Write(line.substr(0, line.size() - 2));
    return EndLine();
  }
  out_->Write(line);
  // EndLine() counts it.
  lacks_end_ = !line.ends_with('\n');
  if (!lacks_end_) ++records_;
}

// Most records follow one of the same type, so the name need not be compared.
void LineWriter::CountRecord(const Type& type) {
  if (counted_ == &type) {
    ++counts_[last_count_].second;
    return;
  }
  Count(type.name);
  if (has_trailer_) counted_ = &type;
}

void LineWriter::Count(std::string_view type) {
  if (!has_trailer_) return;
  counted_ = nullptr;
  if (last_count_ < counts_.size() && counts_[last_count_].first == type) {
    ++counts_[last_count_].second;
    return;
  }
  // Most files have three types; comparing these is faster than hashing.
  constexpr std::size_t kFew = 8;
  const std::size_t few = std::min(counts_.size(), kFew);
  for (last_count_ = 0; last_count_ < few; ++last_count_) {
    if (counts_[last_count_].first != type) continue;
    ++counts_[last_count_].second;
    return;
  }
  if (const auto known = count_rows_.find(type); known != count_rows_.end()) {
    last_count_ = known->second;
  } else {
    last_count_ = counts_.size();
    count_rows_.emplace(type, last_count_);
    counts_.emplace_back(type, 0);
  }
  ++counts_[last_count_].second;
}

void LineWriter::Metadata(std::string_view key, std::string_view value) {
  static const std::vector<std::string> kUsual = {"type", "key", "value"};
  static const std::vector<std::string> kSorted = {"key", "type", "value"};
  const std::vector<std::string>* keys =
      style_.sorted_keys ? &kSorted : &kUsual;
  BeginLine();
  for (const Style::KeyOrder& order : style_.orders) {
    const bool has_all =
        order.keys.size() == kUsual.size() &&
        std::is_permutation(kUsual.begin(), kUsual.end(), order.keys.begin());
    if (order.type == kMetadataType && has_all) keys = &order.keys;
  }
  out_->Write('{');
  for (const std::string& name : *keys) {
    if (&name != &keys->front()) Comma();
    out_->Write('"');
    out_->Write(name);
    EndKey();
    out_->Write('"');
    AppendText(name == "type" ? kMetadataType : name == "key" ? key : value);
    out_->Write('"');
  }
  out_->Write('}');
  EndLine();
}

void LineWriter::DeclareFields(const Layout& layout, std::size_t first) {
  out_->Write(R"(,"fields":[)");
  for (std::size_t i = first; i < layout.fields.size(); ++i) {
    const Field& field = layout.fields[i];
    out_->Write(i == first ? "[\"" : ",[\"");
    WriteName(field.name, field.spelling);
    out_->Write("\",\"");
    out_->Write(FieldTypeName(field.type));
    out_->Write("\"]");
  }
  out_->Write("]}");
  EndLine();
}

void LineWriter::Declare(const Type& type) {
  BeginLine();
  out_->Write(R"({"type":"type","code":)");
  out_->WriteUint(type.code);
  out_->Write(R"(,"name":")");
  WriteName(type.name, type.spelling);
  out_->Write('"');
  DeclareFields(type.layout, 0);
}

void LineWriter::Declare(const Type& of, const Subtype& subtype) {
  BeginLine();
  out_->Write(R"({"type":"subtype","of":")");
  WriteName(of.name, of.spelling);
  out_->Write(R"(","code":)");
  out_->WriteUint(subtype.code);
  out_->Write(R"(,"name":")");
  WriteName(subtype.name, subtype.spelling);
  out_->Write('"');
  DeclareFields(subtype.layout, of.layout.fields.size());
}

Status LineWriter::WriteLeftovers(Leftovers& leftovers) {
  out_->Flush();
  HEAPGLOT_RETURN_IF_ERROR(out_->status());
  std::string text;
  return leftovers.Send([&](std::string_view piece) {
    text.clear();
    AppendBase64(piece, &text);
    Metadata(kLeftoversKey, text);
    return out_->status();
  });
}

void LineWriter::BeginFile(const FileTraits& traits) {
  if (style_.bom) out_->Write("\xEF\xBB\xBF");
  // Version 0 has no trailer.
  has_trailer_ = style_.trailer && !traits.is_version0;
}

Status LineWriter::EndFile(Leftovers* leftovers) {
  if (leftovers != nullptr)
    HEAPGLOT_RETURN_IF_ERROR(WriteLeftovers(*leftovers));
  if (has_trailer_) Trailer();
  out_->Flush();
  if (context_ != nullptr && unnamed_ > 0) {
    context_->Note("layout.array",
                   "a record is an array: as an object it would have a key "
                   "twice, or be taken for another one",
                   Where(), unnamed_);
  }
  return out_->status();
}

void LineWriter::Trailer() {
  BeginLine();
  out_->Flush();
  const std::uint64_t bytes = sum_.position();
  char sum[9];
  std::snprintf(sum, sizeof sum, "%08x", static_cast<unsigned>(sum_.crc32()));
  out_->Write(R"({"type":"hg.trailer","records":)");
  out_->WriteUint(records_);
  out_->Write(R"(,"counts":{)");
  bool is_first = true;
  for (const auto& [name, count] : counts_) {
    out_->Write(is_first ? "\"" : ",\"");
    is_first = false;
    WriteName(name, SpellingOf(name));
    out_->Write("\":");
    out_->WriteUint(count);
  }
  out_->Write(R"(},"bytes":)");
  out_->WriteUint(bytes);
  out_->Write(R"(,"crc32":")");
  out_->Write(std::string_view(sum, 8));
  out_->Write("\"}");
  EndLine();
}

}  // namespace heapglot::draft
