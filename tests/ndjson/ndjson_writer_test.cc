// What the writer makes of streams of other formats, and the way back of its
// own files.
#include "writers/ndjson/ndjson_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/check_sink.h"
#include "core/column.h"
#include "core/draft/draft_lines.h"
#include "core/draft/draft_schema.h"
#include "core/draft/draft_wire.h"
#include "core/ir/index_columns.h"
#include "readers/ndjson/ndjson_reader.h"
#include "tests/checked_passes.h"
#include "tests/core/text_stream.h"
#include "tests/ndjson/ndjson_graph.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;

// Every form of value, target and name, two graphs, and each table.
constexpr char kStream[] = R"(
header { format: "test" dialect: "by hand" }
graph { name { data: "first" } flags: 7 id_space: ADDRESS root_ref: 1 edges_grouped: true capacity: 0 node_schema { name: "type" type: "number" } }
strings { first: 1 names: true data: "thingtextnumberoddlistlinkindexClasslibfield" length: [5, 4, 6, 3, 4, 4, 5, 5, 3, 5] }
vocabulary { space: NODE_KIND name: [1, 2, 3, 4, 5, 1] known: [4, 3, 8, 19, 2, 4] source_code: [0, -5, 2, 3, 4, 5] }
vocabulary { space: EDGE_KIND name: [6, 7, 6] known: [3, 2, 4] name_form: [1, 2, 0] edge_flags: [0, 0, 1] }
vocabulary { space: ROOT_KIND name: [1, 2] known: [4, 6] }
types { first: 0 count: 2 id: [10, 20] name: [8, 0] library_name: [9, 9] super_ref: [0, 1] class_node_ref: [3, 0] field_count: [2, 0] field_flags: [1, 0] field_slot: [0, 1] field_name: [10, 10] }
roots { first: 0 count: 3 to_form: [0, 1, 2] to: [4, 0, 99] kind: [0, 1, 1] flags: [0, 4, 0] label: [10, 0, 0] distance: [0, 0, 3] }
externals { first: 0 count: 1 to: [2] size: [5000] name: [9] }
strings { first: 11 data: "abc\355\240\200\377\376 name" length: [3, 3, 2, 5] encoding: [0, 1, 2, 0] }
nodes { first: 0 count: 11 id: [4096, 4098, 4097, 18446744073709551615, 1, 2, 3, 4, 5, 6, 7] kind: [0, 1, 1, 2, 2, 3, 3, 4, 5, 1, 3] type_ref: [1, 2, 0, 0, 0, 0, 0, 0, 77, 0, 0] flags: [0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0] name: [14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] self_size: [16, 0, 1099511627776, 0, 0, 0, 0, 0, 0, 0, 0] edge_count: [6, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] identity_hash: [0, 4294967295, 0, 0, 0, 0, 0, 0, 0, 0, 0] value_form: [8, 5, 6, 4, 3, 1, 2, 7, 0, 9, 2] value: [14, 11, 12, 9221120237041090560, 18446744073709551615, 0, 1, 12, 0, 0, 5] value_length: [0, 0, 700, 0, 0, 0, 0, 0, 0, 0, 0] value_encoding: [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] }
edges { first: 0 count: 7 first_node: 0 edges_per_node: [6, 0, 1] kind: [0, 1, 0, 1, 2, 0, 1] name_form: [1, 2, 1, 2, 0, 0, 2] name: [10, 3, 0, 18446744073709551615, 0, 0, 4294967295] to_form: [0, 0, 1, 2, 3, 0, 0] to: [1, 2, 0, 12345, 18446744073709551615, 0, 2] flags: [0, 0, 0, 0, 0, 1, 0] }
locations { first: 0 count: 1 to: [2] script_id: [-1] line: [10] column: [0] }
trace_functions { first: 0 count: 1 function_id: [1] name: [11] line: [-1] }
trace_nodes { first: 0 count: 2 id: [1, 2] child_count: [1, 0] }
samples { first: 0 count: 2 timestamp_us: [10, 20] last_assigned_id: [1, 3] }
stack_frames { first: 0 count: 1 id: [9] function: [11] line: [-3] }
threads { first: 0 count: 1 id: [1] name: [11] top_frame_ref: [1] node_ref: [2] }
metadata { entry { key { data: "who" } value { data: "me" } } entry { key { data: "hg.stream" } value { data: "2" } } entry { key { data: "version_major" } value { data: "9" } } }
values { owner_space: OF_NODE first: 0 count: 4 owner: [0, 0, 3, 10] key: [11, 14, 11, 0] form: [10, 9, 11, 4] value: [7, 14, 2, 9218868437227405312] length: [0, 40, 0, 0] encoding: [4, 0, 0, 0] }
values { owner_space: OF_EDGE first: 4 count: 1 owner: [6] key: [14] form: [2] value: [1] }
values { owner_space: OF_TYPE first: 5 count: 1 owner: [1] key: [14] form: [3] value: [18446744073709551615] }
values { owner_space: OF_ROOT first: 6 count: 1 owner: [2] key: [14] form: [1] }
values { owner_space: OF_STRING first: 7 count: 2 owner: [0, 13] key: [14, 14] form: [3, 15] value: [5, 11] }
values { owner_space: OF_GRAPH first: 9 count: 1 key: [14] form: [12] value: [5] }
extra { format: "test" section: "test.bytes" position: 5 data: "\000\001\377" }
graph_end { types: 2 nodes: 11 edges: 7 roots: 3 values: 10 externals: 1 locations: 1 trace_functions: 1 trace_nodes: 2 samples: 2 stack_frames: 1 threads: 1 self_size_total: 1099511627792 external_size_total: 5000 edges_omitted: 1 edges_dangling: 1 edges_immediate: 1 id_limit: 18446744073709551615 edges_synthesized: 2 }
graph { edges_grouped: false }
nodes { first: 0 count: 2 }
edges { first: 0 count: 2 from: [1, 0] to: [0, 1] }
graph_end { nodes: 2 edges: 2 }
footer { graphs: 2 strings: 15 }
)";

