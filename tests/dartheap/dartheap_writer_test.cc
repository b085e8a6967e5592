#include "writers/dartheap/dartheap_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/dartheap/dartheap_reader.h"
#include "readers/dartheap/dartheap_wire.h"
#include "tests/checked_passes.h"
#include "tests/collect_sink.h"
#include "tests/core/text_stream.h"
#include "tests/dartheap/dartheap_bytes.h"
#include "writers/dartheap/dartheap_shapes.h"
#include "writers/dartheap/dartheap_stand_ins.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;

using dartheap::Cursor;
using testing::Bool;
using testing::ClassBytes;
using testing::CollectSink;
using testing::Double;
using testing::Field;
using testing::File;
using testing::Int;
using testing::Latin1;
using testing::Length;
using testing::Name;
using testing::None;
using testing::Null;
using testing::Object;
using testing::S;
using testing::Str;
using testing::U;
using testing::Utf16;

struct Written {
  Status status;
  std::string bytes;
  Context context;

  // "code count" of each loss, one per line.
  std::string Losses() const {
    std::string text;
    for (const LossReport::Item& item : context.loss.items())
      text += item.code + " " + std::to_string(item.count) + "\n";
    return text;
  }
};

std::unique_ptr<Written> WriteFrom(Reader& reader, bool native) {
  auto written = std::make_unique<Written>();
  const auto sink = ByteSink::ToString(&written->bytes);
  const auto writer = kDartheapWriter.make(
      *sink, {.native = native, .profile = {}}, written->context);
  written->status = CheckedPasses(reader, *writer);
  return written;
}

std::unique_ptr<Written> Write(const std::string& chunks, bool native = false) {
  VectorReader reader(ParseStream(chunks));
  auto written = WriteFrom(reader, native);
  EXPECT_TRUE(written->status.ok()) << written->status.ToString();
  return written;
}

std::unique_ptr<Written> WriteBack(std::string_view bytes) {
  const auto source = ByteSource::FromMemory(bytes);
  Context context;
  const auto reader = kDartheapReader.make(*source, context);
  auto written = WriteFrom(*reader, true);
  EXPECT_TRUE(written->status.ok()) << written->status.ToString();
  return written;
}

// A file as readable text, one record per line.
class Dump {
 public:
  explicit Dump(std::string_view bytes) : in_(bytes) {
    in_.Raw(8);
    Say("flags").Number().Say(" name").String().Say(" sizes");
    Number().Number().Number().Say("\n");
    for (std::uint64_t left = in_.Uleb(); left > 0; --left) Class();
    Say("references").Number().Say("\n");
    const std::uint64_t objects = in_.Uleb();
    for (std::uint64_t i = 1; i <= objects; ++i) Object(i);
    for (std::uint64_t left = in_.Uleb(); left > 0; --left)
      Say("external of").Number().Say(":").Number().String().Say("\n");
    Say("hashes");
    for (std::uint64_t left = objects; left > 0; --left) Number();
    Say("\n");
    EXPECT_TRUE(in_.ok());
    EXPECT_EQ(in_.left(), 0u);
  }
  const std::string& text() const { return text_; }

 private:
  Dump& Say(std::string_view text) {
    text_ += text;
    return *this;
  }
  Dump& Number() { return Say(" ").Say(std::to_string(in_.Uleb())); }
  Dump& String() { return Say(" '").Say(in_.String()).Say("'"); }

  void Class() {
    EXPECT_EQ(in_.Uleb(), 0u);
    Say("class").String().Say(" in").String().String();
    EXPECT_EQ(in_.String(), "");
    const std::uint64_t fields = in_.Uleb();
    for (std::uint64_t i = 0; i < fields; ++i) {
      if (in_.Uleb() == 0) Say(" weak");
      EXPECT_EQ(in_.Uleb(), i);
      String();
      EXPECT_EQ(in_.String(), "");
    }
    Say("\n");
  }

