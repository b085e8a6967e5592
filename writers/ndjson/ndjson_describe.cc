// Finds the layout of an existing file.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes/trail.h"
#include "core/draft/draft_cursor.h"
#include "core/draft/draft_record.h"
#include "core/draft/draft_values.h"
#include "core/text/take_uint.h"
#include "core/text/utf.h"
#include "writers/ndjson/ndjson_profile.h"

namespace heapglot::ndjson {
namespace {

using draft::LineKind;
using draft::Record;
using draft::RecordKind;
using draft::Role;
using draft::Token;
using draft::TokenKind;

constexpr std::string_view kBom = "\xEF\xBB\xBF";
// How many bytes are looked at for each kind of records.
constexpr std::size_t kLooked = std::size_t{64} << 10;
// Declarations end within this of the start, and a trailer is within this of
// the end.
constexpr std::size_t kMargin = std::size_t{1} << 20;
constexpr std::uint64_t kMaxDepth = 1000;
constexpr std::size_t kMaxName = 64;

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether `number` is d.dddddddddde+dd.
bool IsLongExponent(std::string_view number) {
  constexpr std::string_view kForm = "d.dddddddddde+dd";
  if (number.starts_with('-')) number.remove_prefix(1);
  if (number.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool fits = kForm[i] == 'd'   ? IsDigit(number[i])
                      : kForm[i] == '+' ? number[i] == '+' || number[i] == '-'
                                        : number[i] == kForm[i];
    if (!fits) return false;
  }
  return true;
}

// Whether some heap number has that form.
bool HasLongExponent(std::string_view head) {
  constexpr std::string_view kKey = R"("value":)";
  for (std::size_t at = head.find(kKey); at != std::string_view::npos;
       at = head.find(kKey, at)) {
    at += kKey.size();
    const std::string_view rest = head.substr(at);
    const std::string_view number = rest.substr(0, rest.find_first_of(",}"));
    if (IsLongExponent(number)) return true;
  }
  return false;
}

// Whether a number ends in `exponent`, as far as its surroundings tell.
bool HasExponent(std::string_view head, std::string_view exponent) {
  for (std::size_t at = head.find(exponent, 1); at < head.size();
       at = head.find(exponent, at + 1)) {
    const std::size_t end = at + exponent.size();
    const bool ends =
        end == head.size() || Has(",]} \r\n", head.substr(end, 1));
    if (IsDigit(head[at - 1]) && ends) return true;
  }
  return false;
}

// Whether there is an exponent where the shortest form has none, or only one
// digit.
bool HasPythonExponent(std::string_view head) {
  constexpr std::string_view kExponents[] = {"e+16", "e+17", "e+18", "e+19",
                                             "e+20", "e-05", "e-06", "e-07",
                                             "e-08", "e-09"};
  return std::any_of(std::begin(kExponents), std::end(kExponents),
                     [head](std::string_view exponent) {
                       return HasExponent(head, exponent);
                     });
}

// Whether a profile can hold the name.
bool IsPlainName(std::string_view name) {
  const auto is_plain = [](char byte) {
    const char lower = static_cast<char>(byte | 0x20);
    return (lower >= 'a' && lower <= 'z') || IsDigit(byte) || byte == '_' ||
           byte == '.' || byte == '-' || byte == ' ';
  };
  return !name.empty() && name.size() <= kMaxName &&
         std::all_of(name.begin(), name.end(), is_plain);
}

std::string DescribeIds(const Token& token, std::string_view key) {
  if (token.kind != TokenKind::kString) return {};
  return ";" + std::string(key) +
         (token.text.starts_with("0x") ? "=hex" : "=dec");
}

std::string DescribeOrder(const draft::Style::KeyOrder& order) {
  std::string text = ";keys=" + order.type;
  if (!order.subtype.empty()) text += "/" + order.subtype;
  char before = ':';
  for (const std::string& key : order.keys) {
    text += before + key;
    before = ',';
  }
  return text;
}

class Describer {
 public:
  explicit Describer(const ByteSource& source)
      : source_(source), bytes_(source.bytes()) {}

  std::string Describe();

 private:
  // After commas, or after colons.
  struct Space {
    bool is_there = false;
    bool is_of_data = false;
  };
  struct Order {
    draft::Style::KeyOrder order;
    bool is_usual = true;
  };