std::string Write(Reader& reader, const WriterOptions& options,
                  Context* context) {
  std::string output;
  const auto sink = ByteSink::ToString(&output);
  const auto writer = kNdjsonWriter.make(*sink, options, *context);
  const Status status = CheckedPasses(reader, *writer);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return output;
}

std::string WriteText(const std::string& profile) {
  VectorReader reader(ParseStream(kStream));
  Context context;
  return Write(reader, {.native = false, .profile = profile}, &context);
}

std::vector<pb::Chunk> Read(const std::string& file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  VectorSink chunks;
  CheckSink check(ChunkSet::All(), &chunks);
  const Status status =
      kNdjsonReader.make(*source, context)->Read(ChunkSet::All(), check);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(check.Finish().ok()) << check.Finish().ToString();
  for (const Finding& finding : context.findings())
    ADD_FAILURE() << finding.code << ": " << finding.message;
  return chunks.chunks();
}

// Reads a file and writes it again by its profile alone.
std::string RoundTrip(const std::string& file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  const auto reader = kNdjsonReader.make(*source, context);
  return Write(*reader,
               {.native = true, .profile = kNdjsonWriter.profile(*source)},
               &context);
}

std::string Lines(const std::vector<pb::Chunk>& chunks,
                  pb::Chunk::BodyCase body) {
  std::string text;
  for (const pb::Chunk& chunk : chunks)
    if (chunk.body_case() == body) text += ToText(chunk);
  return text;
}

