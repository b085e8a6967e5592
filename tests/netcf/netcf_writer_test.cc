#include "writers/netcf/netcf_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/netcf/netcf_log.h"
#include "writers/netcf/netcf_layout.h"
#include "writers/netcf/netcf_names.h"

namespace heapglot {
namespace {

using testing::ThereAndBack;

struct Written {
  Status status;
  std::string log;
  Context context;
  std::string losses;
};

std::unique_ptr<Written> Write(const std::string& chunks,
                               const WriterOptions& options = {}) {
  auto written = std::make_unique<Written>();
  VectorReader reader(ParseStream(chunks));
  const auto sink = ByteSink::ToString(&written->log);
  const auto writer = kNetcfWriter.make(*sink, options, written->context);
  written->status = CheckedPasses(reader, *writer);
  for (const LossReport::Item& item : written->context.loss.items())
    written->losses += item.code + " " + std::to_string(item.count) + "\n";
  return written;
}

// A heap of some other VM, with a bit of everything.
constexpr char kHeap[] = R"(
header { format: 'test' }
graph { name { data: 'isolate 12' } edges_grouped: true id_space: ADDRESS root_ref: 1 capacity: 9 }
strings { first: 1 data: 'UnusedThingB\nDstringobject' length: [6, 5, 3, 6, 6] names: true }
vocabulary { space: NODE_KIND name: [5, 4] known: [4, 3] }
vocabulary { space: EDGE_KIND name: [0, 0] known: [3, 7] name_form: [1, 2] }
vocabulary { space: ROOT_KIND name: [0, 0, 0, 0] known: [4, 17, 13, 9] }
types { first: 0 count: 3 name: [1, 2, 3] library_uri: [0, 4, 0] }
strings { first: 6 data: 'field' length: [5] }
nodes { first: 0 count: 4 id: [1, 7, 5, 9] kind: [0, 0, 1, 0] type_ref: [3, 2, 0, 77] self_size: [8, 16, 8589934592, 40] edge_count: [2, 0, 3, 0] flags: [0, 0, 0, 4] value_form: [0, 0, 5, 0] value: [0, 0, 6, 0] }
edges { first: 0 count: 5 first_node: 0 edges_per_node: [2, 0, 3] kind: [0, 1, 0, 0, 0] name: [6, 3, 6, 0, 0] to: [1, 2, 0, 4660, 42] to_form: [0, 0, 1, 2, 3] }
roots { first: 0 count: 5 to: [1, 2, 3, 1, 1] kind: [0, 0, 1, 2, 3] container_ref: [0, 2, 0, 0, 0] flags: [0, 1, 0, 0, 0] distance: [0, 0, 4, 0, 0] }
graph_end { types: 3 nodes: 4 edges: 5 roots: 5 self_size_total: 8589934656 edges_omitted: 1 edges_dangling: 1 edges_immediate: 1 }
footer { graphs: 1 strings: 7 }
)";

TEST(NetcfWriter, Shape) {
  const auto written = Write(kHeap);
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(written->log,
            "a 2 isolate_12\n"
            "t 1 B\\x0aD\n"
            "t 2 Thing\n"
            "t 3 (string)\n"
            "t 4 Unused\n"
            "o 1 1 8 7 5\n"
            "o 7 2 10\n"
            "o 5 3 ffffffff 0 1234\n"
            "o 9 5 28\n"
            "r 7 0 0\n"
            "r 5 4 1 2\n"
            "r 7 3 2\n"
            "r 7 1 0\n"
            "r 1 0 0\n"
            "c isolate_12\n");
  EXPECT_EQ(written->losses,
            "netcf.graph.name.changed 1\n"
            "netcf.type.escaped 1\n"
            "netcf.node.self_size.large 1\n"
            "netcf.root.kind.nearest 2\n");
}

// Strings may come before or after the nodes, and in pieces.
TEST(NetcfWriter, AnEmptyNameIsNoLoss) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true }
strings { first: 1 data: 'a' length: [1, 0] }
nodes { count: 6 name: [0, 1, 2, 3, 4, 5] }
strings { first: 3 data: 'b' length: [1] continued: true }
strings { first: 3 length: [0] continued: true }
strings { first: 3 data: 'c' length: [1, 0, 0] continued: true }
strings { first: 5 data: 'd' length: [1] }
graph_end { nodes: 6 }
footer { graphs: 1 strings: 6 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(written->losses, "netcf.node.name.empty 2\n");
}