  void Object(std::uint64_t id) {
    Say(std::to_string(id)).Say(": class").Number().Say(", size").Number();
    Data();
    Say(" ->");
    for (std::uint64_t left = in_.Uleb(); left > 0; --left) Number();
    Say("\n");
  }

  void Data() {
    const std::uint64_t tag = in_.Uleb();
    if (tag == dartheap::kTagNone) return;
    Say(", tag ").Say(std::to_string(tag));
    switch (tag) {
      case dartheap::kTagBool:
      case dartheap::kTagInt:  // as ULEB128: these tests know which it is
      case dartheap::kTagLength:
        Number();
        break;
      case dartheap::kTagDouble:
        Say(" ").Say(std::to_string(in_.Fixed64()));
        break;
      case dartheap::kTagLatin1:
      case dartheap::kTagUtf16: {
        Say(" length").Number();
        const std::uint64_t units = in_.Uleb();
        Say(" '").Say(in_.Raw(units * (tag - 4))).Say("'");
        break;
      }
      case dartheap::kTagName:
        String();
        break;
      default:
        break;
    }
  }

  Cursor in_;
  std::string text_;
};

// ------------------------------------------------------------- the way back

// Except the file with padded numbers, which takes one byte of output and a
// patch.
TEST(DartheapWayBack, GivesTheSameBytesForTheCorpus) {
  const fs::path corpus = fs::path(HEAPGLOT_CORPUS_DIR) / "dartheap" / "good";
  int files = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(corpus)) {
    const auto source = ByteSource::Open(file.path().string(), Limits());
    ASSERT_TRUE(source.ok());
    const auto written = WriteBack((*source)->bytes());
    const bool is_padded = file.path().filename() == "nonminimal-lebs.dartheap";
    EXPECT_EQ(written->bytes == (*source)->bytes(), !is_padded) << file.path();
    EXPECT_EQ(written->Losses(), "") << file.path();
    ++files;
  }
  EXPECT_GT(files, 10);
}

