// Parses one line as a record.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_RECORD_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_RECORD_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/draft/draft_json.h"
#include "core/draft/draft_schema.h"
#include "heapglot/status.h"

namespace heapglot::draft {

enum class LineKind : std::uint8_t {
  kBlank,
  kMetadata,
  kType,
  kSubtype,
  kTrailer,
  kData,     // of a declared type
  kUnknown,  // of an undeclared type
};

// Reused from line to line. All text in it points into the line or into the
// record itself.
struct Record {
  struct Pair {
    std::string_view key;
    Token value;
    bool used = false;  // is a field of the layout
  };

  LineKind kind = LineKind::kBlank;
  bool is_array = false;
  Type* type = nullptr;            // kData
  Subtype* subtype = nullptr;      // kData: nullptr if there is none or it is
                                   // unknown
  const Layout* layout = nullptr;  // kData: of subtype or type
  std::span<Token> fields;         // kData: by slot of the layout
  std::vector<Token> surplus;      // kData, array: fields of an unknown subtype
  std::vector<Pair> pairs;         // object: in the order of the line
  std::deque<std::string> texts;   // object: decoded strings that had escapes
  std::string_view type_name;      // object: value of "type"
  std::uint64_t type_code = 0;     // array
  std::vector<Token> field_room;   // storage of `fields`; never shrinks

  Record() = default;
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  const Token& At(Role role) const {
    static const Token kNone;
    const int slot = layout->Slot(role);
    return slot < 0 ? kNone : fields[static_cast<std::size_t>(slot)];
  }
  // Object shape: the value of `key`; kAbsent if there is none.
  const Token& Find(std::string_view key) const;
  // Object shape: the text of a kString token, decoded.
  std::string_view Text(const Token& token) {
    if (!token.escaped) [[likely]]
      return token.text;
    return texts.emplace_back(Decode(token));
  }
  // kData: the record has a subtype that is not declared.
  bool HasUnknownSubtype() const {
    return subtype == nullptr && layout->Slot(Role::kSubtype) >= 0;
  }
  // kData: the record has fields that are not in the layout.
  bool HasUnknownFields() const {
    if (is_array) return !surplus.empty();
    return std::any_of(pairs.begin(), pairs.end(),
                       [](const Pair& pair) { return !pair.used; });
  }
};

// A record in array shape that has only unsigned integers, as most do: what
// Parse() would return, without a Token for each field.
struct NumberRecord {
  Type* type = nullptr;
  Subtype* subtype = nullptr;  // nullptr: the type has none
  const Layout* layout = nullptr;
  std::span<const std::uint64_t> fields;  // by slot; the rest is absent

  bool Has(Role role) const {
    return static_cast<std::size_t>(layout->Slot(role)) < fields.size();
  }
  // Only for fields that Has() confirms.
  std::uint64_t At(Role role) const {
    return fields[static_cast<std::size_t>(layout->Slot(role))];
  }
};

// Why a line is not a valid record.
struct LineError {
  Code code = Code::kOk;
  std::string message;
  const char* position = nullptr;  // in the line
};

class RecordParser {
 public:
  RecordParser(Schema& schema, std::uint64_t max_depth)
      : schema_(schema), max_depth_(max_depth) {}

  // Allows a record to have two fields of the same name, which are then
  // consecutive fields of the layout (version 0 calls both halves of a
  // concatenated string "s1").
  void AllowTwins() { twins_ = true; }

  // `line` is without its line end and begins at `offset` of the file. On
  // failure, returns false and sets *error.
  bool Parse(std::string_view line, std::uint64_t offset, Record* record,
             LineError* error);

  // `numbers` are all values of the array on a line, or empty if it has others.
  // False: only Parse() can tell what the record is. If true, all required
  // fields are present, and all present fields are of integer types; the caller
  // must check them against Layout.limits.
  bool Match(std::span<const std::uint64_t> numbers, std::uint64_t offset,
             NumberRecord* record) {
    if (numbers.empty()) return false;
    Type* const type = schema_.FindType(numbers[0]);
    if (type == nullptr || type->declared_at > offset) return false;
    *record = {
        .type = type, .layout = &type->layout, .fields = numbers.subspan(1)};
    if (type->layout.Slot(Role::kSubtype) >= 0) {
      if (!record->Has(Role::kSubtype)) return false;
      Subtype* const subtype = type->FindSubtype(record->At(Role::kSubtype));
      if (subtype == nullptr || subtype->declared_at > offset) return false;
      record->subtype = subtype;
      record->layout = &subtype->layout;
    }
    const std::size_t count = record->fields.size();
    return count >= record->layout->required &&
           count <= record->layout->integers;
  }
  // Converts to a Record whose tokens have no text.
  void Expand(const NumberRecord& numbers, Record* record);

 private:
  bool ParseArray(JsonCursor& in, Record* record);
  bool ParseFields(JsonCursor& in, Record* record);
  bool ParseObject(JsonCursor& in, Record* record);
  bool ParsePair(JsonCursor& in, Record* record);
  bool MatchFields(JsonCursor& in, Record* record);
  bool MatchPair(JsonCursor& in, Record::Pair& pair, std::size_t* next,
                 Record* record);
  bool FindSubtype(const Token& token, Record* record) const;
  static Subtype* FindNamedSubtype(const Token& name, Type* type);
  void SetLayout(const Layout& layout, Record* record);
  bool Wrong(JsonCursor& in, std::string message, const char* position);

  Schema& schema_;
  const std::uint64_t max_depth_;
  bool twins_ = false;
  std::uint64_t offset_ = 0;
  LineError* error_ = nullptr;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_RECORD_H_