// Flags that the format has are written for any kind of root; others are
// counted.
TEST(NetcfWriter, FlagsOfRoots) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true }
vocabulary { space: ROOT_KIND name: [0, 0] known: [4, 13] }
nodes { count: 1 id: [1] }
roots { count: 5 kind: [0, 0, 0, 1, 0] flags: [2, 10, 16, 0, 15] }
graph_end { nodes: 1 roots: 5 }
footer { graphs: 1 strings: 1 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(written->log,
            "a 2 unnamed\nt 1 (object)\no 1 1 0\nr 1 0 2\nr 1 0 a\nr 1 0 0\n"
            "r 1 3 2\nr 1 0 f\nc unnamed\n");
  EXPECT_EQ(written->losses,
            "netcf.root.kind.nearest 4\nnetcf.root.detail.other 1\n");
}

// A root counts once, however many of its details are lost.
TEST(NetcfWriter, DetailsOfRootsAreCountedOnce) {
  const auto written = Write(R"(header { }
graph { edges_grouped: true }
vocabulary { space: ROOT_KIND name: [0] known: [4] }
types { count: 1 }
nodes { count: 1 id: [1] type_ref: [1] }
roots { count: 3 label: [1, 0, 0] flags: [16, 0, 0] container_ref: [1, 0, 0] }
roots { first: 3 count: 2 extra { name: 'what' ints: [7, 8] } }
strings { first: 1 data: 'a' length: [1] }
graph_end { types: 1 nodes: 1 roots: 5 }
footer { graphs: 1 strings: 2 }
)");
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_NE(written->losses.find("netcf.root.detail.other 3\n"),
            std::string::npos)
      << written->losses;
}

// If a log cannot have one of the ids, the writer renumbers all of them.
TEST(NetcfWriter, Renumbers) {
  for (const std::string ids :
       {"[5, 5]", "[0, 1]", "[0, 3000000]", "[1, 4294967296]"}) {
    const auto written = Write(R"(header { }
graph { edges_grouped: true id_space: ADDRESS }
nodes { first: 0 count: 2 id: )" +
                               ids + R"( edge_count: [2, 0] }
edges { first: 0 count: 2 first_node: 0 edges_per_node: [2] to: [1, 77] to_form: [0, 2] }
graph_end { nodes: 2 edges: 2 edges_dangling: 1 }
footer { graphs: 1 strings: 1 }
)");
    ASSERT_TRUE(written->status.ok()) << written->status.ToString();
    EXPECT_EQ(written->log,
              "a 2 unnamed\nt 1 (object)\no 1 1 0 2 3\no 2 1 0\nc unnamed\n");
    EXPECT_EQ(written->losses,
              "netcf.node.id.renumbered 2\nnetcf.edge.dangling.changed 1\n");
  }
}

// A dangling id that a log cannot have becomes an id that no object has, if
// there is one.
TEST(NetcfWriter, DanglingTargetsStayDangling) {
  const struct {
    std::string ids, to, written;
    bool is_changed;
    std::string id_space = "ADDRESS";
  } cases[] = {
      {"[1, 5]", "77", "4d", false},
      {"[1, 5]", "4294967295", "ffffffff", false},
      {"[1, 5]", "4294967296", "6", true},
      {"[1, 5]", "0", "6", true},
      {"[1, 4294967294]", "0", "ffffffff", true},
      {"[1, 4294967295]", "0", "0", true},
      // In V8's snapshots it is an offset, not an id.
      {"[1, 7]", "7", "8", true, "OPAQUE"},
  };
  for (const auto& test : cases) {
    const auto written = Write(R"(header { }
graph { edges_grouped: true id_space: )" +
                               test.id_space + R"( }
nodes { count: 2 id: )" + test.ids +
                               R"( edge_count: [1, 0] }
edges { count: 1 edges_per_node: 1 to_form: 2 to: )" +
                               test.to + R"( }
graph_end { nodes: 2 edges: 1 edges_dangling: 1 }
footer { graphs: 1 strings: 1 }
)");
    ASSERT_TRUE(written->status.ok()) << written->status.ToString();
    EXPECT_NE(written->log.find("\no 1 1 0 " + test.written + "\n"),
              std::string::npos)
        << test.to << ": " << written->log;
    EXPECT_EQ(written->losses.find("netcf.edge.dangling.changed 1\n") !=
                  std::string::npos,
              test.is_changed)
        << test.to << ": " << written->losses;
  }
}