// Every quirk at once.
File QuirkyFile() {
  File file;
  file.classes = {
      ClassBytes("Root", ""),
      ClassBytes("_Smi", "dart:core"),
      ClassBytes("_Mint", "dart:core"),
      ClassBytes("_OneByteString", "dart:core"),
      ClassBytes("_Map", "dart:_compact_hash", {Field(0, "data_")}),
      ClassBytes("_List", "dart:core"),
      ClassBytes("_Closure", "dart:core", {Field(1, "function_")}),
      U(7) + Str("\xff") + Str("lib") + Str("package:a") + Str("kept") + U(2) +
          U(0) + U(9) + Str("far") + Str("r") + U(3) + U(0) + Str("") + Str(""),
  };
  const std::string minus_one = "\xff\xff\xff\xff\x0f";
  file.objects = {
      Object(1, 0, None(), {2, 0, 99, 2}),
      Object(2, 8, Int(minus_one)),
      Object(2, 0, Int(S(-3))),
      Object(3, 0, Int(S(-1'073'741'825))),
      Object(3, 0, Int("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")),
      Object(3, 0, Int(S(std::int64_t{1} << 62))),
      Object(8, 0, Int(U(std::uint64_t{1} << 63))),
      Object(4, 0, Latin1("caf\xe9", 200)),
      Object(4, 0, Latin1("")),
      Object(4, 0, Utf16(u"a\xd800\xd83d\xde00")),
      Object(4, 0, Name("\xc3\x28")),
      Object(5, 0, Length(4), {13, 13}),
      Object(6, 0, Length(4), {2, 8, 3, 4}),
      Object(7, 0, None(), {0, 11}),
      Object(0, 0, Bool(7), {15}),
      Object(1000, 0, Null()),
      Object(8, 0, Double(0x7ff0000000000001)),
  };
  file.externals = {U(1) + U(5) + Str("x"), U(0) + U(6) + Str(""),
                    U(77) + U(7) + Str("x")};
  file.hashes = std::string(16, '\0') + U(0xffff'ffff'ff);
  file.trailing = std::string("\0\0\1", 3);
  file.references = 1234;
  return file;
}

TEST(DartheapWayBack, PutsBackEveryQuirk) {
  const std::string bytes = QuirkyFile().Bytes();
  const auto written = WriteBack(bytes);
  EXPECT_EQ(written->bytes, bytes);
  EXPECT_EQ(written->Losses(), "");
}

TEST(DartheapWayBack, NeedsNoHashes) {
  File file = QuirkyFile();
  file.has_hashes = false;
  file.trailing.clear();
  EXPECT_EQ(WriteBack(file.Bytes())->bytes, file.Bytes());
}

TEST(DartheapWayBack, TakesBigTextsAndManyReferences) {
  File file = QuirkyFile();
  std::string latin1(3'000'000, 'a');
  for (std::size_t i = 0; i < latin1.size(); i += 1001) latin1[i] = '\xfc';
  std::u16string utf16(700'000, u'\x20ac');
  for (std::size_t i = 1; i < utf16.size(); i += 1000) {
    utf16[i] = u'\xd83d';
    utf16[i + 1] = u'\xde00';
  }
  file.objects.push_back(Object(4, 0, Latin1(latin1)));
  file.objects.push_back(Object(4, 0, Utf16(utf16)));
  std::string list = U(6) + U(8) + Length(2'000'000) + U(2'000'000);
  for (std::uint64_t i = 0; i < 2'000'000; ++i) list += U(i % 20);
  file.objects.push_back(list);
  file.objects.push_back(Object(4, 0, Latin1("after")));
  file.hashes = std::string(21, '\1');
  const std::string bytes = file.Bytes();
  EXPECT_TRUE(WriteBack(bytes)->bytes == bytes);
}

// A number of up to `most` bits, usually much smaller.
std::uint64_t Some(std::mt19937_64& random, unsigned most) {
  return random() >> (64 - (random() % 8 == 0 ? most : most / 4));
}

// Most objects have no data and small numbers, so that they are handled in long
// runs.
TEST(DartheapWayBack, TakesObjectsOfAnyKindBesideEachOther) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 6; ++round) {
    File file = QuirkyFile();
    for (int i = 0; i < 9000; ++i) {
      const std::string datas[] = {None(), Null(), Length(7), Latin1("text")};
      std::string object = U(random() % 200 == 0 ? Some(random, 40) : 1) +
                           U(Some(random, 40)) +
                           datas[random() % 64 == 0 ? random() % 4 : 0];
      const std::uint64_t count =
          random() % 50 == 0 ? random() % 400 : random() % 8;
      object += U(count);
      for (std::uint64_t k = 0; k < count; ++k) {
        // References to 0 or beyond all objects, only in some rounds: chunks
        // without them take another path.
        object +=
            U(round % 2 == 0 && random() % 300 == 0 ? random() >> (round * 10)
                                                    : 1 + random() % 9000);
      }
      file.objects.push_back(object);
    }
    if (round == 5) {
      // No object has references.
      for (std::string& object : file.objects) object = Object(1, 8, None());
    }
    file.hashes.clear();
    const std::string bytes = file.Bytes();
    EXPECT_TRUE(WriteBack(bytes)->bytes == bytes) << round;
  }
}

// The writer queues rows without limit when all nodes come before all edges,
// and postpones them when strings do not come before their nodes.
TEST(DartheapWayBack, DoesNotDependOnWhereChunksStand) {
  const std::string bytes = QuirkyFile().Bytes();
  const auto source = ByteSource::FromMemory(bytes);
  Context context;
  VectorSink sink;
  ASSERT_TRUE(
      kDartheapReader.make(*source, context)->Read(ChunkSet::All(), sink).ok());
  std::vector<pb::Chunk> head, rest, strings, tail;
  for (const pb::Chunk& chunk : sink.chunks()) {
    if (chunk.has_strings() && !chunk.strings().names())
      strings.push_back(chunk);
    else if (chunk.has_nodes() || chunk.has_edges())
      rest.push_back(chunk);
    else
      (rest.empty() ? head : tail).push_back(chunk);
  }
  // Strings of V_NAME must come right before their nodes: use none here.
  for (pb::Chunk& chunk : rest) {
    if (!chunk.has_nodes()) continue;
    for (std::uint32_t& form : *chunk.mutable_nodes()->mutable_value_form())
      if (form == pb::V_NAME) form = pb::V_LATIN1;
  }
  std::vector<pb::Chunk> usual = head, moved = head;
  usual.insert(usual.end(), strings.begin(), strings.end());
  usual.insert(usual.end(), rest.begin(), rest.end());
  moved.insert(moved.end(), rest.begin(), rest.end());
  moved.insert(moved.end(), strings.begin(), strings.end());
  usual.insert(usual.end(), tail.begin(), tail.end());
  moved.insert(moved.end(), tail.begin(), tail.end());
  VectorReader usual_reader(usual), moved_reader(moved);
  const auto expected = WriteFrom(usual_reader, true);
  const auto written = WriteFrom(moved_reader, true);
  ASSERT_TRUE(expected->status.ok()) << expected->status.ToString();
  ASSERT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_EQ(written->bytes, expected->bytes);
}

// A stream with one text of 100 KiB that is the name of `classes` classes and
// the value of `nodes` nodes.
std::vector<pb::Chunk> ShareText(std::uint32_t classes, std::uint32_t nodes) {
  std::vector<pb::Chunk> chunks = ParseStream(R"(
header { format: 'dartheap' }
graph { edges_grouped: true id_space: IMPLICIT }
strings { first: 1 names: true }
types { }
nodes { }
graph_end { }
footer { graphs: 1 strings: 1 }
)");
  std::string* const text = chunks[2].mutable_strings()->mutable_data();
  text->assign(100 << 10, 'x');
  chunks[2].mutable_strings()->add_length(
      static_cast<std::uint32_t>(text->size()));
  pb::Types& types = *chunks[3].mutable_types();
  types.set_count(classes);
  types.mutable_name()->Resize(static_cast<int>(classes), 1);
  pb::Nodes& rows = *chunks[4].mutable_nodes();
  rows.set_count(nodes);
  rows.mutable_value_form()->Resize(static_cast<int>(nodes), pb::V_LATIN1);
  rows.mutable_value()->Resize(static_cast<int>(nodes), 1);
  chunks[5].mutable_graph_end()->set_types(classes);
  chunks[5].mutable_graph_end()->set_nodes(nodes);
  if (nodes == 0) chunks.erase(chunks.begin() + 4);
  if (classes == 0) chunks.erase(chunks.begin() + 3);
  return chunks;
}

// No reader makes such streams, but a kilobyte of heapir can hold one, which
// would become gigabytes of dartheap.
TEST(DartheapWayBack, RefusesATextThatManyShare) {
  VectorReader few(ShareText(1000, 1000));
  const auto written = WriteFrom(few, true);
  EXPECT_TRUE(written->status.ok()) << written->status.ToString();
  EXPECT_GT(written->bytes.size(), std::size_t{2000} * (100 << 10));
  for (const std::uint32_t classes : {0u, 4000u}) {
    VectorReader many(ShareText(classes, 4000 - classes));
    const auto refused = WriteFrom(many, true);
    EXPECT_EQ(refused->status.code(), Code::kLimit);
    EXPECT_EQ(refused->status.message(),
              "dartheap: texts that several classes or objects share would "
              "take 256 MiB more than they have");
    EXPECT_LT(refused->bytes.size(), std::size_t{257} << 20);
  }
}

// ------------------------------------------------------------ other formats

// A heap without a node for its roots, with its strings last.
constexpr char kHeap[] = R"(
header { format: 'test' }
graph { edges_grouped: true id_space: UNSTABLE name: { data: 'app' } }
strings { first: 1 data: 'Thinglibnativeblob' length: [5, 3, 6, 4] names: true }
vocabulary { space: NODE_KIND name: [0, 3, 0, 0, 0] known: [4, 9, 3, 8, 6] }
vocabulary { space: EDGE_KIND name: [0, 0, 0, 0] known: [3, 2, 7, 1] name_form: [1, 2, 1, 1] }
vocabulary { space: ROOT_KIND name: [0, 0] known: [4, 17] }
types { first: 0 count: 3 name: [1, 1, 3] library_uri: [2, 0, 0] }
nodes { first: 0 count: 9 id: [16, 32, 48, 64, 80, 96, 112, 128, 144] kind: [0, 0, 0, 2, 2, 3, 3, 4, 1] type_ref: [1, 1, 2, 0, 0, 0, 0, 0, 0] name: [1, 0, 5, 0, 0, 0, 10, 5, 0] self_size: [8, 16, 24, 0, 0, 0, 0, 0, 9] edge_count: [6, 3, 1, 0, 0, 0, 1, 0, 0] value_form: [0, 0, 0, 9, 9, 3, 4, 0, 0] value: [0, 0, 0, 6, 7, 18446744073709551615, 4609434218613702656, 0, 0] value_length: [0, 0, 0, 0, 99, 0, 0, 0, 0] identity_hash: [0, 0, 77, 0, 0, 0, 0, 0, 0] }
edges { first: 0 count: 11 first_node: 0 edges_per_node: [6, 3, 1, 0, 0, 0, 1] kind: [0, 1, 0, 2, 1, 1, 0, 0, 2, 3, 0] name: [8, 0, 9, 9, 1, 5, 8, 9, 9, 8, 0] to_form: [0, 0, 0, 0, 1, 2, 0, 0, 3, 2, 3] to: [1, 2, 0, 3, 0, 255, 0, 0, 5, 255, 5] }
roots { first: 0 count: 3 kind: [0, 1, 0] to: [4, 0, 4096] to_form: [0, 0, 2] }
externals { first: 0 count: 3 to: [0, 255, 0] to_form: [0, 2, 1] size: [1000, 7, 1] name: [4, 0, 0] }
strings { first: 5 data: 'called' length: [6] }
strings { first: 6 data: 'caf\303\251\342\202\254fieldnext1.5' length: [5, 3, 5, 4, 3] }
graph_end { types: 3 nodes: 9 edges: 11 roots: 3 externals: 3 self_size_total: 57 external_size_total: 1008 edges_omitted: 1 edges_dangling: 2 edges_immediate: 2 }
footer { graphs: 1 strings: 11 }
)";

TEST(DartheapWriter, MakesClassesAndValues) {
  const auto written = Write(kHeap);
  EXPECT_EQ(Dump(written->bytes).text(),
            "flags 0 name 'app' sizes 57 57 1008\n"
            "class 'Root' in '' ''\n"
            "class 'Thing' in '' 'lib' 'field' 'next' weak 'next'\n"
            "class 'Thing' in 'test' 'test:' 'field'\n"
            "class '_OneByteString' in 'dart.core' 'dart:core'\n"
            "class '_TwoByteString' in 'dart.core' 'dart:core'\n"
            "class '_Smi' in 'dart.core' 'dart:core'\n"
            "class '_Double' in 'dart.core' 'dart:core' ''\n"
            "class '_Closure' in 'dart.core' 'dart:core'\n"
            "class 'native' in '' ''\n"
            "class 'native' in 'test' 'test:'\n"
            "class '(dangling reference)' in '' ''\n"
            "references 13\n"
            "1: class 1, size 0 -> 6 13\n"
            "2: class 2, size 8 -> 3 2 5 4 0 11\n"
            "3: class 2, size 16 -> 2 2 12\n"
            "4: class 3, size 24, tag 8 'called' -> 11\n"
            "5: class 4, size 0, tag 5 length 4 'caf\xe9' ->\n"
            "6: class 5, size 0, tag 6 length 99 '\xac ' ->\n"
            "7: class 6, size 0, tag 3 18446744073709551615 ->\n"
            "8: class 7, size 0, tag 4 4609434218613702656 -> 12\n"
            "9: class 8, size 0, tag 8 'called' ->\n"
            "10: class 9, size 9 ->\n"
            "11: class 11, size 0, tag 8 '0xff' ->\n"
            "12: class 6, size 0, tag 3 5 ->\n"
            "13: class 11, size 0, tag 8 '0x1000' ->\n"
            "external of 2: 1000 'blob'\n"
            "external of 11: 7 ''\n"
            "external of 0: 1 ''\n"
            "hashes 0 0 0 77 0 0 0 0 0 0 0 0 0\n");
}

TEST(DartheapWriter, CountsLosses) {
  EXPECT_EQ(Write(kHeap)->Losses(),
            "dartheap.edge.index.other 1\n"
            "dartheap.edge.order.fields 3\n"
            "dartheap.edge.kind.internal 1\n"
            "dartheap.external.holder 1\n");
}

// Of two nodes with a value, only one has a name that is not empty.
TEST(DartheapWriter, LosesNothingOfAnEmptyName) {
  EXPECT_EQ(Write(R"(
header { format: 'test' }
graph { edges_grouped: true id_space: OPAQUE }
vocabulary { space: NODE_KIND name: 0 known: 8 }
strings { first: 1 data: 'fun' length: [3, 0] }
nodes { first: 0 count: 2 value_form: [3, 3] value: [5, 6] name: [1, 2] }
graph_end { nodes: 2 }
footer { graphs: 1 strings: 3 }
)")
                ->Losses(),
            "dartheap.node.name.valued 1\n");
}

TEST(DartheapWriter, AnEmptyNameIsAName) {
  const auto written = Write(R"(
header { format: 'test' }
graph { edges_grouped: true root_ref: 1 }
vocabulary { space: EDGE_KIND name: [0, 0] known: [3, 2] name_form: [1, 2] }
nodes { first: 0 count: 2 edge_count: [3, 0] }
edges { first: 0 count: 3 first_node: 0 edges_per_node: [3] kind: [0, 1, 0] to: [1, 0, 0] }
graph_end { nodes: 2 edges: 3 }
footer { graphs: 1 strings: 1 }
)");
  EXPECT_EQ(written->Losses(), "dartheap.edge.order.fields 2\n");
  const auto source = ByteSource::FromMemory(written->bytes);
  Context context;
  CollectSink read;
  ASSERT_TRUE(
      kDartheapReader.make(*source, context)->Read(ChunkSet::All(), read).ok());
  const std::vector<CollectSink::Edge> edges = read.EdgesOf(0);
  ASSERT_EQ(edges.size(), 3u);
  EXPECT_EQ(edges[0].name, "");
  EXPECT_EQ(edges[0].to, 1u);
  EXPECT_EQ(edges[1].name, "");
  EXPECT_EQ(edges[1].to, 0u);
  EXPECT_EQ(edges[2].name, "[0]");
}

TEST(DartheapWriter, FirstNodeMayBeTheRoot) {
  const auto written = Write(R"(
header { format: 'test' }
graph { edges_grouped: true root_ref: 1 self_size_total: 5 capacity: 6 }
strings { first: 1 data: 'Rootglobal' length: [4, 6] names: true }
vocabulary { space: NODE_KIND name: [1] known: [10] }
vocabulary { space: EDGE_KIND name: [0] known: [3] name_form: [1] }
nodes { first: 0 count: 2 name: [1, 0] edge_count: [1, 0] }
edges { first: 0 count: 1 first_node: 0 edges_per_node: [1] name: [2] to: [1] }
graph_end { nodes: 2 edges: 1 }
footer { graphs: 1 strings: 3 }
)");
  EXPECT_EQ(Dump(written->bytes).text(),
            "flags 0 name '' sizes 5 6 0\n"
            "class 'Root' in '' '' 'global'\n"
            "class 'Root' in '' ''\n"
            "references 1\n"
            "1: class 1, size 0 -> 2\n"
            "2: class 2, size 0 ->\n"
            "hashes 0 0\n");
}

TEST(DartheapWriter, MakesARootOfNothing) {
  const auto written = Write(
      "header { }\ngraph { edges_grouped: true }\ngraph_end { }\n"
      "footer { graphs: 1 strings: 1 }\n");
  EXPECT_EQ(Dump(written->bytes).text(),
            "flags 0 name '' sizes 0 0 0\n"
            "class 'Root' in '' ''\n"
            "references 0\n"
            "1: class 1, size 0 ->\n"
            "hashes 0\n");
}

TEST(DartheapWriter, TakesValuesOfEveryForm) {
  const auto written = Write(R"(
header { format: 'test' }
graph { edges_grouped: true id_space: OPAQUE }
vocabulary { space: NODE_KIND name: [0, 0, 0, 0, 0] known: [3, 4, 8, 12, 14] }
strings { first: 1 data: 'a\377Sw[1]12345678fun' length: [2, 1, 1, 3, 8, 3] encoding: [2, 0, 0, 0, 0, 0] }
nodes { first: 0 count: 13 kind: [0, 0, 3, 1, 1, 2, 1, 1, 1, 1, 4, 2, 2] value_form: [9, 14, 8, 15, 16, 10, 11, 12, 13, 2, 3, 3, 3] value: [1, 1, 2, 4, 5, 9223372036854775807, 0, 7, 3, 2, 12, 1073741824, 1073741823] value_encoding: [0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0] name: [0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6, 0, 0] }
graph_end { nodes: 13 }
footer { graphs: 1 strings: 7 }
)",
                             false);
  const std::string text = Dump(written->bytes).text();
  EXPECT_EQ(text.substr(text.find("2: class")),
            "2: class 2, size 0, tag 5 length 2 'a\xff' ->\n"
            "3: class 2, size 0, tag 5 length 2 'a\xff' ->\n"
            "4: class 2, size 0, tag 8 'S' ->\n"
            "5: class 4, size 0, tag 8 '[1]' ->\n"
            "6: class 4, size 0, tag 7 8 ->\n"
            "7: class 5, size 0, tag 3 9223372036854775807 ->\n"
            "8: class 4, size 0, tag 8 'fun' ->\n"
            "9: class 4, size 0 ->\n"
            "10: class 4, size 0, tag 8 'w' ->\n"
            "11: class 4, size 0, tag 2 1 ->\n"
            "12: class 6, size 0, tag 3 12 ->\n"
            "13: class 5, size 0, tag 3 1073741824 ->\n"
            "14: class 7, size 0, tag 3 1073741823 ->\n"
            "hashes 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
}

// Arrays of each type whose elements are the bytes of a string.
TEST(DartheapWriter, CountsElementsOfArrays) {
  const std::pair<pb::BasicType, int> cases[] = {
      {pb::TYPE_BOOL, 17}, {pb::TYPE_BYTE, 17},   {pb::TYPE_CHAR, 8},
      {pb::TYPE_SHORT, 8}, {pb::TYPE_FLOAT, 4},   {pb::TYPE_INT, 4},
      {pb::TYPE_REF, 4},   {pb::TYPE_UNKNOWN, 4}, {pb::TYPE_DOUBLE, 2},
      {pb::TYPE_LONG, 2},
  };
  for (const auto& [type, elements] : cases) {
    const auto written = Write(R"(
header { format: 'test' }
graph { edges_grouped: true root_ref: 1 }
strings { first: 1 data: '0123456789abcdefg' length: 17 }
nodes { count: 2 value_form: [0, 16] value: [0, 1] value_encoding: [0, )" +
                               std::to_string(type) + R"(] }
graph_end { nodes: 2 }
footer { graphs: 1 strings: 2 }
)");
    const std::string text = Dump(written->bytes).text();
    EXPECT_NE(text.find("\n2: class 2, size 0, tag 7 " +
                        std::to_string(elements) + " ->\n"),
              std::string::npos)
        << type << text;
  }
}

// A node with edges to 0, 1, ..., `count` - 1 and to 0 again: once all
// dangling, and once all integers.
std::vector<pb::Chunk> EdgesToNothing(std::uint64_t count) {
  std::vector<pb::Chunk> chunks = ParseStream(R"(
header { format: 'test' }
graph { edges_grouped: true root_ref: 1 id_space: OPAQUE }
nodes { count: 1 }
edges { }
graph_end { nodes: 1 }
footer { graphs: 1 strings: 1 }
)");
  pb::Edges& edges = *chunks[3].mutable_edges();
  for (const auto form : {pb::TO_DANGLING, pb::TO_IMMEDIATE}) {
    for (std::uint64_t i = 0; i <= count; ++i) {
      edges.add_to_form(form);
      edges.add_to(i % count);
    }
  }
  edges.set_count(static_cast<std::uint32_t>(edges.to_size()));
  edges.add_edges_per_node(edges.count());
  chunks[2].mutable_nodes()->add_edge_count(edges.count());
  pb::GraphEnd& end = *chunks[4].mutable_graph_end();
  end.set_edges(edges.count());
  end.set_edges_dangling(edges.count() / 2);
  end.set_edges_immediate(edges.count() / 2);
  return chunks;
}

// Beyond the limit, all targets of a sort share one object.
TEST(DartheapWriter, MakesStandInsForSoMany) {
  constexpr std::uint64_t kMost = dartheap::StandIns::kMaxItems;
  for (const std::uint64_t more : {0, 2}) {
    VectorReader reader(EdgesToNothing(kMost + more));
    const auto written = WriteFrom(reader, false);
    ASSERT_TRUE(written->status.ok()) << written->status.ToString();
    const std::uint64_t made = kMost + (more == 0 ? 0 : 1);
    ASSERT_EQ(written->context.loss.synthesized().size(), 2u);
    EXPECT_EQ(written->context.loss.synthesized()[1].count, 2 * made);

    std::istringstream lines(Dump(written->bytes).text());
    std::vector<std::string> objects(1), classes(1);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("class")) classes.push_back(line);
      if (line.starts_with(std::to_string(objects.size()) + ":"))
        objects.push_back(line.substr(line.find(':')));
    }
    ASSERT_EQ(classes.size(), more == 0 ? 4u : 5u);
    EXPECT_EQ(classes[2], "class '(dangling reference)' in '' ''");
    EXPECT_EQ(classes[3], "class '_Smi' in 'dart.core' 'dart:core'");
    ASSERT_EQ(objects.size(), 2 + 2 * made);
    // Stand-ins for targets without a record come first, then integers.
    const std::uint64_t integers = 2 + made;
    std::string references;
    for (const std::uint64_t first : {std::uint64_t{2}, integers}) {
      for (std::uint64_t i = 0; i < kMost + more; ++i)
        references += " " + std::to_string(first + std::min(i, kMost));
      references += " " + std::to_string(first);
    }
    EXPECT_TRUE(objects[1] == ": class 1, size 0 ->" + references);
    const std::string last = std::to_string(kMost - 1);
    EXPECT_EQ(objects[2], ": class 2, size 0, tag 8 '0' ->");
    EXPECT_EQ(objects[1 + kMost], ": class 2, size 0, tag 8 '" + last + "' ->");
    EXPECT_EQ(objects[integers], ": class 3, size 0, tag 3 0 ->");
    EXPECT_EQ(objects[integers + kMost - 1],
              ": class 3, size 0, tag 3 " + last + " ->");
    if (more == 0) continue;
    EXPECT_EQ(objects[2 + kMost], ": class 2, size 0 ->");
    EXPECT_EQ(objects[integers + kMost], ": class 4, size 0 ->");
  }
}

TEST(DartheapWriter, HoldsOneHeap) {
  const std::string graph = "graph { edges_grouped: true }\ngraph_end { }\n";
  for (const bool native : {false, true}) {
    VectorReader two(ParseStream("header { }\n" + graph + graph +
                                 "footer { graphs: 2 strings: 1 }\n"));
    EXPECT_EQ(WriteFrom(two, native)->status.code(), Code::kUnsupported);
  }
}

}  // namespace
}  // namespace heapglot
