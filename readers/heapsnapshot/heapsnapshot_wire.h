// The parts of a .heapsnapshot file: what its sections are and where, and what
// its meta says about the tables. Layout and sources: README.md beside this.
#ifndef HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WIRE_H_
#define HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/rank_bitmap.h"
#include "heapglot/context.h"
#include "heapglot/status.h"
#include "readers/heapsnapshot/heapsnapshot_json.h"

namespace heapglot::heapsnapshot {

// Extra.section of what the reader keeps for the way back: the snapshot object
// as written, and each top-level member that is not a table of integers, as
// `"key":value` without the space around the colon.
inline constexpr std::string_view kFormat = "heapsnapshot";
inline constexpr std::string_view kSnapshotExtra = "heapsnapshot.snapshot";
inline constexpr std::string_view kSectionExtra = "heapsnapshot.section";

// The last member of a file that carries leftovers (LeftoversBlock): the base64
// of the heapir. DevTools ends the strings at the last ']' of the file, which
// base64 does not have, and ignores what follows.
inline constexpr std::string_view kLeftoversKey = "x-heapglot-leftovers";

// Fields with columns of their own in the IR.
inline constexpr std::string_view kType = "type";
inline constexpr std::string_view kName = "name";
inline constexpr std::string_view kId = "id";
inline constexpr std::string_view kSelfSize = "self_size";
inline constexpr std::string_view kEdgeCount = "edge_count";
inline constexpr std::string_view kTraceNodeId = "trace_node_id";
inline constexpr std::string_view kDetachedness = "detachedness";
inline constexpr std::string_view kNameOrIndex = "name_or_index";
inline constexpr std::string_view kToNode = "to_node";

inline constexpr std::string_view kObjectIndex = "object_index";
inline constexpr std::string_view kScriptId = "script_id";
inline constexpr std::string_view kLine = "line";
inline constexpr std::string_view kColumn = "column";
inline constexpr std::string_view kFunctionId = "function_id";
inline constexpr std::string_view kScriptName = "script_name";
inline constexpr std::string_view kTimestamp = "timestamp_us";
inline constexpr std::string_view kLastAssignedId = "last_assigned_id";
inline constexpr std::string_view kFunctionInfoIndex = "function_info_index";
inline constexpr std::string_view kCount = "count";
inline constexpr std::string_view kSize = "size";
inline constexpr std::string_view kChildren = "children";

// The tables that V8 writes besides those with a kind of their own, in the
// order in which DevTools looks for them.
inline constexpr std::string_view kV8Tables[] = {"scopes", "scope_context_vars",
                                                 "scope_uses"};

// MetaField.type of numbers that are offsets into nodes, or numbers of strings.
inline constexpr std::string_view kNodeType = "node";
inline constexpr std::string_view kStringType = "string";

// Bounds. Real files stay far below.
inline constexpr std::size_t kMaxSections = 256;
inline constexpr std::size_t kMaxKey = std::size_t{64} << 10;
inline constexpr std::size_t kMaxFields = 1024;  // of a table
inline constexpr std::size_t kMaxKinds = std::size_t{64} << 10;
inline constexpr std::size_t kMaxSnapshotObject = std::size_t{16} << 20;

// V8 writes -1 as this in line and column of trace_function_infos.
inline constexpr std::uint64_t kNoLine = 0xffff'ffff;

// -------------------------------------------------------------------- sections

// A part of the file.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

enum class SectionKind : std::uint8_t {
  kSnapshot,
  kNodes,
  kEdges,
  kTraceFunctions,
  kTraceTree,
  kSamples,
  kLocations,
  kStrings,
  kTable,  // integers, but not one of those above
  kJson,   // anything else
};

// A member of the file's object.
struct Section {
  SectionKind kind = SectionKind::kJson;
  std::string name;  // its key
  Span key;          // with the quotes
  Span value;
};

// No string.
inline constexpr std::uint64_t kNoString = ~std::uint64_t{0};

// What V8 calls all strings that are made of others, whatever their text, which
// is in the nodes that their edges lead to.
inline constexpr std::string_view kConsPlaceholder = "(concatenated string)";
inline constexpr std::string_view kSlicedPlaceholder = "(sliced string)";

// The numbers of all strings with one text. Memory: none for one string, as V8
// has it; for more, 1 bit for each number up to the last.
class Copies {
 public:
  // Numbers come in ascending order.
  void Add(std::uint64_t number);
  bool Has(std::uint64_t number) const {
    return number == first_ || (number < all_.size() && all_.Has(number));
  }
  std::uint64_t first() const { return first_; }  // or kNoString
  bool are_many() const { return all_.size() != 0; }