  bool HasTrailer() const;
  void LookForKind(RecordKind kind, std::string_view name);
  // Looks at the lines of 64 KiB; returns where the next one begins. At the
  // head, these are counted from the first data, if that is within kMargin.
  std::uint64_t LookFrom(std::uint64_t begin, bool is_head);
  std::optional<std::uint64_t> Find(std::string_view what,
                                    std::uint64_t from) const;
  std::uint64_t EndOfLine(std::uint64_t from) const {
    return Find("\n", from).value_or(bytes_.size());
  }
  void Look(std::string_view line, std::uint64_t offset);
  void LookAtMetadata();
  void LookAtRecord(std::string_view line);
  void LookAtSpaces(std::string_view line);
  void LookAtKeys(std::string_view type, std::string_view subtype);
  void AddKeys(Order* order) const;
  bool IsUsual(const std::vector<std::string>& keys) const;
  void Declare(std::uint64_t offset);
  bool HasSeen(RecordKind kind) const {
    return seen_[static_cast<std::size_t>(kind)];
  }

  const ByteSource& source_;
  const std::string_view bytes_;
  draft::Schema schema_;
  draft::RecordParser parser_{schema_, kMaxDepth};
  Record record_;
  std::optional<std::uint64_t> data_;  // where it begins
  std::uint64_t head_end_ = 0;
  // What has been found; data takes precedence over metadata.
  std::array<bool, draft::kRecordKinds> seen_{};
  std::optional<bool> is_array_;
  Space comma_, colon_;
  bool has_codes_ = false;
  bool has_twins_ = false;
  std::string ids_, string_ids_;
  std::vector<Order> orders_;
  bool is_sorted_ = true;  // all keys of all objects
};

std::string Describer::Describe() {
  std::string text = "1";
  const bool has_bom = bytes_.starts_with(kBom);
  if (has_bom) text += ";bom";
  if (!HasTrailer()) text += ";trailer=no";
  if (bytes_.substr(0, bytes_.find('\n')).ends_with('\r')) text += ";eol=crlf";
  head_end_ = LookFrom(has_bom ? kBom.size() : 0, /*is_head=*/true);
  LookForKind(RecordKind::kNode, "node");
  LookForKind(RecordKind::kString, "string");
  LookForKind(RecordKind::kEdge, "edge");
  if (is_array_ == false) text += ";shape=object";
  if (has_codes_) text += ";subtypes=code";
  if (has_twins_) text += ";twins";
  text += ids_ + string_ids_;
  const std::string_view head = bytes_.substr(data_.value_or(0), kLooked);
  if (HasLongExponent(head))
    text += ";f64=e10";
  else if (HasPythonExponent(head))
    text += ";f64=py";
  if (AsciiPrefix(head) == head.size() && Has(head, "\\u")) text += ";ascii";
  if (comma_.is_there) text += ";comma=space";
  if (colon_.is_there) text += ";colon=space";
  const bool has_unusual =
      std::any_of(orders_.begin(), orders_.end(),
                  [](const Order& order) { return !order.is_usual; });
  const bool is_sorted = has_unusual && is_sorted_;
  if (is_sorted) text += ";sorted";
  for (const Order& order : orders_) {
    const std::vector<std::string>& keys = order.order.keys;
    const bool is_metadata = order.order.type == draft::kMetadataType;
    // A usual order is listed, too, if another of its type is not usual: that
    // would apply to it otherwise.
    const bool has_other =
        std::any_of(orders_.begin(), orders_.end(), [&](const Order& other) {
          return other.order.type == order.order.type && !other.is_usual;
        });
    const bool is_unsorted =
        is_metadata && !std::is_sorted(keys.begin(), keys.end());
    if (is_sorted ? is_unsorted : has_other) text += DescribeOrder(order.order);
  }
  return text;
}

bool Describer::HasTrailer() const {
  const std::uint64_t before =
      bytes_.size() - std::min<std::uint64_t>(bytes_.size(), kMargin);
  const std::string_view end = bytes_.substr(before);
  const std::size_t last = end.find_last_not_of("\r\n \t");
  if (last == std::string_view::npos) return false;
  const std::size_t feed = end.rfind('\n', last);
  const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
  return Has(end.substr(begin), R"("hg.trailer")");
}

// The first records of a kind may come after all those of another kind.
void Describer::LookForKind(RecordKind kind, std::string_view name) {
  std::string what = '"' + std::string(name) + '"';
  if (is_array_.value_or(true)) {
    const draft::Type* const type = schema_.FindType(name, bytes_.size());
    if (type == nullptr || !type->has_code) return;
    what = "\n[" + std::to_string(type->code) + ",";
  }
  std::uint64_t at = head_end_;
  while (!HasSeen(kind)) {
    // Include the end of the previous line.
    const auto found = Find(what, at - std::min<std::uint64_t>(at, 1));
    if (!found) return;
    // A line that is too long to be looked at is skipped.
    const std::uint64_t least =
        *found - std::min<std::uint64_t>(*found, kLooked);
    const std::string_view before = bytes_.substr(least, *found + 1 - least);
    const std::size_t feed = before.rfind('\n');
    at = feed == std::string_view::npos ? EndOfLine(*found)
                                        : LookFrom(least + feed + 1, false);
  }
}

std::uint64_t Describer::LookFrom(std::uint64_t begin, bool is_head) {
  draft::LineCursor lines(bytes_, begin, bytes_.size());
  Trail trail(source_, begin);
  std::uint64_t next = begin;
  const auto end = [&] {
    return (is_head ? data_.value_or(begin + kMargin) : begin) + kLooked;
  };
  while (next < end() && lines.Next()) {
    Look(lines.text(), lines.offset());
    next = lines.next();
    trail.Advance(lines.offset());
  }
  return next;
}

std::optional<std::uint64_t> Describer::Find(std::string_view what,
                                             std::uint64_t from) const {
  Trail trail(source_, from);
  while (from + what.size() <= bytes_.size()) {
    const std::string_view part = bytes_.substr(from, kMargin + what.size());
    const void* const found =
        memmem(part.data(), part.size(), what.data(), what.size());
    if (found != nullptr)
      return static_cast<const char*>(found) - bytes_.data();
    from += kMargin;
    trail.Advance(std::min<std::uint64_t>(from, bytes_.size()));
  }
  return std::nullopt;
}

void Describer::Look(std::string_view line, std::uint64_t offset) {
  draft::LineError error;
  const bool is_short = line.size() <= kLooked;
  if (!is_short || !parser_.Parse(line, offset, &record_, &error)) return;
  // A type that is used before it is declared is the draft's.
  const bool is_draft = record_.kind == LineKind::kUnknown &&
                        !record_.is_array &&
                        schema_.AddDraftType(record_.type_name) != nullptr;
  if (is_draft) parser_.Parse(line, offset, &record_, &error);
  switch (record_.kind) {
    case LineKind::kMetadata:
      LookAtMetadata();
      LookAtSpaces(line);
      break;
    case LineKind::kType:
    case LineKind::kSubtype:
      Declare(offset);
      break;
    case LineKind::kData:
      if (!data_) data_ = offset;
      LookAtRecord(line);
      break;
    default:
      break;
  }
}

void Describer::LookAtMetadata() {
  LookAtKeys(draft::kMetadataType, {});
  if (record_.Text(record_.Find("key")) != "version_major" ||
      record_.Text(record_.Find("value")) != "0")
    return;
  schema_.AddVersion0();
  parser_.AllowTwins();
}

void Describer::Declare(std::uint64_t offset) {
  const std::string_view name = record_.Text(record_.Find("name"));
  const std::uint64_t code = record_.Find("code").value;
  const std::vector<draft::Field> fields =
      draft::ReadFields(record_.Find("fields"));
  if (record_.kind == LineKind::kType) {
    schema_.AddType(name, code, offset, fields);
    return;
  }
  draft::Type* const of =
      schema_.FindType(record_.Text(record_.Find("of")), offset);
  if (of != nullptr) schema_.AddSubtype(*of, name, code, offset, fields);
}

void Describer::LookAtRecord(std::string_view line) {
  const RecordKind kind = record_.type->kind;
  const bool is_first = !HasSeen(kind);
  seen_[static_cast<std::size_t>(kind)] = true;
  const bool is_of_draft = kind == RecordKind::kNode ||
                           kind == RecordKind::kEdge ||
                           kind == RecordKind::kString;
  if (!is_of_draft) return;
  if (!is_array_) is_array_ = record_.is_array;
  LookAtSpaces(line);
  if (is_first && kind == RecordKind::kNode) {
    ids_ = DescribeIds(record_.At(Role::kIdentifier), "ids");
    const Token& subtype = record_.At(Role::kSubtype);
    has_codes_ = !record_.is_array && subtype.kind != TokenKind::kAbsent &&
                 subtype.kind != TokenKind::kString;
  }
  if (is_first && kind == RecordKind::kString)
    string_ids_ = DescribeIds(record_.At(Role::kStringId), "string_ids");
  if (record_.is_array) return;
  const auto halves =
      std::count_if(record_.pairs.begin(), record_.pairs.end(),
                    [](const Record::Pair& pair) { return pair.key == "s1"; });
  if (halves > 1)
    has_twins_ = true;
  else
    LookAtKeys(record_.type->name, record_.subtype != nullptr
                                       ? std::string_view(record_.subtype->name)
                                       : std::string_view());
}

// Looks for spaces before the second value, and before the first value of an
// object. Those of metadata count if there are no others.
void Describer::LookAtSpaces(std::string_view line) {
  const bool is_data = record_.kind == LineKind::kData;
  const auto look = [&](std::string_view before, Space* space) {
    if (space->is_of_data) return;
    const std::size_t at = line.find(before);
    if (at == std::string_view::npos) return;
    space->is_there = line.substr(at + before.size()).starts_with(' ');
    space->is_of_data = is_data;
  };
  look(",", &comma_);
  if (!is_data || !record_.is_array) look("\":", &colon_);
}

void Describer::LookAtKeys(std::string_view type, std::string_view subtype) {
  if (record_.kind == LineKind::kData) {
    is_sorted_ =
        is_sorted_ &&
        std::is_sorted(record_.pairs.begin(), record_.pairs.end(),
                       [](const Record::Pair& a, const Record::Pair& b) {
                         return a.key < b.key;
                       });
  }
  const auto known =
      std::find_if(orders_.begin(), orders_.end(), [&](const Order& order) {
        return order.order.type == type && order.order.subtype == subtype;
      });
  if (known != orders_.end()) {
    AddKeys(&*known);
    return;
  }
  const bool has_plain_name =
      IsPlainName(type) && (subtype.empty() || IsPlainName(subtype));
  if (orders_.size() == kMaxOrders || !has_plain_name) return;
  Order& order = orders_.emplace_back();
  order.order.type = type;
  order.order.subtype = subtype;
  AddKeys(&order);
}

// A key that no earlier record had goes after the key that it follows here.
void Describer::AddKeys(Order* order) const {
  std::vector<std::string>& keys = order->order.keys;
  bool is_new = false;
  std::size_t place = 0;
  for (const Record::Pair& pair : record_.pairs) {
    const auto known = std::find(keys.begin(), keys.end(), pair.key);
    if (known != keys.end()) {
      place = static_cast<std::size_t>(known - keys.begin()) + 1;
      continue;
    }
    if (keys.size() == kMaxKeys || !IsPlainName(pair.key)) continue;
    keys.emplace(keys.begin() + static_cast<std::ptrdiff_t>(place++), pair.key);
    is_new = true;
  }
  if (is_new) order->is_usual = IsUsual(keys);
}

// Whether keys are in the order of the declaration; undeclared ones come last.
bool Describer::IsUsual(const std::vector<std::string>& keys) const {
  std::vector<std::string_view> usual = {"type"};
  if (record_.kind == LineKind::kMetadata) {
    usual.insert(usual.end(), {"key", "value"});
  } else {
    for (const draft::Field& field : record_.layout->fields)
      usual.emplace_back(field.name);
  }
  const auto place = [&](std::string_view key) {
    return std::find(usual.begin(), usual.end(), key);
  };
  return std::is_sorted(keys.begin(), keys.end(),
                        [&](const std::string& a, const std::string& b) {
                          return place(a) < place(b);
                        });
}

}  // namespace

std::string DescribeProfile(const ByteSource& source) {
  return Describer(source).Describe();
}

}  // namespace heapglot::ndjson
