#include "readers/dartheap/dartheap_reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "tests/collect_sink.h"
#include "tests/dartheap/dartheap_bytes.h"

namespace heapglot {
namespace {

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

// Class ids in files of these tests.
enum : std::uint64_t {
  kRoot = 1,
  kSmi,
  kMint,
  kDouble,
  kOneByteString,
  kTwoByteString,
  kList,
  kGrowable,
  kMap,
  kSet,
  kClosure,
  kFunction,
  kContext,
  kWeakReference,
  kWeakArray,
  kBox,
};

File TestFile() {
  File file;
  file.classes = {
      ClassBytes("Root", ""),
      ClassBytes("_Smi", "dart:core"),
      ClassBytes("_Mint", "dart:core"),
      ClassBytes("_Double", "dart:core"),
      ClassBytes("_OneByteString", "dart:core"),
      ClassBytes("_TwoByteString", "dart:core"),
      ClassBytes("_List", "dart:core",
                 {Field(0, "type_arguments_"), Field(1, "length_")}),
      ClassBytes("_GrowableList", "dart:core",
                 {Field(0, "type_arguments_"), Field(1, "data_")}),
      ClassBytes("_Map", "dart:_compact_hash", {Field(0, "data_")}),
      ClassBytes("_Set", "dart:_compact_hash", {Field(0, "data_")}),
      ClassBytes("_Closure", "dart:core",
                 {Field(0, "function_"), Field(1, "context_")}),
      ClassBytes("Function", ""),
      ClassBytes("Context", "", {Field(0, "parent_")}),
      ClassBytes("_WeakReference", "dart:core",
                 {Field(0, "target_"), Field(1, "type_arguments_")}),
      ClassBytes("WeakArray", "", {Field(0, "length_")}),
      ClassBytes("Box", "package:a/a.dart",
                 {Field(1, "second"), Field(0, "first"), Field(0, "again"),
                  Field(2, ""), Field(3, "type_arguments")}),
  };
  file.objects = {Object(kRoot, 0, None())};
  return file;
}

// Reads a file and checks every chunk.
Status ReadBytes(const std::string& bytes, CollectSink* out, Context* context) {
  const auto source = ByteSource::FromMemory(bytes);
  const auto reader = kDartheapReader.make(*source, *context);
  CheckSink check(ChunkSet::All(), out);
  HEAPGLOT_RETURN_IF_ERROR(reader->Read(ChunkSet::All(), check));
  return check.Finish();
}

CollectSink ReadGood(const File& file) {
  CollectSink out;
  Context context;
  const Status status = ReadBytes(file.Bytes(), &out, &context);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return out;
}

// Fields of four slots, as SIMD fields have where a slot has 4 bytes: the field
// after them has an index far above the number of fields.
TEST(DartheapReader, FieldsBehindWideOnesHaveNames) {
  File file = TestFile();
  std::vector<std::string> fields;
  for (std::uint64_t i = 0; i < 6; ++i)
    fields.push_back(Field(4 * i, "lane" + std::to_string(i)));
  fields.push_back(Field(24, "next"));
  file.classes.push_back(ClassBytes("Wide", "package:a/a.dart", fields));
  std::vector<std::uint64_t> references(25);
  references[24] = 1;
  file.objects.push_back(Object(file.classes.size(), 16, None(), references));
  const CollectSink read = ReadGood(file);
  ASSERT_FALSE(read.edges.empty());
  EXPECT_EQ(read.edges.back().name, "next");
}

// ------------------------------------------------------------------- values

struct IntCase {
  std::uint64_t class_id;
  std::string encoded;
  std::uint64_t size;  // of another object: 8 implies a 32-bit VM
  std::int64_t value;
};

TEST(DartheapReader, Integers) {
  const std::int64_t two62 = std::int64_t{1} << 62;
  const IntCase cases[] = {
      {kSmi, U(0), 16, 0},
      {kSmi, U(64), 16, 64},
      {kSmi, U(0xffff'ffff), 8, -1},
      {kSmi, U(0xffff'ffff), 16, 0xffff'ffff},
      {kSmi, U(0xc000'0000), 8, -1073741824},
      {kSmi, U(~std::uint64_t{0}), 16, -1},
      {kSmi, U(static_cast<std::uint64_t>(-two62)), 16, -two62},
      {kSmi, U(0x3fff'ffff), 8, 1073741823},
      // Compressed pointers: 31 bits in a 64-bit word.
      {kSmi, U(static_cast<std::uint64_t>(-1073741824)), 16, -1073741824},
      {kMint, S(1073741824), 8, 1073741824},
      {kMint, S(-1073741825), 8, -1073741825},
      {kMint, S(two62), 16, two62},
      {kMint, S(INT64_MIN), 8, INT64_MIN},
      {kMint, S(INT64_MAX), 8, INT64_MAX},
      // As in exports of DevTools: SLEB128 would take another byte.
      {kMint, U((std::uint64_t{1} << 35) - 1), 8, (std::int64_t{1} << 35) - 1},
      // In an object of an unknown class.
      {kBox, U(5), 16, 5},
      {kBox, S(INT64_MIN), 16, INT64_MIN},
  };
  for (const IntCase& test : cases) {
    File file = TestFile();
    file.objects.push_back(Object(test.class_id, 16, Int(test.encoded)));
    file.objects.push_back(Object(kBox, test.size, None()));
    const CollectSink read = ReadGood(file);
    ASSERT_EQ(read.nodes.size(), 3u);
    EXPECT_EQ(static_cast<std::int64_t>(read.nodes[1].value), test.value);
    EXPECT_EQ(read.nodes[1].form, pb::V_INT);
    EXPECT_EQ(read.nodes[1].kind, pb::NODE_NUMBER);
  }
}

TEST(DartheapReader, DoublesKeepTheirBits) {
  constexpr std::uint64_t kBits[] = {0x7ff0000000000001, 0xfff8000000000000,
                                     0x8000000000000000, 0x0000000000000001,
                                     0x3ff8000000000000};
  for (const std::uint64_t bits : kBits) {
    File file = TestFile();
    file.objects.push_back(Object(kDouble, 16, Double(bits)));
    EXPECT_EQ(ReadGood(file).nodes[1].value, bits);
  }
}

TEST(DartheapReader, Strings) {
  struct Case {
    std::string data;
    std::string text;
    std::uint64_t length;
    int encoding;
  };
  const Case cases[] = {
      {Latin1(""), "", 0, pb::UTF8},
      {Latin1("a\xe9\xff"), "a\xc3\xa9\xc3\xbf", 0, pb::UTF8},
      {Latin1("cut", 5000), "cut", 5000, pb::UTF8},
      {Utf16(u"\u6f22"), "\xe6\xbc\xa2", 0, pb::UTF8},
      {Utf16(u"\U0001F600"), "\xf0\x9f\x98\x80", 0, pb::UTF8},
      {Utf16(std::u16string(1, 0xd83d)), "\xed\xa0\xbd", 0, pb::WTF8},
      {Utf16(std::u16string{0xde00, 0xd83d}, 9), "\xed\xb8\x80\xed\xa0\xbd", 9,
       pb::WTF8},
  };
  for (const Case& test : cases) {
    File file = TestFile();
    file.objects.push_back(Object(kOneByteString, 16, test.data));
    const CollectSink read = ReadGood(file);
    EXPECT_EQ(read.nodes[1].text, test.text);
    EXPECT_EQ(read.nodes[1].length, test.length);
    EXPECT_EQ(read.nodes[1].kind, pb::NODE_STRING);
    EXPECT_EQ(read.encodings.at(read.nodes[1].value), test.encoding);
  }
}

TEST(DartheapReader, LongTextsComeInPieces) {
  // Surrogate pairs, so that a cut within one shows.
  std::u16string text;
  for (int i = 0; i < 200'000; ++i) text += u"\U0001F600";
  text.insert(text.begin(), u'x');
  File file = TestFile();
  file.objects.push_back(Object(kTwoByteString, 16, Utf16(text)));
  file.objects.push_back(Object(kOneByteString, 16, Latin1("after")));
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(read.nodes[1].text.size(), 800'001u);
  EXPECT_EQ(read.encodings.at(read.nodes[1].value), pb::UTF8);
  EXPECT_EQ(read.nodes[2].text, "after");
}

TEST(DartheapReader, OtherValues) {
  File file = TestFile();
  file.objects.push_back(Object(kBox, 8, Null()));
  file.objects.push_back(Object(kBox, 8, Bool(2)));
  file.objects.push_back(Object(kFunction, 8, Name("main")));
  file.objects.push_back(Object(kList, 8, Length(1000)));
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(read.nodes[1].kind, pb::NODE_ODDBALL);
  EXPECT_EQ(read.nodes[2].value, 2u);
  EXPECT_EQ(read.nodes[3].text, "main");
  EXPECT_EQ(read.nodes[3].kind, pb::NODE_FUNCTION_META);
  EXPECT_EQ(read.nodes[4].value, 1000u);
  EXPECT_EQ(read.nodes[0].kind, pb::NODE_SYNTHETIC);
}

// -------------------------------------------------------------------- edges

std::string Show(const CollectSink::Edge& edge) {
  static constexpr const char* kKinds[] = {"other",    "context",  "element",
                                           "property", "internal", "hidden",
                                           "shortcut", "weak"};
  std::string text = std::string(edge.synthesized ? "+" : "") +
                     kKinds[edge.kind] + " " + edge.name + " -> ";
  switch (edge.to_form) {
    case pb::TO_NODE:
      return text + std::to_string(edge.to + 1);
    case pb::TO_OMITTED:
      return text + "omitted";
    default:
      return text + "dangling " + std::to_string(edge.to);
  }
}

std::vector<std::string> EdgesOf(const CollectSink& read, std::uint64_t id) {
  std::vector<std::string> shown;
  for (const CollectSink::Edge& edge : read.EdgesOf(id - 1))
    shown.push_back(Show(edge));
  return shown;
}

using Lines = std::vector<std::string>;

TEST(DartheapReader, FieldsInAnyOrderOrTwice) {
  File file = TestFile();
  file.objects.push_back(Object(kBox, 8, None(), {1, 2, 0, 1, 99, 2}));
  EXPECT_EQ(EdgesOf(ReadGood(file), 2),
            (Lines{"property first -> 1", "property second -> 2",
                   "property  -> omitted", "internal type_arguments -> 1",
                   "element [4] -> dangling 99", "element [0] -> 2"}));
}

TEST(DartheapReader, FieldsWithoutNameAreNoneInAnIsolateOnly) {
  for (const std::string library : {"", "package:a/a.dart"}) {
    File file = TestFile();
    file.classes.push_back(
        ClassBytes("Isolate", library, {Field(0, ""), Field(1, "static")}));
    file.objects.push_back(Object(kBox + 1, 8, None(), {1, 2, 1}));
    EXPECT_EQ(EdgesOf(ReadGood(file), 2),
              (Lines{library.empty() ? "element [0] -> 1" : "property  -> 1",
                     "property static -> 2", "element [0] -> 1"}));
  }
}

TEST(DartheapReader, TheNameOfASlotCountsBeforeNone) {
  for (const bool named_first : {false, true}) {
    File file = TestFile();
    const std::string none = Field(0, "");
    const std::string named = Field(0, "named");
    file.classes.push_back(named_first
                               ? ClassBytes("Pair", "lib", {named, none})
                               : ClassBytes("Pair", "lib", {none, named}));
    file.objects.push_back(Object(kBox + 1, 8, None(), {1}));
    EXPECT_EQ(EdgesOf(ReadGood(file), 2), Lines{"property named -> 1"});
  }
}

TEST(DartheapReader, ListItemsFollowTheFields) {
  File file = TestFile();
  file.objects.push_back(Object(kList, 8, Length(2), {1, 1, 2, 1}));
  EXPECT_EQ(EdgesOf(ReadGood(file), 2),
            (Lines{"internal type_arguments_ -> 1", "internal length_ -> 1",
                   "element [0] -> 2", "element [1] -> 1"}));
}

TEST(DartheapReader, GrowableListShowsItsItems) {
  File file = TestFile();
  file.objects.push_back(Object(kGrowable, 8, Length(2), {0, 3}));
  file.objects.push_back(Object(kList, 8, Length(4), {1, 1, 2, 0, 1, 1}));
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(EdgesOf(read, 2),
            (Lines{"internal type_arguments_ -> omitted", "internal data_ -> 3",
                   "+element [0] -> 2", "+element [1] -> omitted"}));
  EXPECT_EQ(read.end.edges(), 10u);
  EXPECT_EQ(read.end.edges_omitted(), 3u);
}

TEST(DartheapReader, SetSkipsDeletedItems) {
  File file = TestFile();
  file.objects.push_back(Object(kSet, 8, Length(3), {3}));
  file.objects.push_back(Object(kList, 8, Length(4), {1, 1, 2, 3, 1, 1}));
  EXPECT_EQ(
      EdgesOf(ReadGood(file), 2),
      (Lines{"internal data_ -> 3", "+element [0] -> 2", "+element [1] -> 1"}));
}

TEST(DartheapReader, MapIsShownByItsKeys) {
  File file = TestFile();
  file.objects.push_back(Object(kMap, 8, Length(18), {3}));
  file.objects.push_back(Object(kList, 8, Length(20), {1, 1,     //
                                                       4, 1,     // string
                                                       5, 1,     // integer
                                                       6, 1,     // negative
                                                       7, 1,     // double
                                                       8, 1,     // null
                                                       3, 3,     // deleted
                                                       1, 0,     // object
                                                       0, 1,     // omitted key
                                                       9, 1,     // empty string
                                                       4, 4}));  // not in use
  file.objects.push_back(Object(kOneByteString, 8, Latin1("k\xe9y")));
  file.objects.push_back(Object(kSmi, 0, Int(U(7))));
  file.objects.push_back(Object(kSmi, 0, Int(U(0xffff'ffff))));
  file.objects.push_back(
      Object(kDouble, 8, Double(std::bit_cast<std::uint64_t>(2.0))));
  file.objects.push_back(Object(kBox, 8, Null()));
  file.objects.push_back(Object(kOneByteString, 8, Latin1("")));
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(
      EdgesOf(read, 2),
      (Lines{"internal data_ -> 3", "+property k\xc3\xa9y -> 1",
             "+element [7] -> 1", "+property -1 -> 1", "+property 2.0 -> 1",
             "+property null -> 1", "+property key 5 -> 1",
             "+property value 5 -> omitted", "+property key 6 -> omitted",
             "+property value 6 -> 1", "+property  -> 1"}));
}

TEST(DartheapReader, ContainersWithoutListShowNothing) {
  File file = TestFile();
  file.objects.push_back(Object(kGrowable, 8, Length(2), {1}));     // no data_
  file.objects.push_back(Object(kGrowable, 8, Length(2), {1, 0}));  // omitted
  file.objects.push_back(Object(kGrowable, 8, Length(2), {1, 99}));
  file.objects.push_back(Object(kGrowable, 8, Length(2), {1, 1}));  // no list
  file.objects.push_back(Object(kGrowable, 8, None(), {1, 1}));     // no length
  const CollectSink read = ReadGood(file);
  for (const CollectSink::Edge& edge : read.edges)
    EXPECT_FALSE(edge.synthesized) << Show(edge);
}

// A file of n bytes must not result in n * n edges.
TEST(DartheapReader, SharedListIsNotMultiplied) {
  File file = TestFile();
  std::string list = U(kList) + U(8) + Length(1000) + U(1002);
  for (int i = 0; i < 1002; ++i) list += U(1);
  file.objects.push_back(list);
  for (int i = 0; i < 1000; ++i)
    file.objects.push_back(Object(kGrowable, 8, Length(1000), {1, 2}));
  const CollectSink read = ReadGood(file);
  EXPECT_LE(read.end.edges(), 2u * 3002);
}

TEST(DartheapReader, ClosureIsNamedLikeItsFunction) {
  File file = TestFile();
  file.objects.push_back(Object(kClosure, 8, None(), {3, 4}));
  file.objects.push_back(Object(kFunction, 8, Name("onTap")));
  file.objects.push_back(Object(kContext, 8, None(), {0, 1}));
  file.objects.push_back(Object(kClosure, 8, None(), {0, 0}));
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(read.nodes[1].name, "onTap");
  EXPECT_EQ(read.nodes[1].kind, pb::NODE_CLOSURE);
  EXPECT_EQ(read.nodes[4].name, "_Closure");
  EXPECT_EQ(EdgesOf(read, 2),
            (Lines{"internal function_ -> 3", "context context_ -> 4"}));
  EXPECT_EQ(EdgesOf(read, 4),
            (Lines{"context parent_ -> omitted", "element [0] -> 1"}));
}

TEST(DartheapReader, WeakReferences) {
  File file = TestFile();
  file.objects.push_back(Object(kWeakReference, 8, None(), {1, 1}));
  file.objects.push_back(Object(kWeakArray, 8, None(), {1, 1, 2}));
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(EdgesOf(read, 2),
            (Lines{"weak target_ -> 1", "internal type_arguments_ -> 1"}));
  EXPECT_EQ(EdgesOf(read, 3),
            (Lines{"internal length_ -> 1", "weak [0] -> 1", "weak [1] -> 2"}));
}

// As Dart 2.17 writes them.
TEST(DartheapReader, WeakReferencesOfAClassWithoutFields) {
  File file = TestFile();
  file.classes.push_back(ClassBytes("FinalizerEntry", "dart:_internal"));
  const auto vm = static_cast<int>(file.classes.size());
  file.classes.push_back(ClassBytes("FinalizerEntry", "package:a/a.dart"));
  file.objects.push_back(Object(vm, 8, None(), {1, 1, 1, 1, 1, 1}));
  file.objects.push_back(Object(vm, 8, None(), {1}));
  file.objects.push_back(Object(vm + 1, 8, None(), {1}));
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(EdgesOf(read, 2),
            (Lines{"weak [0] -> 1", "weak [1] -> 1", "element [2] -> 1",
                   "weak [3] -> 1", "element [4] -> 1", "element [5] -> 1"}));
  EXPECT_EQ(EdgesOf(read, 3), (Lines{"weak [0] -> 1"}));
  EXPECT_EQ(EdgesOf(read, 4), (Lines{"element [0] -> 1"}));
}

// ----------------------------------------------------------- the other parts

TEST(DartheapReader, HashesExternalsTrailing) {
  File file = TestFile();
  file.objects.push_back(Object(kBox, 24, None()));
  file.hashes = U(0) + U(0xffff'ffff);
  file.externals = {U(2) + U(100) + Str("finalizer"), U(0) + U(5) + Str(""),
                    U(9) + U(7) + Str("x")};
  file.trailing = std::string(300'000, '\0') + "end";
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(read.nodes[1].hash, 0xffff'ffffu);
  EXPECT_TRUE(read.graph.has_identity_hashes());
  EXPECT_EQ(read.graph.pointer_size(), 4u);
  ASSERT_EQ(read.externals.size(), 1u);
  EXPECT_EQ(read.externals[0].to(0), 1u);
  EXPECT_EQ(read.strings.at(read.externals[0].name(0)), "finalizer");
  EXPECT_EQ(read.externals[0].to_form(1), pb::TO_OMITTED);
  EXPECT_EQ(read.externals[0].to_form(2), pb::TO_DANGLING);
  EXPECT_EQ(read.end.external_size_total(), 112u);
  EXPECT_EQ(read.extra, file.trailing);
}

TEST(DartheapReader, LayoutOf2019) {
  File file = TestFile();
  file.objects = {Object(0, 0, None(), {2}), Object(kBox, 8, None())};
  file.has_hashes = false;
  const CollectSink read = ReadGood(file);
  EXPECT_FALSE(read.graph.has_identity_hashes());
  EXPECT_EQ(read.header.dialect(), "dart-vm-2019");
  EXPECT_EQ(read.nodes[0].kind, pb::NODE_SYNTHETIC);
}

TEST(DartheapReader, DevToolsExport) {
  File file = TestFile();
  file.objects.push_back(Object(kOneByteString, 8, Name("text...")));
  const CollectSink read = ReadGood(file);
  EXPECT_EQ(read.header.dialect(), "devtools-export");
  EXPECT_EQ(read.nodes[1].kind, pb::NODE_STRING);
  EXPECT_EQ(read.nodes[1].text, "text...");
}

// Every selection of chunks is the full stream without the others.
TEST(DartheapReader, PassesAgree) {
  File file = TestFile();
  file.objects.push_back(Object(kMap, 8, Length(4), {3}));
  file.objects.push_back(Object(kList, 8, Length(4), {1, 1, 4, 1, 5, 1}));
  file.objects.push_back(Object(kOneByteString, 8, Latin1("key")));
  file.objects.push_back(Object(kClosure, 8, None(), {6}));
  file.objects.push_back(Object(kFunction, 8, Name("f")));
  file.externals = {U(2) + U(100) + Str("finalizer")};
  const std::string bytes = file.Bytes();
  const auto source = ByteSource::FromMemory(bytes);
  Context context;
  const auto reader = kDartheapReader.make(*source, context);

  struct KeepText : ChunkSink {
    Status Accept(const pb::Chunk& chunk) override {
      if (chunk.has_strings() && !all_strings && !chunk.strings().names())
        return {};
      text[chunk.body_case()] += chunk.ShortDebugString();
      return {};
    }
    bool all_strings = true;
    std::map<int, std::string> text;
  };
  KeepText all;
  ASSERT_TRUE(reader->Read(ChunkSet::All(), all).ok());
  for (int kind = 1; kind <= 20; ++kind) {
    const auto body = static_cast<pb::Chunk::BodyCase>(kind);
    const ChunkSet wanted{body};
    KeepText one;
    CheckSink check(wanted, &one);
    const Status status = reader->Read(wanted, check);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(one.text[kind], all.text[kind]) << kind;
  }
}

// ------------------------------------------------------------------ hostile

struct Hostile {
  const char* name;
  std::string bytes;
  Code code;             // kOk: accepted with a warning
  std::uint64_t offset;  // of the error
};

std::string Header() {
  return "dartheap" + U(0) + Str("") + U(0) + U(0) + U(0);
}

// A file whose last object has these bytes, with an error where they begin.
Hostile BadObject(const char* name, const std::string& object, Code code) {
  File file = TestFile();
  file.objects.push_back(object);
  const std::string bytes = file.Bytes();
  return {name, bytes, code, bytes.find(object)};
}

TEST(DartheapReader, HostileFiles) {
  const std::uint64_t two60 = std::uint64_t{1} << 60;
  const std::string head = Header();
  const auto huge = [&](const char* name, const std::string& before,
                        std::uint64_t count) {
    return Hostile{name, before + U(count), Code::kMalformed, before.size()};
  };
  const std::string classes = head + U(0);
  const std::string objects = classes + U(0);
  std::vector<Hostile> cases = {
      {"empty", "", Code::kTruncated, 0},
      {"magic cut", "dart", Code::kTruncated, 4},
      {"magic wrong", "dartheaP...", Code::kMalformed, 0},
      {"service event", std::string("\x00\x02\x00\x00{\"jsonrpc\":", 15),
       Code::kMalformed, 0},
      huge("classes 2^60", head, two60),
      huge("classes 2^64-1", head, ~std::uint64_t{0}),
      {"classes more than left", head + U(5) + "xx", Code::kTruncated,
       head.size() + 3},
      huge("fields 2^60", head + U(1) + ClassBytes("", "").substr(0, 5), two60),
      huge("fields 2^32", head + U(1) + ClassBytes("", "").substr(0, 5),
           std::uint64_t{1} << 32),
      huge("objects 2^60", classes + U(0), two60),
      {"name 2^60", "dartheap" + U(0) + U(two60), Code::kMalformed, 9},
      {"name a byte too long", "dartheap" + U(0) + U(3) + "ab",
       Code::kTruncated, 12},
      {"externals 2^60", objects + U(0) + U(two60), Code::kMalformed,
       objects.size() + 1},
      {"leb of 65 bits", "dartheap" + std::string(9, '\x80') + "\x02",
       Code::kMalformed, 8},
      {"leb of 11 bytes", "dartheap" + std::string(10, '\x80') + '\0',
       Code::kMalformed, 8},
      {"leb cut", "dartheap\x80", Code::kTruncated, 9},
      {"no object", objects + U(0) + U(0), Code::kOk, 0},
  };
  cases.push_back(BadObject("tag 9", Object(1, 0, U(9)), Code::kMalformed));
  cases.push_back(BadObject("tag 2^32", Object(1, 0, U(std::uint64_t{1} << 32)),
                            Code::kMalformed));
  cases.push_back(BadObject("tag 2^64-1", Object(1, 0, U(~std::uint64_t{0})),
                            Code::kMalformed));
  cases.push_back(BadObject("references 2^60", U(1) + U(0) + None() + U(two60),
                            Code::kMalformed));
  cases.push_back(BadObject("latin1 2^60", U(1) + U(0) + U(5) + U(1) + U(two60),
                            Code::kMalformed));
  cases.push_back(BadObject("utf16 2^63",
                            U(1) + U(0) + U(6) + U(1) + U(two60 * 8),
                            Code::kMalformed));
  cases.push_back(
      BadObject("name 2^60", U(1) + U(0) + U(8) + U(two60), Code::kMalformed));
  cases.push_back(
      BadObject("class dangling", Object(99, 0, None()), Code::kOk));
  cases.push_back(BadObject("reference dangling",
                            Object(1, 0, None(), {~std::uint64_t{0}}),
                            Code::kOk));
  cases.push_back(BadObject("longer than its length",
                            Object(kOneByteString, 0, Latin1("abc", 2)),
                            Code::kOk));
  {
    File file = TestFile();
    file.objects.push_back(Object(kRoot, 0, None(), {1, 1, 1}));
    file.references = 0;
    cases.push_back({"too few references stated", file.Bytes(), Code::kOk, 0});
    file.references = two60;
    cases.push_back({"2^60 references stated", file.Bytes(), Code::kOk, 0});
    file.references = 3;
    file.hashes = std::string(1, '\0');
    const std::string cut = file.Bytes();
    cases.push_back({"a hash missing", cut, Code::kTruncated, cut.size()});
    file.hashes = U(0) + U(std::uint64_t{1} << 40);
    file.externals = {U(1) + U(~std::uint64_t{0}) + Str(""),
                      U(1) + U(2) + Str("")};
    cases.push_back({"external sizes overflow", file.Bytes(), Code::kOk, 0});
    file.externals = {U(~std::uint64_t{0}) + U(1) + Str("")};
    cases.push_back({"external of no object", file.Bytes(), Code::kOk, 0});
    file.externals.clear();
    file.trailing = file.Bytes();
    cases.push_back({"two snapshots", file.Bytes(), Code::kOk, 0});
  }
  for (const Hostile& test : cases) {
    SCOPED_TRACE(test.name);
    CollectSink out;
    Context context;
    const Status status = ReadBytes(test.bytes, &out, &context);
    EXPECT_EQ(status.code(), test.code) << status.ToString();
    if (test.code == Code::kOk) {
      EXPECT_FALSE(context.findings().empty());
      // In strict mode a warning becomes an error.
      Context strict;
      strict.strict = true;
      CollectSink ignored;
      EXPECT_EQ(ReadBytes(test.bytes, &ignored, &strict).code(),
                Code::kMalformed);
    } else {
      EXPECT_EQ(status.where().byte, test.offset) << status.ToString();
    }
  }
}

TEST(DartheapReader, TextsAreLimited) {
  File file = TestFile();
  file.objects.push_back(Object(kOneByteString, 0, Latin1("0123456789")));
  CollectSink out;
  Context context;
  context.limits.max_string = 9;
  // The longest name of a class comes first.
  EXPECT_EQ(ReadBytes(file.Bytes(), &out, &context).code(), Code::kLimit);
  context.limits.max_string = 100;
  EXPECT_TRUE(ReadBytes(file.Bytes(), &out, &context).ok());
}

TEST(DartheapReader, Sniffs) {
  EXPECT_EQ(kDartheapReader.sniff("dartheap\0"), Sniff::kYes);
  EXPECT_EQ(kDartheapReader.sniff("dart"), Sniff::kMaybe);
  EXPECT_EQ(kDartheapReader.sniff(""), Sniff::kNo);
  EXPECT_EQ(kDartheapReader.sniff("{\"snapshot\""), Sniff::kNo);
}

}  // namespace
}  // namespace heapglot
