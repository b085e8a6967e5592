// What a file declares: its types, their subtypes, and the fields of both.
#ifndef HEAPGLOT_CORE_DRAFT_DRAFT_SCHEMA_H_
#define HEAPGLOT_CORE_DRAFT_DRAFT_SCHEMA_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/draft/draft_json.h"
#include "core/draft/draft_wire.h"
#include "core/id_table.h"
#include "core/text_table.h"

namespace heapglot::draft {

enum class FieldType : std::uint8_t {
  kId,
  kValue,
  kStringId,
  kU32,
  kI32,
  kU64,
  kI64,
  kAddr,
  kF64,
  kBool,
  kInlineString,
  kUtf8,
  kBase64,
  kJson,
};
std::optional<FieldType> FindFieldType(std::string_view name);
std::string_view FieldTypeName(FieldType type);

// What a field is to us. A type or subtype has each role but kOther once at
// most.
enum class Role : std::uint8_t {
  kOther,
  // Of nodes.
  kIdentifier,
  kSubtype,  // of edges and of types that we do not know, too
  kSize,
  kData,         // text: a string record
  kNumber,       // of a heap number
  kArrayLength,  // of an array
  kOddball,      // the name of an oddball: a string record
  kTimestamp,    // of a date
  kAddress,      // of native memory
  kConstructor,  // of an object
  kMetadata,     // of a closure
  kFunction,     // the name of a function
  kPattern,      // of a regular expression
  kSliceSource,  // of a sliced string
  kSliceOffset,  // of a sliced string
  kHgType,
  kHgName,
  kHgId,
  kHgHeap,
  kHgHash,
  kHgTraceNode,
  kHgDetachedness,
  kHgFlags,  // of edges, too
  kHgHeapSpace,
  kHgStackFrame,
  kHgLength,
  kHgForm,
  kHgValue,
  kHgText,
  kHgEncoding,
  // Of edges.
  kSource,
  kDest,
  kLabel,
  kHgNumber,
  kHgNameForm,
  kHgDangling,
  // Of strings (and kData).
  kStringId,
  kUtf16,
  kBytes,
  kCount,
};
inline constexpr std::size_t kRoles = static_cast<std::size_t>(Role::kCount);

// Names are those that the declarations mean, whatever escapes these have.
struct Field {
  std::string name;
  FieldType type = FieldType::kJson;
  Role role = Role::kOther;
  bool required = false;
  Spelling spelling = Spelling::kAscii;  // of the name: set by Layout::Add()
  // For the reader: the strings that are its name, and that of the edge that it
  // is where it leads to a node.
  std::uint64_t key = 0;
  std::uint64_t edge_key = 0;
};

// The fields that a record of some type and subtype has, in their order.
struct Layout {
  std::vector<Field> fields;
  std::array<std::int16_t, kRoles> slots;  // of each role; -1 = none
  // What fields may hold at most, if they may hold an unsigned integer.
  std::vector<std::uint64_t> limits;
  std::uint64_t bytes = 0;   // memory of the fields
  std::size_t integers = 0;  // leading fields that are such
  std::size_t required = 0;  // leading fields with all that must be there
  std::size_t edge_fields =
      0;  // leading fields that are the draft's of an edge
  // Whether the keys of an object tell the fields apart, and what it is.
  bool has_keys = true;
  // Slots in the order of their names; empty if looking at each is faster.
  std::vector<std::uint16_t> by_name;