 private:
  std::uint64_t first_ = kNoString;
  RankBitmap all_;  // empty if there is only one
};

struct Sections {
  bool has_bom = false;
  std::uint64_t open = 0;            // where the "{" is
  std::uint64_t close = 0;           // where the "}" is
  std::uint64_t trailing_zeros = 0;  // NUL bytes at the end of the file
  std::vector<Section> list;         // in file order
  std::uint64_t string_count = 0;
  // Offsets of the strings 0, kStringStep, 2 * kStringStep ...
  std::vector<std::uint64_t> string_offsets;
  std::uint64_t bad_strings = 0;       // strings that are not UTF-8
  std::uint64_t first_bad_string = 0;  // its offset
  // Strings that are sent as something else than UTF-8, at least in their first
  // piece: bad_strings, and those with a lone surrogate.
  std::uint64_t odd_strings = 0;
  // The strings that are the two placeholders, however spelt.
  Copies cons_strings;
  Copies sliced_strings;

  // nullptr if there is none.
  const Section* Find(SectionKind kind) const;
};
inline constexpr std::uint64_t kStringStep = 32;

// Called for an array of integers of which kind, name and start are known, but
// not the end. Returns the offset after its first "]", or 0 to have that looked
// for.
using FindArrayEnd = std::function<std::uint64_t(const Section&)>;

// Called for those strings whose numbers are in `wanted` when they are found.
struct StringsToNote {
  const RankBitmap* wanted = nullptr;
  std::function<void(const StringToken&)> note;
};

// Finds the sections of a file, and checks the syntax of all but the arrays of
// integers, which NumberCursor checks. Of these, it only finds the first "]",
// with the help of `find_end` if there is one.
// `proceed` gets the offset up to which the file has been read; it may go back,
// to what is read again.
// Errors: kTruncated where the file ends; kMalformed; kLimit; those of
// `proceed`.
// Memory: a quarter of a byte per string.
Status FindSections(std::string_view bytes, const Limits& limits,
                    const std::function<Status(std::uint64_t)>& proceed,
                    Sections* sections, const FindArrayEnd& find_end = {},
                    const StringsToNote& to_note = {});

// The text of `span`.
inline std::string_view TextOf(std::string_view bytes, const Span& span) {
  return bytes.substr(span.begin, span.end - span.begin);
}

// ------------------------------------------------------------------------ meta

struct MetaField {
  std::string name;
  // "number", "string", "node", ..., "enum". From meta for nodes and edges,
  // from KnownType() for V8's other tables. Empty if unknown.
  std::string type;
};

// What the snapshot object says. All of it is a claim.
struct Meta {
  std::vector<MetaField> node_fields;
  std::vector<MetaField> edge_fields;
  std::vector<MetaField> location_fields;
  std::vector<MetaField> sample_fields;
  std::vector<MetaField> trace_function_fields;
  std::vector<MetaField> trace_node_fields;
  // Any other list of meta that ends in "_fields", by what precedes that.
  std::vector<std::pair<std::string, std::vector<MetaField>>> other_fields;
  std::vector<std::string> node_types;
  std::vector<std::string> edge_types;
  bool has_node_types_only = false;  // node_types is the enumeration alone
  // Everything about nodes and edges has been read: if ParseMeta() fails, it is
  // because of another table.
  bool describes_graph = false;

  std::optional<std::uint64_t> node_count;
  std::optional<std::uint64_t> edge_count;
  std::optional<std::uint64_t> trace_function_count;
  std::optional<std::uint64_t> extra_native_bytes;
  std::optional<std::uint64_t> root_index;
  Span root_index_value;  // whatever it is; empty if there is none, or null
};

// Reads the snapshot object at `snapshot` of `bytes`, which JsonChecker has
// accepted. A duplicate key is reported to `warn`; the last one counts, as in
// JavaScript.
// Errors: kMalformed if something that is needed to read the tables is missing.
Status ParseMeta(std::string_view bytes, const Span& snapshot,
                 const std::function<Status(std::uint64_t)>& warn, Meta* meta);

// The position of a field, or nothing.
std::optional<std::size_t> FindField(const std::vector<MetaField>& fields,
                                     std::string_view name);

// The fields of the table `name`, which is not a known one: for "scopes", those
// of meta's "scope_fields"; if there are none, one field "value".
std::vector<MetaField> FieldsOfTable(const Meta& meta, std::string_view name);

// Whether edges of this type are named by a number.
inline bool IsNamedByNumber(std::string_view edge_type) {
  return edge_type == "element" || edge_type == "hidden";
}

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_READERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WIRE_H_
