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

// What a field means to us. A type or subtype has each role at most once,
// except kOther.
enum class Role : std::uint8_t {
  kOther,
  // Of nodes.
  kIdentifier,
  kSubtype,  // also of edges, and of types that we do not know
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
  kHgFlags,  // also of edges
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

// Names are decoded: escapes in the declaration do not matter.
struct Field {
  std::string name;
  FieldType type = FieldType::kJson;
  Role role = Role::kOther;
  bool required = false;
  Spelling spelling = Spelling::kAscii;  // of the name; set by Layout::Add()
  // For the reader: the strings for its name, and for the name of the edge that
  // it becomes if it refers to a node.
  std::uint64_t key = 0;
  std::uint64_t edge_key = 0;
};

// The fields of records of a type and subtype, in order.
struct Layout {
  std::vector<Field> fields;
  std::array<std::int16_t, kRoles> slots;  // of each role; -1 = none
  // The largest integer that each field may hold; 0 if its type is not an
  // integer.
  std::vector<std::uint64_t> limits;
  std::uint64_t bytes = 0;   // memory of the fields
  std::size_t integers = 0;  // leading fields of integer types
  std::size_t required = 0;  // leading fields up to the last required one
  std::size_t edge_fields =
      0;  // leading fields that are the draft's of an edge
  // Whether the keys of an object identify the fields and the record's type.
  bool has_keys = true;
  // Slots ordered by field name; empty if a linear search is faster.
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
  kOpaque,     // of a type that we do not know
  kCount,
};
inline constexpr std::size_t kRecordKinds =
    static_cast<std::size_t>(RecordKind::kCount);

// Whether a field with a name of the draft is the draft's field.
enum class Fit : std::uint8_t {
  kUsual,
  kHeld,   // has another type than the draft's, but one that can hold it
  kOther,  // its type cannot hold it: a field like any other
  kNone,   // the same, but records need that field
};
// `field` must be in `layout`.
Fit FitOf(RecordKind kind, const Layout& layout, const Field& field);

struct Subtype {
  std::string name;
  std::uint64_t code = 0;
  std::uint64_t declared_at = 0;  // offset of the line
  Layout layout;                  // fields of the type, then its own
  std::uint32_t row = 0;          // for the reader: row of the vocabulary
  std::uint64_t edges = 0;        // for the reader's scan: edge count
  Spelling spelling = Spelling::kAscii;  // of the name
};

struct Type {
  std::string name;
  std::uint64_t code = 0;
  bool has_code = true;                  // false: in object shape only
  Spelling spelling = Spelling::kAscii;  // of the name
  std::uint64_t declared_at = 0;         // offset of the line
  // If a file uses a type before it declares it, two of them have the name:
  // this one counts up to here, the offset of the declaration.
  std::uint64_t visible_until = ~std::uint64_t{0};
  Type* next_of_name = nullptr;  // another type of the same name
  RecordKind kind = RecordKind::kOpaque;
  const Table* table = nullptr;  // kTable
  Layout layout;
  std::deque<Subtype> subtypes;  // addresses are stable
  std::array<Subtype*, 64> small_codes{};
  IdTable<Subtype*> by_code;  // for other codes
  TextTable<Subtype*> by_name;
  std::uint64_t records = 0;  // for the reader: number of records

  Subtype* FindSubtype(std::uint64_t subtype_code) {
    if (subtype_code < small_codes.size()) return small_codes[subtype_code];
    const auto found = by_code.find(subtype_code);
    return found == by_code.end() ? nullptr : found->second;
  }
  Subtype* FindSubtype(std::string_view subtype_name);
};

// Maximum number of fields of a type or subtype, and of types and subtypes.
inline constexpr std::size_t kMaxFields = 1024;
inline constexpr std::size_t kMaxTypes = 4096;
// Maximum memory of all their fields, in bytes: each subtype also has those of
// its type.
inline constexpr std::uint64_t kMaxFieldBytes = std::uint64_t{32} << 20;

class Schema {
 public:
  // Whether adding a type, or a subtype to `of`, stays within kMaxFieldBytes.
  // Check this before adding anything that comes from a file.
  bool HasRoomFor(const Type* of, std::span<const Field> fields) const;

  // nullptr if the name or code is already in use.
  Type* AddType(std::string_view name, std::uint64_t code,
                std::uint64_t declared_at, std::span<const Field> fields);
  Subtype* AddSubtype(Type& of, std::string_view name, std::uint64_t code,
                      std::uint64_t declared_at, std::span<const Field> fields);
  Type* FindType(std::uint64_t code) {
    if (code < small_codes_.size()) return small_codes_[code];
    const auto found = by_code_.find(code);
    return found == by_code_.end() ? nullptr : found->second;
  }
  // The type that a line at `offset` means by `name`; nullptr if there is none.
  Type* FindType(std::string_view name, std::uint64_t offset);

  // Adds the type `name` as the draft describes it, for a file that does not
  // declare it; nullptr if the draft has no such type. For object shape only.
  Type* AddDraftType(std::string_view name);
  // Adds what version 0, written by the draft's author, uses without declaring
  // it.
  void AddVersion0();

  std::deque<Type>& types() { return types_; }
  const std::deque<Type>& types() const { return types_; }

 private:
  Type& NewType(std::string_view name);

  std::deque<Type> types_;         // addresses are stable
  std::uint64_t field_bytes_ = 0;  // of everything that was added
  std::array<Type*, 256> small_codes_{};
  IdTable<Type*> by_code_;
  TextTable<Type*> by_name_;  // the first type of each name
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_CORE_DRAFT_DRAFT_SCHEMA_H_
