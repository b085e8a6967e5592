// One line as a record.
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
  kData,     // of a type that is declared
  kUnknown,  // of one that is not
};

// Reused from line to line. All text in it points into the line, or into the
// record itself.
struct Record {
  struct Pair {
    std::string_view key;
    Token value;
    bool used = false;  // it is a field of the layout
  };

  LineKind kind = LineKind::kBlank;
  bool is_array = false;
  Type* type = nullptr;        // kData
  Subtype* subtype = nullptr;  // kData: nullptr if there is none, or none known
  const Layout* layout = nullptr;  // kData: of subtype or type
  std::span<Token> fields;         // kData: by slot of the layout
  std::vector<Token> surplus;      // kData, array: fields of an unknown subtype
  std::vector<Pair> pairs;         // object: as they stand there
  std::deque<std::string> texts;   // object: decoded, if they had escapes
  std::string_view type_name;      // object: value of "type"
  std::uint64_t type_code = 0;     // array
  std::vector<Token> field_room;   // what `fields` are in: it never shrinks

  Record() = default;
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  const Token& At(Role role) const {
    static const Token kNone;
    const int slot = layout->Slot(role);
    return slot < 0 ? kNone : fields[static_cast<std::size_t>(slot)];
  }
  // Object shape: the value of `key`; absent if there is none.
  const Token& Find(std::string_view key) const;
  // Object shape: the text of a kString token, escapes or not.
  std::string_view Text(const Token& token) {
    if (!token.escaped) [[likely]]
      return token.text;
    return texts.emplace_back(Decode(token));
  }
  // kData: it has a subtype that nobody has declared.
  bool HasUnknownSubtype() const {
    return subtype == nullptr && layout->Slot(Role::kSubtype) >= 0;
  }
  // kData: there are fields that are not in the layout.
  bool HasUnknownFields() const {
    if (is_array) return !surplus.empty();
    return std::any_of(pairs.begin(), pairs.end(),
                       [](const Pair& pair) { return !pair.used; });
  }
};

// A record in array shape that is nothing but unsigned integers, as most are:
// what Parse() would make of it, without a Token for each.
struct NumberRecord {
  Type* type = nullptr;
  Subtype* subtype = nullptr;  // nullptr: the type has none
  const Layout* layout = nullptr;
  std::span<const std::uint64_t> fields;  // by slot; those behind are absent

  bool Has(Role role) const {
    return static_cast<std::size_t>(layout->Slot(role)) < fields.size();
  }
  // A field that it has.
  std::uint64_t At(Role role) const {
    return fields[static_cast<std::size_t>(layout->Slot(role))];
  }
};

// Why a line is none.
struct LineError {
  Code code = Code::kOk;
  std::string message;
  const char* position = nullptr;  // in the line
};

class RecordParser {
 public:
  RecordParser(Schema& schema, std::uint64_t max_depth)
      : schema_(schema), max_depth_(max_depth) {}

  // Two fields of one name in a record are two fields declared so (version 0:
  // both halves of a concatenated string are called "s1").
  void AllowTwins() { twins_ = true; }

  // `line` is without its end, at `offset` of the file. False: *error.
  bool Parse(std::string_view line, std::uint64_t offset, Record* record,
             LineError* error);

  // `numbers` is all that is in the array of a line, none if it has something
  // else. False: only Parse() can tell what the record is. If it is one, all
  // required fields are there, and those that are there are of integers; how
  // large they may be is left to Layout.limits.
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
  // The same as a Record, whose tokens have no text.
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
