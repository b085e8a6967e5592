// The numbers and texts of a V8 heap snapshot in the form of Node 22, which
// every reader knows. Layout and sources: README.md beside this.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WIRE_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WIRE_H_

#include <cstdint>
#include <string_view>

namespace heapglot::heapsnapshot {

// Values of a node's type: positions in meta.node_types[0].
enum class NodeType : std::uint8_t {
  kHidden,
  kArray,
  kString,
  kObject,
  kCode,
  kClosure,
  kRegExp,
  kNumber,
  kNative,
  kSynthetic,
  kConsString,
  kSlicedString,
  kSymbol,
  kBigInt,
  kObjectShape,
};

// Values of an edge's type: positions in meta.edge_types[0]. Element and
// hidden edges are named by a number, the others by a string.
enum class EdgeType : std::uint8_t {
  kContext,
  kElement,
  kProperty,
  kInternal,
  kHidden,
  kShortcut,
  kWeak,
};

// Numbers that a node takes in "nodes": to_node counts in them.
inline constexpr std::uint64_t kNodeFields = 7;
inline constexpr std::uint64_t kEdgeFields = 3;
inline constexpr std::uint64_t kLocationFields = 4;
inline constexpr std::uint64_t kTraceFunctionFields = 6;
inline constexpr std::uint64_t kTraceNodeFields = 5;  // the last is an array
inline constexpr std::uint64_t kSampleFields = 2;

// The snapshot object up to the counts.
inline constexpr std::string_view kMeta =
    R"({"snapshot":{"meta":{)"
    R"("node_fields":["type","name","id","self_size","edge_count",)"
    R"("trace_node_id","detachedness"],)"
    R"("node_types":[["hidden","array","string","object","code","closure",)"
    R"("regexp","number","native","synthetic","concatenated string",)"
    R"("sliced string","symbol","bigint","object shape"],)"
    R"("string","number","number","number","number","number"],)"
    R"("edge_fields":["type","name_or_index","to_node"],)"
    R"("edge_types":[["context","element","property","internal","hidden",)"
    R"("shortcut","weak"],"string_or_number","node"],)"
    R"("trace_function_info_fields":["function_id","name","script_name",)"
    R"("script_id","line","column"],)"
    R"("trace_node_fields":["id","function_info_index","count","size",)"
    R"("children"],)"
    R"("sample_fields":["timestamp_us","last_assigned_id"],)"
    R"("location_fields":["object_index","script_id","line","column"]},)"
    R"("node_count":)";

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WIRE_H_