// Roots that refer to an id, a small integer, nothing, and a node.
TEST(NetcfWriter, RootsOfNothingAreCounted) {
  const auto written = Write(R"(header { }
graph { name { data: 'x' } edges_grouped: true }
nodes { count: 1 }
roots { count: 4 to: [9, 3, 0, 0] to_form: [2, 3, 1, 0] }
graph_end { nodes: 1 roots: 4 }
footer { graphs: 1 strings: 1 }
)");
  EXPECT_EQ(written->log,
            "a 2 x\nt 1 (object)\no 1 1 0\n"
            "r 2 0 0\nr 0 0 0\nr 0 0 0\nr 1 0 0\nc x\n");
  EXPECT_EQ(written->losses,
            "netcf.root.dangling.changed 3\nnetcf.root.kind.nearest 4\n");
}

TEST(NetcfWriter, NoNodesAndSeveralGraphs) {
  const auto written = Write(R"(header { }
graph { name { data: 'x' } timestamp { data: '5A' } end_timestamp { data: '5A' } source_version { data: '2' } edges_grouped: true }
graph_end { }
graph { name { data: 'y' } timestamp { data: 'noon' } edges_grouped: true }
graph_end { }
footer { graphs: 2 strings: 1 }
)");
  EXPECT_EQ(written->log, "a 2 x 5A\nc x 5A\na 2 y\nc y\n");
  // All details but the time "noon", which a log cannot have.
  EXPECT_EQ(written->losses, "netcf.graph.detail.said 3\n");
}

TEST(NetcfWriter, ClassesNeedNames) {
  const auto written = Write(R"(header { }
graph { name { data: 'x' } edges_grouped: true }
types { first: 0 count: 1 name: [0] }
graph_end { types: 1 }
footer { graphs: 1 strings: 1 }
)");
  EXPECT_EQ(written->log, "a 2 x\nt 1 (unnamed class)\nc x\n");
}

// All nodes may come before all edges.
TEST(NetcfWriter, LateEdges) {
  const auto written = Write(R"(header { }
graph { name { data: 'x' } edges_grouped: true }
nodes { first: 0 count: 1 edge_count: [3] }
nodes { first: 1 count: 3 edge_count: [0, 1, 0] }
edges { first: 0 count: 2 first_node: 0 edges_per_node: [2] to: [1, 2] }
edges { first: 2 count: 2 first_node: 0 edges_per_node: [1, 0, 1] to: [3, 0] }
graph_end { nodes: 4 edges: 4 }
footer { graphs: 1 strings: 1 }
)");
  EXPECT_EQ(written->log,
            "a 2 x\nt 1 (object)\no 1 1 0 2 3 4\no 2 1 0\no 3 1 0 1\no 4 1 0\n"
            "c x\n");
}

// ------------------------------------------------------------- the way back

constexpr char kLines[] =
    "r 103 5 0\nt 1 A.B<C D>\no 100 1 50 103 0\nx y  z\no 103 9 1c\n"
    "t 1 A.B<C D>\no 100 1 50 103 0\nt 2 E\nr 100 3 2\nr 0 4 1 2\nr 5 6 fff\n";