  Layout() { slots.fill(-1); }
  void Add(Field field);
  int Slot(Role role) const { return slots[static_cast<std::size_t>(role)]; }
};

enum class RecordKind : std::uint8_t {
  kNode,
  kEdge,
  kString,
  kTable,      // of kTables
  kTypeField,  // hg.type_field
  kWord,       // hg.word
  kGraph,      // hg.graph
  kSchema,     // hg.schema
  kExtra,      // hg.extra
  kValue,      // hg.value
  kColumn,     // hg.column
  kOpaque,     // a type that we do not know
  kCount,
};
inline constexpr std::size_t kRecordKinds =
    static_cast<std::size_t>(RecordKind::kCount);

// Whether a field that is called like one of the draft's is what it is called.
enum class Fit : std::uint8_t {
  kUsual,
  kHeld,   // of another type than the draft has it, which can hold it
  kOther,  // of a type that cannot: a field like any other
  kNone,   // the same, and there can be no record without
};
// `field` is one of `layout`.
Fit FitOf(RecordKind kind, const Layout& layout, const Field& field);

struct Subtype {
  std::string name;
  std::uint64_t code = 0;
  std::uint64_t declared_at = 0;         // offset of the line
  Layout layout;                         // fields of the type, then its own
  std::uint32_t row = 0;                 // for the reader: in the shared words
  std::uint64_t edges = 0;               // for the reader's scan: those it has
  Spelling spelling = Spelling::kAscii;  // of the name
};

struct Type {
  std::string name;
  std::uint64_t code = 0;
  bool has_code = true;                  // false: only object shape can name it
  Spelling spelling = Spelling::kAscii;  // of the name
  std::uint64_t declared_at = 0;         // offset of the line
  // A type that the file uses before it declares it is there until then.
  std::uint64_t visible_until = ~std::uint64_t{0};
  Type* next_of_name = nullptr;  // another type of this name
  RecordKind kind = RecordKind::kOpaque;
  const Table* table = nullptr;  // kTable
  Layout layout;
  std::deque<Subtype> subtypes;  // stay where they are
  std::array<Subtype*, 64> small_codes{};
  IdTable<Subtype*> by_code;  // the others
  TextTable<Subtype*> by_name;
  std::uint64_t records = 0;  // for the reader: as many came

  Subtype* FindSubtype(std::uint64_t subtype_code) {
    if (subtype_code < small_codes.size()) return small_codes[subtype_code];
    const auto found = by_code.find(subtype_code);
    return found == by_code.end() ? nullptr : found->second;
  }
  Subtype* FindSubtype(std::string_view subtype_name);
};

// Most fields that a type or subtype may have, and most types and subtypes.
inline constexpr std::size_t kMaxFields = 1024;
inline constexpr std::size_t kMaxTypes = 4096;
// Memory of the fields of them all: each subtype has those of its type, too.
inline constexpr std::uint64_t kMaxFieldBytes = std::uint64_t{32} << 20;

class Schema {
 public:
  // Whether one more type, or one more subtype of `of`, would keep within
  // kMaxFieldBytes. What comes from a file asks before it is added.
  bool HasRoomFor(const Type* of, std::span<const Field> fields) const;

  // nullptr if there is already one of that name or code.
  Type* AddType(std::string_view name, std::uint64_t code,
                std::uint64_t declared_at, std::span<const Field> fields);
  Subtype* AddSubtype(Type& of, std::string_view name, std::uint64_t code,
                      std::uint64_t declared_at, std::span<const Field> fields);
  Type* FindType(std::uint64_t code) {
    if (code < small_codes_.size()) return small_codes_[code];
    const auto found = by_code_.find(code);
    return found == by_code_.end() ? nullptr : found->second;
  }
  // The type of that name that a line at `offset` means.
  Type* FindType(std::string_view name, std::uint64_t offset);

  // The type of that name as the draft describes it, for a file that does not
  // declare it; nullptr if the draft knows no such type. Object shape only.
  Type* AddDraftType(std::string_view name);
  // What version 0 of the draft's author writes, which declares nothing.
  void AddVersion0();

  std::deque<Type>& types() { return types_; }
  const std::deque<Type>& types() const { return types_; }

 private:
  Type& NewType(std::string_view name);

  std::deque<Type> types_;         // stay where they are
  std::uint64_t field_bytes_ = 0;  // of all that were added
  std::array<Type*, 256> small_codes_{};
  IdTable<Type*> by_code_;
  TextTable<Type*> by_name_;  // the first one of each name
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_SCHEMA_H_
