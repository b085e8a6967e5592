// Columns of the draft that the writer computes.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/sqlite/database.h"
#include "heapglot/convert.h"
#include "tests/sqlite/ask.h"

namespace heapglot {
namespace {

// A database converted from a dump.
class Filled {
 public:
  // A file of the corpus.
  Filled(const std::string& path, const char* from) {
    Result<std::unique_ptr<ByteSource>> dump = ByteSource::Open(
        std::string(HEAPGLOT_CORPUS_DIR) + "/" + path, Limits());
    EXPECT_TRUE(dump.ok()) << dump.status().ToString();
    Fill(**dump, from);
  }
  explicit Filled(const std::string& ndjson) {
    Fill(*ByteSource::FromMemory(ndjson), "ndjson");
  }

  // The dump as ndjson, made from the tables alone.
  std::string Lines() {
    std::string bytes;
    const auto sink = ByteSink::ToString(&bytes);
    Context context;
    const Status status = Convert(*source_, *sink,
                                  {.from = FindReader("sqlite"),
                                   .to = FindWriter("ndjson"),
                                   .embed = false},
                                  context);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return bytes;
  }

  std::string Ask(const std::string& sql) { return AskFirst(*database_, sql); }

 private:
  void Fill(const ByteSource& dump, const char* from) {
    const auto sink = ByteSink::ToString(&bytes_);
    Context context;
    const Status status = Convert(
        dump, *sink,
        {.from = FindReader(from), .to = FindWriter("sqlite"), .embed = false},
        context);
    EXPECT_TRUE(status.ok()) << status.ToString();
    source_ = ByteSource::FromMemory(bytes_);
    auto database = sqlite::Database::Open("test", *source_);
    EXPECT_TRUE(database.ok()) << database.status().ToString();
    database_ = std::move(*database);
  }