TEST(NdjsonWriter, BothShapesHoldTheSame) {
  const auto arrays = Read(WriteText(""));
  const auto objects = Read(WriteText("1;shape=object"));
  for (const auto body :
       {pb::Chunk::kGraph, pb::Chunk::kStrings, pb::Chunk::kNodes,
        pb::Chunk::kEdges, pb::Chunk::kTypes, pb::Chunk::kRoots,
        pb::Chunk::kVocabulary, pb::Chunk::kGraphEnd})
    EXPECT_EQ(Lines(arrays, body), Lines(objects, body));
}

TEST(NdjsonWriter, TablesComeBack) {
  const auto before = ParseStream(kStream);
  const auto after = Read(WriteText(""));
  // Tables without strings are exactly the same.
  for (const auto body : {pb::Chunk::kSamples, pb::Chunk::kTraceNodes})
    EXPECT_EQ(Lines(before, body), Lines(after, body));
  const auto find = [](const std::vector<pb::Chunk>& chunks,
                       pb::Chunk::BodyCase body) {
    return *std::find_if(
        chunks.begin(), chunks.end(),
        [&](const pb::Chunk& chunk) { return chunk.body_case() == body; });
  };
  const auto same = [&](pb::Chunk::BodyCase body, const auto& columns) {
    columns(find(before, body), find(after, body));
  };
  same(pb::Chunk::kGraph, [](const pb::Chunk& a, const pb::Chunk& b) {
    EXPECT_EQ(ToText(a), ToText(b));
  });
  same(pb::Chunk::kTypes, [](const pb::Chunk& a, const pb::Chunk& b) {
    const auto list = [](const auto& column) {
      return std::vector<std::uint64_t>(column.begin(), column.end());
    };
    EXPECT_EQ(list(a.types().id()), list(b.types().id()));
    EXPECT_EQ(list(a.types().super_ref()), list(b.types().super_ref()));
    EXPECT_EQ(list(a.types().class_node_ref()),
              list(b.types().class_node_ref()));
    EXPECT_EQ(list(a.types().field_count()), list(b.types().field_count()));
    EXPECT_EQ(list(a.types().field_flags()), list(b.types().field_flags()));
    EXPECT_EQ(list(a.types().field_slot()), list(b.types().field_slot()));
  });
  same(pb::Chunk::kRoots, [](const pb::Chunk& a, const pb::Chunk& b) {
    pb::Roots x = a.roots(), y = b.roots();
    for (pb::Roots* const roots : {&x, &y}) {
      roots->clear_label();
      roots->clear_container_ref();
      roots->clear_container_id();
      roots->clear_thread_ref();
      roots->clear_frame_number();
    }
    EXPECT_EQ(x.ShortDebugString(), y.ShortDebugString());
  });
  same(pb::Chunk::kGraphEnd, [](const pb::Chunk& a, const pb::Chunk& b) {
    EXPECT_EQ(ToText(a), ToText(b));
  });
}

TEST(NdjsonWriter, NodesAndEdgesComeBack) {
  const auto before = ParseStream(kStream);
  const auto after = Read(WriteText(""));
  // The numbers of strings come after those of names; all else is the same.
  std::uint64_t shift = 0;
  for (const pb::Chunk& chunk : after)
    if (chunk.has_strings() && chunk.strings().names())
      shift += static_cast<std::uint64_t>(chunk.strings().length_size());
  const auto nodes = [&](const std::vector<pb::Chunk>& chunks,
                         std::uint64_t moved) {
    std::string text;
    for (pb::Chunk chunk : chunks) {
      if (!chunk.has_nodes()) continue;
      pb::Nodes& rows = *chunk.mutable_nodes();
      for (int i = 0; i < rows.value_size(); ++i) {
        const std::uint32_t form = rows.value_form(i);
        const bool is_text = form == pb::V_LATIN1 || form == pb::V_UTF16 ||
                             form == pb::V_NAME || form == pb::V_UTF8;
        if (is_text && rows.value(i) != 0)
          rows.set_value(i, rows.value(i) - moved);
      }
      for (auto& name : *rows.mutable_name())
        if (name != 0) name -= moved;
      text += ToText(chunk);
    }
    return text;
  };
  EXPECT_EQ(nodes(before, 0), nodes(after, shift));
  std::string edges[2];
  for (const auto* const chunks : {&before, &after}) {
    for (pb::Chunk chunk : *chunks) {
      if (!chunk.has_edges()) continue;
      pb::Edges& rows = *chunk.mutable_edges();
      if (chunks == &after && rows.name_size() > 0 && rows.name(0) != 0)
        rows.set_name(0, rows.name(0) - shift);
      edges[chunks == &after] += ToText(chunk);
    }
  }
  EXPECT_EQ(edges[0], edges[1]);
}

