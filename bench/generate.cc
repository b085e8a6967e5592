// Makes a dump of any size, in seconds: generate FORMAT NODES EDGES SEED OUT.
//
// FORMAT is heapsnapshot (in the form of Node 22), dartheap (like a 64-bit
// VM's) or dartheap-mixed. The same arguments make the same bytes on every
// machine. In the first two, every object is reached from the root, as in a
// heap right after a collection, and objects are much alike. The third one is
// like a real heap, with garbage, containers and closures.
//
// It does not use heapglot, and is written from the formats' own pages.
// tests/generate makes the small and odd dumps of tests.
#include "bench/generate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace generate {
namespace {

// The references: a tree that reaches all nodes, in breadth-first order, and
// further references, most of them to near nodes.
class Shape {
 public:
  Shape(std::uint64_t nodes, std::uint64_t edges)
      : nodes_(nodes), edges_(edges) {}

  // The number of edges before those of `node`. In each block of nodes, the
  // first one has as many as the seven others.
  std::uint64_t EdgesBefore(std::uint64_t node) const {
    // The last block may have fewer nodes; its last node gets what is left.
    if (node >= nodes_) return edges_;
    const std::uint64_t block = node / kBlock;
    const std::uint64_t begin = Share(block * kBlock);
    const std::uint64_t size = Share((block + 1) * kBlock) - begin;
    const std::uint64_t place = node % kBlock;
    if (place == 0) return begin;
    return begin + size / 2 + (size - size / 2) * (place - 1) / (kBlock - 1);
  }
  std::uint64_t EdgeCount(std::uint64_t node) const {
    return EdgesBefore(node + 1) - EdgesBefore(node);
  }
  // The target of the next edge of `node`; to be called for all edges in order.
  std::uint64_t NextTarget(std::uint64_t node, Random& random) {
    const std::uint64_t edge = edge_++;
    // The tree is complete with the last edge, and not earlier.
    const auto due =
        static_cast<std::uint64_t>(static_cast<double>(edge + 1) /
                                   static_cast<double>(edges_) *
                                   static_cast<double>(nodes_ - 1)) +
        1;
    if (child_ < nodes_ && (child_ <= due || child_ <= node + kBlock))
      return child_++;
    if (random.Below(5) == 0) return random.Below(nodes_);
    const std::uint64_t back = random.Below(200);
    return node < back ? node : node - back;
  }

 private:
  static constexpr std::uint64_t kBlock = 8;

  std::uint64_t Share(std::uint64_t node) const {
    const std::uint64_t whole = edges_ / nodes_ * node;
    return node >= nodes_ ? edges_ : whole + edges_ % nodes_ * node / nodes_;
  }

  std::uint64_t nodes_;
  std::uint64_t edges_;
  std::uint64_t edge_ = 0;
  std::uint64_t child_ = 1;
};

// ------------------------------------------------------------- heapsnapshot

constexpr char kMeta[] =
    R"({"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],)"
    R"("node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic",)"
    R"("concatenated string","sliced string","symbol","bigint","object shape"],"string","number","number","number","number","number"],)"
    R"("edge_fields":["type","name_or_index","to_node"],)"
    R"("edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],)"
    R"("trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],)"
    R"("trace_node_fields":["id","function_info_index","count","size","children"],)"
    R"("sample_fields":["timestamp_us","last_assigned_id"],)"
    R"("location_fields":["object_index","script_id","line","column"]},"node_count":)";

// Types of 16 nodes, as frequent as in a real heap: arrays, strings, objects,
// code, closures, numbers, shapes.
constexpr std::array<int, 16> kNodeTypes = {1, 2,  2, 2, 3, 3, 3, 3,
                                            3, 14, 4, 4, 5, 5, 7, 14};
// Types of 8 edges: context, element, property, internal, weak.
constexpr std::array<int, 8> kEdgeTypes = {0, 1, 1, 2, 2, 3, 3, 6};

void WriteHeapsnapshot(std::uint64_t nodes, std::uint64_t edges, Random& random,
                       Output& out) {
  const std::uint64_t strings = nodes / 8 + 16;
  Shape shape(nodes, edges);
  out.Text(kMeta);
  out.Decimal(nodes);
  out.Text(",\"edge_count\":");
  out.Decimal(edges);
  out.Text(",\"trace_function_count\":0},\n\"nodes\":[");
  for (std::uint64_t node = 0; node < nodes; ++node) {
    const std::uint64_t bits = random.Next();
    const int type = node == 0 ? 9 : kNodeTypes[bits & 15];
    if (node > 0) out.Byte(',');
    out.Decimal(static_cast<std::uint64_t>(type));
    out.Byte(',');
    // Strings have their own names, objects those of their classes.
    out.Decimal(type == 2
                    ? random.Below(strings)
                    : random.Below(std::min<std::uint64_t>(strings, 2000)));
    out.Byte(',');
    // V8's ids do not all ascend, and a reader must not rely on that: the last
    // two are exchanged.
    const bool is_exchanged = nodes > 2 && node + 2 >= nodes;
    out.Decimal(2 * (is_exchanged ? 2 * nodes - 3 - node : node) + 1);
    out.Byte(',');
    out.Decimal(node == 0 ? 0 : 16 + 8 * ((bits >> 8) & 15));
    out.Byte(',');
    out.Decimal(shape.EdgeCount(node));
    out.Text(",0,0\n");
  }
  out.Text("],\n\"edges\":[");
  bool is_first = true;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    for (std::uint64_t i = shape.EdgeCount(node); i > 0; --i) {
      const int type = kEdgeTypes[random.Next() & 7];
      if (!is_first) out.Byte(',');
      is_first = false;
      out.Decimal(static_cast<std::uint64_t>(type));
      out.Byte(',');
      out.Decimal(
          type == 1 ? i : random.Below(std::min<std::uint64_t>(strings, 5000)));
      out.Byte(',');
      out.Decimal(7 * shape.NextTarget(node, random));
      out.Text("\n");
    }
  }
  out.Text(
      "],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n"
      "\"samples\":[],\n\"locations\":[],\n\"strings\":[\"<dummy>\"");
  for (std::uint64_t string = 1; string < strings; ++string) {
    out.Text(",\n\"string ");
    out.Decimal(string);
    out.Text(std::string_view("abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRST")
                 .substr(0, random.Below(40)));
    out.Text("\"");
  }
  out.Text("]}");
}