TEST(NetcfWriter, ReturnsLogs) {
  const std::string cases[] = {
      std::string("a 2 My App 5a31\n") + kLines + "c My App 5a31\n",
      "a 2 x\nc x\n",
      "a 3 x 1\no 1 1 1\nc y 2\n",
      "a 2 x 1\nt 1 A\na 2 y 1\nt 1 B\nc y 1\nz\nt 9 C\na 2 z 1\nc z 1\n",
      "A 2 x 1\nT 1 A\nO 1 1 1\nC x 1\n",
      "\ta\t2\tx 1 \n\tt\t1\tA \n\to\t1\t1\t1 \n\tc\tx 1 \n",
      "\xef\xbb\xbf"
      "a 2 x 1\r\nt 1 \xe2\x82\xac\r\nc x 1\r\n\x1a",
      "a 2 x 1\n\no 1 1 1\n\nc x 1\n\n",
      "a 2 x 1\ro 1 1 1\rc x 1",
      "a 2 x 1\nt 0x00000001 A\no 0x0000100F 0x00000001 1F\nc x 1\n",
      // Lines that are not records, and a second object with the same id.
      "a 2 x 1\nt g A\nt 1 A\no 10 g c\no 10 1\no 10 1 c\no 10 1 d\n"
      "r 10 1 11111111111111111\nr 10\nc x 1\nc x 1\n",
      // No version, no name, no end.
      "a\nc\n",
      "a two x 1\nt 1 A",
      // A line in pieces, which is one line.
      "a 2 x 1\nt 1 A\nz" + std::string(600'000, 'z') + "\no 1 1 1\nc x 1\n",
  };
  for (const std::string& log : cases) EXPECT_EQ(ThereAndBack(log), log);
}

// A stream of which another program says that it came from a log.
TEST(NetcfWriter, BeginsSoThatItIsKnown) {
  WriterOptions options;
  options.native = true;
  const auto written = Write(R"(header { format: "netcf" }
graph { edges_grouped: true }
graph_end { }
footer { graphs: 1 strings: 1 }
)",
                             options);
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(written->log, "a 2 unnamed\nc unnamed\n");
}

TEST(NetcfWriter, ReturnsUtf16) {
  for (const bool big_endian : {false, true}) {
    std::string log = big_endian ? "\xfe\xff" : "\xff\xfe";
    for (const char16_t unit :
         std::u16string(u"a 2 x 1\r\nt 1 \u20ac\U0001F600\r\nc x 1\r\n")) {
      const char low = static_cast<char>(unit & 0xff);
      const char high = static_cast<char>(unit >> 8);
      log.push_back(big_endian ? high : low);
      log.push_back(big_endian ? low : high);
    }
    EXPECT_EQ(ThereAndBack(log), log);
  }
}

TEST(NetcfLayout, Profiles) {
  using netcf::FindLayout;
  using netcf::FromProfile;
  using netcf::ToProfile;
  EXPECT_EQ(ToProfile(FindLayout("a 2 x 1\nc x 1\n")), "1");
  EXPECT_EQ(ToProfile(FindLayout("")), "1");
  const std::string all =
      "1;enc=utf16be;bom=1;eol=cr;blank=2;final=0;sub=1;letter=upper;"
      "before=s;between=st;after=t;type=0x;object=0Xu8;size=u;kind=2;"
      "flags=0x4";
  EXPECT_EQ(ToProfile(FromProfile(all)), all);
  for (const std::string bad :
       {"", "2;eol=crlf", "1;eol=lf;;=;x", "1;between=", "1;type=99;blank=9",
        "1;before=sssssssssssssssssssssssssssssssss", "1;size=u1u"})
    EXPECT_EQ(ToProfile(FromProfile(bad)).substr(0, 1), "1") << bad;
}

TEST(NetcfNames, Fit) {
  EXPECT_EQ(netcf::AsTypeName(" a\tb\n "), "\\x20a\\x09b\\x0a\\x20");
  EXPECT_EQ(netcf::AsDomainName("", false), "unnamed");
  EXPECT_EQ(netcf::AsDomainName("Photo Add", false), "Photo_Add");
  EXPECT_EQ(netcf::AsDomainName("Photo Add", true), "Photo Add");
  EXPECT_EQ(netcf::AsDomainName("0x12", false), "_0x12");
  EXPECT_EQ(netcf::AsDomainName(std::string(16'000, 'n'), true).size(), 16'000);
  // Readers accept no more than 64 KiB.
  EXPECT_EQ(netcf::AsDomainName(std::string(70'000, '\n'), true).size(),
            64'000);
  EXPECT_EQ(netcf::AsDomainName(std::string(15'999, 'n') + "\xC3\xA9", true),
            std::string(15'999, 'n'));
}

}  // namespace
}  // namespace heapglot