// A graph without a vocabulary does not get the one of another graph.
TEST(NdjsonWriter, GraphsHaveNoWordsButTheirOwn) {
  const auto spaces = [](const std::vector<pb::Chunk>& chunks) {
    std::string text;
    for (const pb::Chunk& chunk : chunks) {
      if (chunk.has_graph()) text += "|";
      if (chunk.has_vocabulary())
        text += std::to_string(chunk.vocabulary().space());
    }
    return text;
  };
  const std::string before = spaces(ParseStream(kStream));
  EXPECT_TRUE(before.ends_with("|")) << before;
  EXPECT_EQ(spaces(Read(WriteText(""))), before);
}

TEST(NdjsonWriter, ValuesComeBack) {
  const auto before = ParseStream(kStream);
  const auto after = Read(WriteText(""));
  // The numbers of all strings grow by the number of names before them.
  std::uint64_t shift = 0;
  for (const pb::Chunk& chunk : after)
    if (chunk.has_strings() && chunk.strings().names())
      shift += static_cast<std::uint64_t>(chunk.strings().length_size());
  const auto rows = [](const std::vector<pb::Chunk>& chunks,
                       std::uint64_t moved) {
    std::vector<std::string> texts;
    for (const pb::Chunk& chunk : chunks) {
      if (!chunk.has_values()) continue;
      const pb::Values& values = chunk.values();
      for (int i = 0; i < static_cast<int>(values.count()); ++i) {
        const auto string = [&](std::uint64_t index) {
          return std::to_string(index == 0 ? 0 : index - moved) + " ";
        };
        const bool of_string = values.owner_space() == pb::Values::OF_STRING;
        const std::uint64_t owner = At(values.owner(), i);
        const std::uint32_t form = At(values.form(), i);
        const std::uint64_t value = At(values.value(), i);
        std::string text = std::to_string(values.owner_space()) + ": ";
        text += of_string ? string(owner) : std::to_string(owner) + " ";
        text += string(At(values.key(), i)) + std::to_string(form) + " ";
        text +=
            IsStringForm(form) ? string(value) : std::to_string(value) + " ";
        text += std::to_string(At(values.length(), i)) + " " +
                std::to_string(At(values.encoding(), i));
        texts.push_back(text);
      }
    }
    return texts;
  };
  EXPECT_EQ(rows(before, 0), rows(after, shift));
}