// ----------------------------------------------------------------- dartheap

constexpr std::uint64_t kClasses = 1000;  // of each number of fields
constexpr std::uint64_t kMaxFields = 3;
// Class ids, from 1: the root, leaves, then the classes with 0 to 3 fields.
constexpr std::uint64_t kRoot = 1;
constexpr std::uint64_t kMint = 2;
constexpr std::uint64_t kOneByteString = 3;
constexpr std::uint64_t kFirstClass = 4;

void DartClass(std::string_view name, std::string_view uri,
               std::uint64_t fields, Output& out) {
  out.Uleb(0);
  DartText(name, out);
  DartText("library", out);
  DartText(uri, out);
  DartText("", out);
  out.Uleb(fields);
  for (std::uint64_t field = 0; field < fields; ++field) {
    out.Uleb(1);
    out.Uleb(field);
    DartText("field" + std::to_string(field), out);
    DartText("", out);
  }
}

void DartClasses(Output& out) {
  out.Uleb(kFirstClass - 1 + (kMaxFields + 1) * kClasses);
  DartClass("Root", "", 0, out);
  DartClass("_Mint", "dart:core", 0, out);
  DartClass("_OneByteString", "dart:core", 0, out);
  for (std::uint64_t fields = 0; fields <= kMaxFields; ++fields) {
    for (std::uint64_t number = 0; number < kClasses; ++number) {
      DartClass("Class" + std::to_string(fields) + "_" + std::to_string(number),
                "package:generated/" + std::to_string(number % 50) + ".dart",
                fields, out);
    }
  }
}

// Writes what is between the size of an object and its references.
void DartData(std::uint64_t class_id, std::uint64_t node, Random& random,
              Output& out) {
  if (class_id == kMint) {
    out.Uleb(3);
    out.Uleb(random.Below(64));
  } else if (class_id == kOneByteString) {
    const std::string text = "text " + std::to_string(node);
    out.Uleb(5);
    out.Uleb(text.size());
    DartText(text, out);
  } else {
    out.Uleb(0);
  }
}

void WriteDartheap(std::uint64_t nodes, std::uint64_t edges, Random& random,
                   Output& out) {
  Shape shape(nodes, edges);
  out.Text("dartheap");
  out.Uleb(0);
  DartText("main", out);
  out.Uleb(16 * (nodes + edges));
  out.Uleb(32 * (nodes + edges));
  out.Uleb(0);
  DartClasses(out);
  out.Uleb(edges);
  out.Uleb(nodes);
  for (std::uint64_t node = 0; node < nodes; ++node) {
    const std::uint64_t degree = shape.EdgeCount(node);
    std::uint64_t class_id = kFirstClass +
                             std::min(degree, kMaxFields) * kClasses +
                             random.Below(kClasses);
    if (degree == 0 && random.Below(2) == 0)
      class_id = random.Below(3) == 0 ? kMint : kOneByteString;
    if (node == 0) class_id = kRoot;
    out.Uleb(class_id);
    out.Uleb(16 * (1 + degree));  // a multiple of two words
    DartData(class_id, node, random, out);
    out.Uleb(degree);
    for (std::uint64_t i = 0; i < degree; ++i)
      out.Uleb(shape.NextTarget(node, random) + 1);
  }
  out.Uleb(0);
  for (std::uint64_t node = 0; node < nodes; ++node)
    out.Uleb(random.Below(10) == 0 ? random.Below(1 << 30) : 0);
}

std::uint64_t Number(const char* text) {
  std::uint64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error != std::errc() || rest != end)
    Fail(std::string(text) + " is no number");
  return number;
}

}  // namespace
}  // namespace generate

int main(int argc, char** argv) {
  using namespace generate;
  if (argc != 6) Fail("usage: generate FORMAT NODES EDGES SEED OUT");
  const std::string_view format = argv[1];
  const std::uint64_t nodes = Number(argv[2]);
  const std::uint64_t edges = Number(argv[3]);
  constexpr std::uint64_t kMost = 4'000'000'000;
  if (nodes < 1 || nodes > kMost || edges < nodes)
    Fail(
        "a heap has 1 to 4,000,000,000 objects, and as many references at "
        "least");
  const std::uint64_t seed = Number(argv[4]);
  Random random(seed);
  Output out(argv[5]);
  if (format == "heapsnapshot") {
    WriteHeapsnapshot(nodes, edges, random, out);
  } else if (format == "dartheap") {
    WriteDartheap(nodes, edges, random, out);
  } else if (format == "dartheap-mixed") {
    WriteMixedDartheap(nodes, edges, seed, out);
  } else {
    Fail("FORMAT is heapsnapshot, dartheap or dartheap-mixed");
  }
  out.Close();
  return 0;
}