  std::string bytes_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<sqlite::Database> database_;
};

TEST(SqliteFill, CountsUnitsOfTexts) {
  Filled database("heapsnapshot/good/chromium156-scopes.heapsnapshot",
                  "heapsnapshot");
  // The string has nine units, the last one a lone surrogate.
  EXPECT_EQ(database.Ask("SELECT length FROM string_flat"), "18");
}

TEST(SqliteFill, HasTheFieldsOfTheDraft) {
  Filled database("ndjson/good/draft-all.ndjson", "ndjson");
  const std::pair<const char*, const char*> expected[] = {
      {"SELECT constructor FROM object WHERE node_identifier = 3", "5"},
      {"SELECT metadata FROM closure WHERE node_identifier = 5", "7"},
      {"SELECT name FROM function_metadata", "9"},
      {"SELECT script_name FROM function_metadata", "11"},
      {"SELECT position FROM function_metadata", "2892"},
      {"SELECT length FROM string_flat WHERE node_identifier = 9", "14"},
      {"SELECT length FROM string_cons", "32"},
      {"SELECT s1 FROM string_cons", "15"},
      {"SELECT s2 FROM string_cons", "9"},
      {"SELECT source FROM string_sliced", "15"},
      {"SELECT offset FROM string_sliced", "12"},
      {"SELECT source FROM regular_expression", "25"},
      {"SELECT flags FROM regular_expression", "27"},
      {"SELECT timestamp FROM date", "31"},
      {"SELECT printf('%x', address) FROM native", "fffffd7fff3a0000"},
      {"SELECT group_concat(data) FROM oddball JOIN strings ON stringid = name",
       "undefined,null,true,the_hole"},
      {"SELECT count(*) FROM nodes WHERE kind = 'date' AND number IS NULL",
       "1"},
      {"SELECT number FROM nodes WHERE kind = 'native'",
       "1.84467413249175e+19"},
  };
  // Our own ndjson files give the same.
  Filled again(database.Lines());
  for (const auto& [sql, value] : expected) {
    EXPECT_EQ(database.Ask(sql), value) << sql;
    EXPECT_EQ(again.Ask(sql), value) << sql;
  }
}

// A file of the draft that declares fields of these types, and then `records`.
std::string Draft(const std::string& timestamp, const std::string& pattern,
                  const std::string& records) {
  return R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
{"type":"subtype","of":"node","code":1,"name":"date","fields":[["timestamp",")" +
         timestamp + R"("]]}
{"type":"subtype","of":"node","code":2,"name":"regular expression","fields":[["source",")" +
         pattern + R"("],["flags",")" + pattern + R"("]]}
{"type":"subtype","of":"node","code":3,"name":"concatenated string","fields":[]}
{"type":"subtype","of":"node","code":4,"name":"function metadata","fields":[["name","stringid"]]}
[4,1,"a+b"]
[4,2,"gi"]
)" + records;
}

TEST(SqliteFill, HasDatesOfAllTypes) {
  const struct {
    const char* type;
    const char* timestamp;
    const char* column;
    const char* number;
  } cases[] = {
      {"f64", "1455839362000.5", "1455839362000.5", "1455839362000.5"},
      {"f64", "-0.0", "0", "0"},
      {"f64", "\"NaN\"", "", ""},
      {"f64", "1437148542343.0", "1437148542343", "1437148542343"},
      {"i64", "-7", "-7", "-7"},
      {"i64", "1437148542343", "1437148542343", "1437148542343"},
      // A value of the draft is twice a small integer, or the identifier of a
      // node.
      {"value", "84", "84", "42"},
      {"value", "-84", "-84", "-42"},
      {"value", "7", "5", ""},
  };
  for (const auto& [type, timestamp, column, number] : cases) {
    const std::string dump = Draft(
        type, "value", std::string("[2,3,1,") + timestamp + "]\n[2,7,3]\n");
    Filled database(dump);
    Filled again(database.Lines());
    for (Filled* const filled : {&database, &again}) {
      EXPECT_EQ(filled->Ask("SELECT timestamp FROM date"), column) << timestamp;
      EXPECT_EQ(filled->Ask("SELECT number FROM nodes WHERE kind = 'date'"),
                number)
          << timestamp;
    }
  }
}

// One of our own files may state the form of a value twice.
TEST(SqliteFill, HasAddressesThatAreSaidToBeSuch) {
  Filled database(
      R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":0,"name":"native","fields":[["address","addr"],["hg.encoding","u32"]]}
{"type":"type","code":10,"name":"hg.graph","fields":[]}
{"type":"type","code":12,"name":"hg.word","fields":[["space","u32"],["known","u64"]]}
[10]
[12,0,9]
[2,3,0,"0x10",4]
[2,5,0]
[2,7,0,"0x20"]
)");
  EXPECT_EQ(
      database.Ask("SELECT group_concat(ifnull(address, '-')) FROM native"),
      "16,-,32");
  EXPECT_EQ(database.Ask("SELECT count(\"hg.encoding\") FROM node"), "0");
}

TEST(SqliteFill, HasPatternsOfAllTypes) {
  const std::string texts =
      Draft("f64", "stringid", "[2,5,2,1,2]\n[2,7,4,2]\n");
  Filled strings(texts);
  const auto text_of = [](const std::string& column, const std::string& table) {
    return "SELECT data FROM " + table +
           " JOIN strings ON stringid = " + column;
  };
  EXPECT_EQ(strings.Ask(text_of("source", "regular_expression")), "a+b");
  EXPECT_EQ(strings.Ask(text_of("flags", "regular_expression")), "gi");
  EXPECT_EQ(strings.Ask(text_of("name", "function_metadata")), "gi");
  EXPECT_EQ(strings.Ask("SELECT text FROM nodes WHERE kind = 'regular "
                        "expression'"),
            "a+b");
  // A text that refers to a node has no string.
  const std::string nodes =
      Draft("f64", "value", "[2,5,2,7,9]\n[2,7,3]\n[2,9,3]\n");
  Filled made(nodes);
  EXPECT_EQ(made.Ask("SELECT source FROM regular_expression"), "5");
  EXPECT_EQ(made.Ask("SELECT flags FROM regular_expression"), "7");
}

TEST(SqliteFill, KnowsWhatReferencesOfV8Mean) {
  Filled database("heapsnapshot/good/known-node12.heapsnapshot.zst",
                  "heapsnapshot");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM string_cons WHERE s1 IS NULL OR "
                         "s2 IS NULL"),
            "0");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM closure WHERE metadata NOT IN "
                         "(SELECT node_identifier FROM function_metadata)"),
            "0");
  // The heap stores the same name twice: of the function in its metadata, and
  // of the closure.
  EXPECT_EQ(
      database.Ask(
          "SELECT count(*) > 50 FROM closure c JOIN function_metadata f ON "
          "f.node_identifier = c.metadata JOIN nodes n ON n.node = f.name JOIN "
          "nodes o ON o.node = c.node_identifier WHERE n.text = o.name"),
      "1");
  EXPECT_EQ(database.Ask("SELECT count(*) > 0 FROM function_metadata f JOIN "
                         "nodes n ON n.node = f.script_name WHERE n.text LIKE "
                         "'%.js'"),
            "1");
  EXPECT_EQ(
      database.Ask("SELECT count(*) > 0 FROM object o JOIN nodes c ON "
                   "c.node = o.constructor JOIN nodes n ON n.node = "
                   "o.node_identifier WHERE n.name = 'Account' AND c.name "
                   "= 'Account'"),
      "1");
}