// An array's encoding is the type of its elements.
TEST(NdjsonWriter, ArraysKeepTheTypeOfTheirElements) {
  VectorReader reader(ParseStream(R"(
header { format: "test" }
graph { edges_grouped: true }
strings { first: 1 data: "1234k" length: [4, 1] }
nodes { count: 1 value_form: 16 value: 1 value_encoding: 10 }
values { count: 1 key: 2 form: 16 value: 1 encoding: 8 }
graph_end { nodes: 1 values: 1 }
footer { graphs: 1 strings: 3 }
)"));
  Context context;
  int types = 0;
  for (const pb::Chunk& chunk : Read(Write(reader, {}, &context))) {
    if (chunk.has_nodes()) {
      EXPECT_EQ(At(chunk.nodes().value_encoding(), 0), pb::TYPE_INT);
      ++types;
    } else if (chunk.has_values()) {
      EXPECT_EQ(At(chunk.values().encoding(), 0), pb::TYPE_BYTE);
      ++types;
    }
  }
  EXPECT_EQ(types, 2);
}

// A column whose entries are all 0 may be absent.
TEST(NdjsonWriter, TheId0ThatNothingHasComesBack) {
  VectorReader reader(ParseStream(R"(
header { format: "test" }
graph { edges_grouped: true }
nodes { count: 1 }
locations { count: 1 to_form: 2 }
graph_end { nodes: 1 locations: 1 }
footer { graphs: 1 strings: 1 }
)"));
  Context context;
  const std::string file = Write(reader, {}, &context);
  EXPECT_NE(file.find("\n[23,null,0]\n"), std::string::npos) << file;
  std::string locations;
  for (const pb::Chunk& chunk : Read(file))
    if (chunk.has_locations()) locations += ToText(chunk);
  EXPECT_EQ(locations, "locations { count: 1 to_form: [2] }\n");
}

// Without a column the id would be the index + 1.
TEST(NdjsonWriter, TheId0OfANodeComesBack) {
  VectorReader reader(ParseStream(R"(
header { format: "test" }
graph { id_space: OPAQUE }
nodes { count: 1 id: [0] }
graph_end { nodes: 1 }
footer { graphs: 1 strings: 1 }
)"));
  Context context;
  const std::string file = Write(reader, {}, &context);
  EXPECT_EQ(Lines(Read(file), pb::Chunk::kNodes),
            "nodes { count: 1 id: [0] }\n");
  EXPECT_EQ(RoundTrip(file), file);
}

TEST(NdjsonWriter, MetadataThatLooksLikeOursComesBack) {
  const auto metadata = [](const std::vector<pb::Chunk>& chunks) {
    std::string text;
    for (const pb::Chunk& chunk : chunks)
      for (const pb::Metadata::Entry& entry : chunk.metadata().entry())
        text += entry.key().data() + "=" + entry.value().data() + "\n";
    return text;
  };
  EXPECT_EQ(metadata(ParseStream(kStream)),
            metadata(Read(WriteText("1;shape=object"))));
}

TEST(NdjsonWriter, ItsOwnFilesComeBack) {
  for (const char* profile : {"", "1;shape=object"}) {
    const std::string file = WriteText(profile);
    EXPECT_EQ(RoundTrip(file), file);
  }
}

TEST(NdjsonWriter, IdsAreSafeForJavaScript) {
  const std::string file = WriteText("");
  EXPECT_NE(file.find("\"0xffffffffffffffff\""), std::string::npos);
  EXPECT_EQ(file.find("18446744073709551615"), std::string::npos);
}

// Including numbers in records of unknown types that are rewritten.
TEST(NdjsonWriter, NumbersAreSafeForJavaScriptInOtherLayouts) {
  const std::string head =
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":9,"name":"my.x","fields":[["a.u","u64"],["a.i","i64"],["a.a","addr"],["a.f","f64"],["a.j","json"]]}
)";
  const struct {
    std::string line;
    std::string values[5];
  } cases[] = {
      {"[9,18446744073709551615,-9223372036854775808,18446744073709551615,"
       "18446744073709551615,18446744073709551615]",
       {R"("0xffffffffffffffff")", R"("-0x8000000000000000")",
        R"("0xffffffffffffffff")", "18446744073709551615",
        "18446744073709551615"}},
      {"[9,9007199254740991,-9007199254740991,7,-0.5,[1]]",
       {"9007199254740991", "-9007199254740991", R"("0x7")", "-0.5", "[1]"}},
      {R"([9,9007199254740992,-9007199254740992,"0x7","NaN",{}])",
       {R"("0x20000000000000")", R"("-0x20000000000000")", R"("0x7")",
        R"("NaN")", "{}"}},
  };
  constexpr const char* kNames[] = {"a.u", "a.i", "a.a", "a.f", "a.j"};
  for (const auto& test : cases) {
    std::string array = "[9", object = R"({"type":"my.x")";
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
      array += "," + test.values[i];
      object += std::string(",\"") + kNames[i] + "\":" + test.values[i];
    }
    array += "]";
    object += "}";
    const std::string written =
        ConvertNdjson(head + test.line + "\n", {.layout = "object"});
    EXPECT_NE(written.find("\n" + object + "\n"), std::string::npos) << written;
    const std::string again = ConvertNdjson(written, {.layout = "array"});
    EXPECT_NE(again.find("\n" + array + "\n"), std::string::npos) << again;
  }
}

TEST(NdjsonWriter, NoFileNoNodes) {
  VectorReader reader(ParseStream(
      "header { }\ngraph { }\ngraph_end { }\nfooter { graphs: 1 strings: 1 }"));
  Context context;
  const std::string file = Write(reader, {}, &context);
  EXPECT_EQ(RoundTrip(file), file);
}

TEST(NdjsonProfile, TakesAnything) {
  for (const std::string profile :
       {"2", ";;;", "1;shape=", "\xff;bom", "1;shape=object;keys=",
        "1;shape=object;keys=node", "1;shape=object;keys=node/object:",
        "1;shape=object;keys=node:subtype,,hg.id,type,type,hg.id;keys=:;keys=/"
        ":,",
        "1;shape=object;keys=metadata:value;keys=metadata:key,key,type",
        "1;shape=object;sorted;keys=node:;keys=sorted"}) {
    EXPECT_FALSE(WriteText(profile).empty());
  }
}

// A file with records grouped by kind, more of each than the sample at the
// beginning contains.
std::string InSections(bool objects) {
  std::string file =
      R"({"type":"metadata","key":"version_major","value":"1"})"
      "\n"
      R"({"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]})"
      "\n"
      R"({"type":"subtype","of":"node","code":1,"name":"object","fields":[]})"
      "\n"
      R"({"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"],["label","stringid"]]})"
      "\n"
      R"({"type":"subtype","of":"edge","code":1,"name":"object property","fields":[]})"
      "\n"
      R"({"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]})"
      "\n";
  constexpr int kRecords = 5000;
  const auto odd = [](int i) { return std::to_string(2 * i + 101); };
  for (int i = 0; i < kRecords; ++i) {
    const std::string id = std::to_string(i);
    file += objects ? R"({"data": "\"node\" edge )" + id + R"(", "id": ")" +
                          id + "\", \"type\": \"string\"}\n"
                    : "[4, \"" + id + "\", \"n\"]\n";
  }
  for (int i = 0; i < kRecords; ++i)
    file += objects
                ? R"({"identifier": "0x)" + odd(i % 10) + std::to_string(i) +
                      R"(1", "subtype": "object", "type": "node"})" + "\n"
                : "[2, \"0x" + odd(i % 10) + std::to_string(i) + "1\", 1]\n";
  for (int i = 0; i < kRecords; ++i) {
    const std::string id = "\"0x" + odd(i % 10) + std::to_string(i) + "1\"";
    file += objects
                ? R"({"label": "7", "dest": )" + id + R"(, "source": )" + id +
                      R"(, "subtype": "object property", "type": "edge"})" +
                      "\n"
                : "[3, 1, " + id + ", " + id + ", \"7\"]\n";
  }
  return file;
}

TEST(NdjsonProfile, SeesWhatStandsFarBehind) {
  for (const bool objects : {false, true}) {
    const std::string file = InSections(objects);
    const auto source = ByteSource::FromMemory(file);
    const std::string profile = kNdjsonWriter.profile(*source);
    for (const char* part : {";ids=hex", ";string_ids=dec", ";comma=space"})
      EXPECT_NE(profile.find(part), std::string::npos) << profile;
    EXPECT_EQ(profile.find(";keys=edge") != std::string::npos, objects)
        << profile;
  }
}

// Python sorts the keys of all records, also of subtypes that come late and of
// undeclared ones.
TEST(NdjsonProfile, SeesThatKeysAreSorted) {
  std::string file =
      R"({"type":"metadata","key":"version_major","value":"1"})"
      "\n"
      R"({"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]})"
      "\n"
      R"({"type":"subtype","of":"node","code":1,"name":"object","fields":[]})"
      "\n"
      R"({"type":"subtype","of":"node","code":2,"name":"regular expression","fields":[["source","value"],["flags","value"]]})"
      "\n";
  for (int i = 0; i < 2000; ++i)
    file += R"({"identifier":)" + std::to_string(2 * i + 1) +
            R"(,"subtype":"object","type":"node"})" + "\n";
  file +=
      R"({"flags":3,"identifier":9001,"source":5,"subtype":"regular expression","type":"node"})"
      "\n"
      R"({"gen.new":"a","identifier":9003,"subtype":"object","type":"node"})"
      "\n";
  const auto source = ByteSource::FromMemory(file);
  const std::string profile = kNdjsonWriter.profile(*source);
  EXPECT_NE(profile.find(";sorted;keys=metadata:type,key,value"),
            std::string::npos)
      << profile;
  EXPECT_TRUE(RoundTrip(file) == file);
}