// The same code is an internal edge in one graph and a property in the other.
TEST(SqliteFill, GoesByTheWordsOfTheGraph) {
  const auto made_of = [](pb::EdgeKind first, pb::EdgeKind second) {
    Filled database(R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"metadata","key":"hg.strings","value":"2"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":0,"name":"concatenated string","fields":[]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"],["label","stringid"]]}
{"type":"subtype","of":"edge","code":0,"name":"object property","fields":[]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
{"type":"type","code":10,"name":"hg.graph","fields":[]}
{"type":"type","code":12,"name":"hg.word","fields":[["space","u32"],["known","u64"]]}
[4,2,"first"]
[10]
[12,0,11]
[12,1,)" + std::to_string(first) +
                    R"(]
[2,3,0]
[3,0,3,3,2]
[10]
[12,0,11]
[12,1,)" + std::to_string(second) +
                    R"(]
[2,5,0]
[3,0,5,5,2]
)");
    return database.Ask(
        "SELECT group_concat(ifnull(s1, '-')) FROM "
        "(SELECT s1 FROM string_cons ORDER BY 1 DESC)");
  };
  EXPECT_EQ(made_of(pb::EDGE_INTERNAL, pb::EDGE_PROPERTY), "3,-");
  EXPECT_EQ(made_of(pb::EDGE_PROPERTY, pb::EDGE_INTERNAL), "5,-");
  EXPECT_EQ(made_of(pb::EDGE_INTERNAL, pb::EDGE_INTERNAL), "5,3");
}

// One of our own files, without rows.
constexpr char kOfOurs[] =
    R"({"type":"metadata","key":"version_major","value":"1"}
{"type":"metadata","key":"hg.stream","value":"1"}
{"type":"metadata","key":"hg.strings","value":"4"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":0,"name":"any","fields":[]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"]]}
{"type":"subtype","of":"edge","code":0,"name":"object property","fields":[]}
{"type":"type","code":4,"name":"string","fields":[["id","stringid"],["data","utf8"]]}
{"type":"type","code":10,"name":"hg.graph","fields":[]}
{"type":"type","code":12,"name":"hg.word","fields":[["space","u32"],["known","u64"]]}
{"type":"type","code":15,"name":"hg.value","fields":[["space","u32"],["owner","u64"],["key","stringid"],["form","u32"],["value","u64"],["text","stringid"]]}
)";