// An exponent in a shortest double, which has up to 17 digits, does not imply
// the style f64=e10.
TEST(NdjsonProfile, LosesNoDigits) {
  const std::string head =
      R"({"type":"metadata","key":"version_major","value":"1"})"
      "\n"
      R"({"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]})"
      "\n"
      R"({"type":"subtype","of":"node","code":1,"name":"heap number","fields":[["value","f64"]]})"
      "\n";
  const auto node = [](const std::string& value) {
    return R"({"type":"node","identifier":3,"subtype":"heap number","value":)" +
           value + "}\n";
  };
  for (const char* const value :
       {"1.7491938501001913e-07", "1.0052016000e+01", "1e-07"}) {
    const std::string file = head + node(value);
    EXPECT_EQ(RoundTrip(file), file);
  }
  // The first number has ten decimals, and the second one has more.
  const std::string more = R"({"type":"node","identifier":5,)"
                           R"("subtype":"heap number","value":0.1234567890123})"
                           "\n";
  const std::string file = head + node("1.0052016000e+01") + more;
  EXPECT_EQ(RoundTrip(file), file);
}

// Text that looks like an exponent in Python's format is not one.
TEST(NdjsonProfile, TakesNoTextForAnExponent) {
  const std::string file =
      R"({"type":"metadata","key":"version_major","value":"1"})"
      "\n"
      R"({"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]})"
      "\n"
      R"([4,1,"image-07, 5e-07x, 5e-07"])"
      "\n";
  const auto source = ByteSource::FromMemory(file);
  const std::string profile = kNdjsonWriter.profile(*source);
  EXPECT_EQ(profile.find("f64"), std::string::npos) << profile;
}

// A hostile file may have any number of keys and fields with one name.
TEST(NdjsonProfile, OrdersManyKeysOfOneName) {
  constexpr int kFields = 3000;
  draft::Style style;
  style.object = true;
  style.orders.push_back({.type = "node",
                          .subtype = "",
                          .keys = std::vector<std::string>(64, "x")});
  draft::Type type;
  type.name = "node";
  for (int i = 0; i < kFields; ++i)
    type.layout.Add(
        {.name = i == kFields - 1 ? "y" : "x", .type = draft::FieldType::kU64});
  std::string text;
  const auto sink = ByteSink::ToString(&text);
  draft::LineWriter lines(*sink, style);
  lines.BeginFile({});
  for (int record = 0; record < 100; ++record) {
    lines.Begin(type, nullptr);
    for (int i = 0; i < kFields; ++i) lines.Uint(static_cast<std::uint64_t>(i));
    lines.End();
  }
  EXPECT_TRUE(lines.EndFile(nullptr).ok());
  // Neither "type" nor "y" is among the keys of the order.
  EXPECT_TRUE(text.starts_with(R"({"x":0,"x":1,"x":2,)"));
  EXPECT_NE(text.find(R"("x":2998,"type":"node","y":2999})"),
            std::string::npos);
}

// A word that the profile searches for, repeated in a line that it skips.
TEST(NdjsonProfile, DoesNotLookBackAgainAndAgain) {
  std::string file = InSections(true);
  file.resize(file.find(R"({"identifier")"));
  file += R"({"type":"x.blob","j":[")" + std::string(70'000, 'a') + '"';
  for (int i = 0; i < 300'000; ++i) file += R"(,"node")";
  file += "]}\n";
  file += R"({"identifier":"0x11","subtype":"object",)"
          R"("type":"node"})"
          "\n";
  const auto source = ByteSource::FromMemory(file);
  const std::string profile = kNdjsonWriter.profile(*source);
  EXPECT_NE(profile.find(";ids=hex"), std::string::npos) << profile;
}

TEST(NdjsonWriter, WhatStandsBehindALineWithoutEndIsALine) {
  const std::string file =
      R"({"type":"metadata","key":"version_major","value":"1"})"
      "\n"
      R"({"type":"node","subtype":"object","identifier":3})"
      "\n"
      R"({"type":"x.note","a":1})";
  EXPECT_EQ(RoundTrip(file), file);
  const auto source = ByteSource::FromMemory(file);
  Context context;
  const auto reader = kNdjsonReader.make(*source, context);
  const std::string written = Write(
      *reader, {.native = true, .profile = "1;shape=object;all"}, &context);
  EXPECT_NE(written.find(R"({"type":"x.note","a":1})"
                         "\n"
                         R"({"type":"hg.trailer","records":3)"),
            std::string::npos)
      << written;
}

// The writer does not buffer a long text to write later keys first.
TEST(NdjsonProfile, LeavesTheOrderOfLongRecords) {
  for (const std::string_view text : {"x", "\xE4\xB8\xAD", "\\n"}) {
    std::string data;
    while (data.size() < 3'000'000) data += text;
    const std::string file =
        R"({"type":"metadata","key":"version_major","value":"1"})"
        "\n"
        R"({"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]})"
        "\n"
        R"({"data":"short","id":1,"type":"string"})"
        "\n"
        R"({"data":")" +
        data +
        R"(","id":2,"type":"string"})"
        "\n";
    const std::string written = RoundTrip(file);
    EXPECT_NE(written.find(R"({"data":"short","id":1,"type":"string"})"),
              std::string::npos);
    EXPECT_NE(written.find(R"({"type":"string","id":2,"data":")" + data),
              std::string::npos);
    EXPECT_EQ(written.size(), file.size());
  }
}

// Files of the corpus without oddities that need a patch.
class NdjsonSameBytes : public ::testing::TestWithParam<fs::path> {};

std::vector<fs::path> PlainFiles() {
  std::vector<fs::path> files;
  for (const auto& file :
       fs::directory_iterator(fs::path(HEAPGLOT_CORPUS_DIR) / "ndjson/good")) {
    if (!file.path().stem().string().starts_with("odd-"))
      files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_P(NdjsonSameBytes, ByProfileAlone) {
  std::ifstream in(GetParam(), std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  // Prints no difference of files of megabytes.
  const std::string written = RoundTrip(file);
  if (file.size() < 100'000)
    EXPECT_EQ(written, file);
  else
    EXPECT_TRUE(written == file);
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, NdjsonSameBytes, ::testing::ValuesIn(PlainFiles()),
    [](const ::testing::TestParamInfo<fs::path>& test) {
      std::string name = test.param.stem().string();
      std::replace_if(
          name.begin(), name.end(),
          [](unsigned char byte) { return std::isalnum(byte) == 0; }, '_');
      return name;
    });

}  // namespace
}  // namespace heapglot