// Values that one of our own files has for the second of three nodes, under the
// names of fields of the draft. Small integers become values of the draft,
// twice as large, except in some columns; doubles become none. The fourth edge
// has the same number as the first node. With several graphs nothing is filled
// in, since a reference counts from the first node of its own graph.
TEST(SqliteFill, HasFurtherValuesOfOneGraph) {
  const struct {
    pb::NodeKind kind;
    const char* table;
    const char* key;
    pb::ValueForm form;
    const char* value;
    const char* expected;
  } cases[] = {
      // One of our own fields has that column already.
      {pb::NODE_ARRAY, "array", "length", pb::V_INT, "7", ""},
      {pb::NODE_DATE, "date", "timestamp", pb::V_INT, "7", "7"},
      {pb::NODE_DATE, "date", "timestamp", pb::V_DOUBLE, "4619567317775286272",
       ""},
      {pb::NODE_NATIVE, "native", "address", pb::V_UINT, "16", "16"},
      {pb::NODE_NATIVE, "native", "address", pb::V_INT, "16", "16"},
      {pb::NODE_NATIVE, "native", "address", pb::V_NODE, "2", "7"},
      {pb::NODE_SLICED_STRING, "string_sliced", "offset", pb::V_INT, "7", "14"},
      {pb::NODE_SLICED_STRING, "string_sliced", "offset", pb::V_INT, "null",
       "0"},
      {pb::NODE_SLICED_STRING, "string_sliced", "offset", pb::V_UINT, "7", ""},
      {pb::NODE_SLICED_STRING, "string_sliced", "offset", pb::V_DOUBLE,
       "4619567317775286272", ""},
      {pb::NODE_SLICED_STRING, "string_sliced", "source", pb::V_NODE, "2", "7"},
      {pb::NODE_SLICED_STRING, "string_sliced", "source", pb::V_NODE, "null",
       "3"},
      {pb::NODE_FUNCTION_META, "function_metadata", "name", pb::V_STRING_ID,
       "null,4", "12"},  // strings of the file come after its names
      {pb::NODE_FUNCTION_META, "function_metadata", "name", pb::V_UTF8,
       "null,4", ""},
  };
  for (const auto& [kind, table, key, form, value, expected] : cases) {
    const std::string dump = kOfOurs + std::string(R"([4,2,")") + key + R"("]
[4,4,"a"]
[10]
[12,0,)" + std::to_string(kind) +
                             R"(]
[2,3,0]
[2,5,0]
[2,7,0]
[3,0,3,3]
[3,0,3,5]
[3,0,5,5]
[3,0,7,3]
[15,1,3,2,3,77]
[15,0,5,2,)" + std::to_string(form) +
                             "," + value + "]\n";
    const std::string filled =
        "SELECT group_concat(node_identifier || ' ' || " + std::string(key) +
        ") FROM " + table + " WHERE " + key + " IS NOT NULL";
    Filled one(dump);
    EXPECT_EQ(one.Ask(filled),
              *expected == 0 ? "" : "5 " + std::string(expected))
        << key << " " << form << " " << value;
    Filled two(dump + "[10]\n[2,9,0]\n");
    EXPECT_EQ(two.Ask("SELECT count(*) FROM hg_graph"), "2");
    EXPECT_EQ(two.Ask(filled), "") << key;
  }
}

TEST(SqliteFill, DoesNotSayWhatMayHaveBeenCut) {
  Filled database("heapsnapshot/good/known-node12.heapsnapshot.zst",
                  "heapsnapshot");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM string_flat WHERE length >= 2 * "
                         "1024"),
            "0");
  EXPECT_EQ(
      database.Ask("SELECT count(*) FROM nodes n JOIN string_flat f ON "
                   "f.node_identifier = n.node WHERE f.length IS NULL AND "
                   "length(n.text) < 512"),
      "0");
}

}  // namespace
}  // namespace heapglot
