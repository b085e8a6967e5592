// The SQLite form, where the conformance tests do not cover it.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "core/check_sink.h"
#include "core/sqlite/database.h"
#include "core/sqlite/page_store.h"
#include "heapglot/convert.h"
#include "readers/sqlite/sqlite_reader.h"
#include "readers/sqlite/sqlite_render.h"
#include "readers/sqlite/sqlite_schema.h"
#include "tests/sanitized.h"
#include "tests/sqlite/ask.h"
#include "writers/sqlite/sqlite_writer.h"

namespace heapglot {
namespace {

std::unique_ptr<ByteSource> OpenCorpus(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> source =
      ByteSource::Open(std::string(HEAPGLOT_CORPUS_DIR) + "/" + path, Limits());
  EXPECT_TRUE(source.ok()) << source.status().ToString();
  return std::move(*source);
}

std::string ConvertTo(const ByteSource& source, const char* from,
                      const char* to, bool embed = false) {
  std::string bytes;
  const auto sink = ByteSink::ToString(&bytes);
  Context context;
  const Status status =
      Convert(source, *sink,
              {.from = FindReader(from), .to = FindWriter(to), .embed = embed},
              context);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return bytes;
}

// A database in a string, for queries.
class Loaded {
 public:
  explicit Loaded(std::string bytes)
      : bytes_(std::move(bytes)), source_(ByteSource::FromMemory(bytes_)) {
    auto database = sqlite::Database::Open("test", *source_);
    EXPECT_TRUE(database.ok()) << database.status().ToString();
    database_ = std::move(*database);
  }

  // The first column of the first row; "" if there is none.
  std::string Ask(const std::string& sql) { return AskFirst(*database_, sql); }
  sqlite::Database& database() { return *database_; }

 private:
  const std::string bytes_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<sqlite::Database> database_;
};

Status ReadAll(const std::string& bytes, Context& context) {
  const auto source = ByteSource::FromMemory(bytes);
  CheckSink sink(ChunkSet::All());
  return kSqliteReader.make(*source, context)->Read(ChunkSet::All(), sink);
}

Status ReadAll(const std::string& bytes) {
  Context context;
  return ReadAll(bytes, context);
}

std::string DraftOnly() {
  return std::string(OpenCorpus("sqlite/good/draft-only.sqlite.gz")->bytes());
}

// A database as another program would make it, with `sql`.
std::string Made(const std::string& sql) {
  auto database = sqlite::Database::Create("test", 512);
  EXPECT_TRUE(database.ok()) << database.status().ToString();
  const Status status = (*database)->Run(sql);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE((*database)->Commit().ok());
  std::string bytes;
  const auto sink = ByteSink::ToString(&bytes);
  EXPECT_TRUE((*database)->CopyTo(*sink).ok());
  return bytes;
}

std::string LinesOf(const std::string& bytes) {
  return ConvertTo(*ByteSource::FromMemory(bytes), "sqlite", "ndjson");
}

// The draft's records that a database is read as, one per line.
std::string RecordsOf(const std::string& bytes) {
  const auto source = ByteSource::FromMemory(bytes);
  Context context;
  auto database = sqlite::Database::Open("sqlite", *source);
  EXPECT_TRUE(database.ok()) << database.status().ToString();
  sqlite::DatabaseSchema schema;
  Status status = schema.Read(**database);
  EXPECT_TRUE(status.ok()) << status.ToString();
  std::string lines;
  const auto sink = ByteSink::ToString(&lines);
  sqlite::Renderer renderer(*source, **database, schema, context, *sink);
  status = renderer.Run();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return lines;
}

// "code: count" of all findings.
std::string FindingsOf(const std::string& bytes) {
  Context context;
  const Status status = ReadAll(bytes, context);
  EXPECT_TRUE(status.ok()) << status.ToString();
  std::string all;
  for (const Finding& finding : context.findings())
    all += finding.code + ": " + std::to_string(finding.count) + "\n";
  return all;
}

constexpr const char* kForeign =
    "CREATE TABLE metadata(key, value);"
    "INSERT INTO metadata VALUES('version_major', '1');"
    "CREATE TABLE node_types(nodetypeid INTEGER, name TEXT, table_name TEXT);"
    "CREATE TABLE edge_types(edgetypeid INTEGER, name TEXT);"
    "INSERT INTO edge_types VALUES(1, 'object property');";

TEST(SqliteWriter, HasTheTablesOfTheDraft) {
  const auto dump = OpenCorpus("dartheap/good/quirks-graph.dartheap");
  Loaded database(ConvertTo(*dump, "dartheap", "sqlite"));
  EXPECT_EQ(database.Ask("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(database.Ask("PRAGMA application_id"), "1751412080");
  const std::string_view tables[] = {
      "array",       "closure",      "date",        "edge",
      "edge_types",  "metadata",     "native",      "node",
      "node_types",  "object",       "oddball",     "regular_expression",
      "string_cons", "strings",      "heap_number", "function_metadata",
      "string_flat", "string_sliced"};
  for (const std::string_view table : tables) {
    EXPECT_EQ(database.Ask("SELECT count(*) FROM sqlite_schema WHERE type = "
                           "'table' AND name = '" +
                           std::string(table) + "'"),
              "1")
        << table;
  }
  EXPECT_NE(database.Ask("SELECT count(*) FROM node"), "0");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM edge WHERE source NOT IN "
                         "(SELECT identifier FROM node)"),
            "0");
}

// Fields of the draft keep their names when a database becomes one of our own
// files.
TEST(SqliteReader, ItsDatesAndAddressesAreThoseOfTheDraftInLines) {
  const auto dump = OpenCorpus("sqlite/good/draft-only.sqlite.gz");
  const std::string lines = ConvertTo(*dump, "sqlite", "ndjson");
  for (const char* const part :
       {R"("name":"date","fields":[["timestamp","i64"])",
        R"("name":"native","fields":[["address","addr"])", ",1700000000000",
        R"(,"0x7f0012345678")"})
    EXPECT_NE(lines.find(part), std::string::npos) << part;
}

TEST(SqliteWriter, KeepsWhatSqliteHasNoValueFor) {
  const auto dump = OpenCorpus("dartheap/good/doubles.dartheap");
  Loaded database(ConvertTo(*dump, "dartheap", "sqlite"));
  EXPECT_NE(database.Ask("SELECT count(*) FROM heap_number WHERE value IS NULL "
                         "AND \"hg.bits\" IS NOT NULL"),
            "0");
}

TEST(SqliteWriter, FindsWhoRefersByTheIndex) {
  const auto dump = OpenCorpus("dartheap/good/quirks-graph.dartheap");
  Loaded database(ConvertTo(*dump, "dartheap", "sqlite"));
  Result<sqlite::Statement> plan = database.database().Prepare(
      "EXPLAIN QUERY PLAN SELECT source FROM edges WHERE target = 3");
  ASSERT_TRUE(plan.ok());
  Status status;
  ASSERT_TRUE(plan->Next(&status));
  EXPECT_NE(plan->Bytes(3).find("edge_dest"), std::string_view::npos)
      << plan->Bytes(3);
}

TEST(SqliteReader, TellsACutFile) {
  const std::string bytes = DraftOnly();
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_EQ(ReadAll(bytes.substr(0, size)).code(), Code::kTruncated) << size;
  }
}

TEST(SqliteReader, TellsWhatFollowsThePages) {
  const auto dump = OpenCorpus("dartheap/good/quirks-graph.dartheap");
  const std::string pages = ConvertTo(*dump, "dartheap", "sqlite");
  const std::string whole = ConvertTo(*dump, "dartheap", "sqlite", true);
  ASSERT_GT(whole.size(), pages.size());
  for (const std::string& good :
       {pages, whole, pages + std::string(99, '\0')}) {
    Context context;
    EXPECT_TRUE(ReadAll(good, context).ok());
    EXPECT_TRUE(context.findings().empty());
  }
  const std::string cut = whole.substr(0, whole.size() - 1);
  Context context;
  EXPECT_TRUE(ReadAll(cut, context).ok());
  ASSERT_EQ(context.findings().size(), 1u);
  EXPECT_EQ(context.findings()[0].code, "sqlite.trailing");
  EXPECT_EQ(context.findings()[0].count, 1u);
  EXPECT_EQ(context.findings()[0].message,
            "sqlite: " + std::to_string(cut.size() - pages.size()) +
                " bytes follow the last page");
  EXPECT_EQ(context.findings()[0].where.byte, pages.size());
  Context strict;
  strict.strict = true;
  EXPECT_EQ(ReadAll(cut, strict).code(), Code::kMalformed);
}

TEST(SqliteReader, BelievesTheFileWhereTheHeaderHasNoCountOfPages) {
  std::string bytes = DraftOnly() + "more";
  bytes[27] = static_cast<char>(bytes[27] + 1);  // as an old version does
  Context context;
  EXPECT_TRUE(ReadAll(bytes, context).ok());
  for (const Finding& finding : context.findings())
    EXPECT_NE(finding.code, "sqlite.trailing");
}

TEST(SqliteReader, SurvivesDamage) {
  const std::string bytes = DraftOnly();
  std::mt19937_64 random(1);  // NOLINT: the same damage in every run
  for (int round = 0; round < Rounds(2000); ++round) {
    std::string damaged = bytes;
    for (int change = 0; change < 3; ++change)
      damaged[random() % bytes.size()] = static_cast<char>(random());
    const Status status = ReadAll(damaged);
    EXPECT_NE(status.code(), Code::kInternal) << status.ToString();
    EXPECT_NE(status.code(), Code::kUsage) << status.ToString();
    EXPECT_TRUE(status.ok() || status.where().byte) << status.ToString();
  }
}

TEST(SqliteReader, NamesTheRow) {
  const auto source = OpenCorpus("sqlite/good/draft-only.sqlite.gz");
  Context context;
  CheckSink sink(ChunkSet::All());
  ASSERT_TRUE(
      kSqliteReader.make(*source, context)->Read(ChunkSet::All(), sink).ok());
  ASSERT_EQ(context.findings().size(), 1u);
  EXPECT_EQ(context.findings()[0].code, "sqlite.reference.dangling");
  EXPECT_EQ(context.findings()[0].message.find("sqlite: edge row 8: "), 0u)
      << context.findings()[0].message;
}

TEST(SqliteReader, HasTheRecordsThatTheTablesHave) {
  const auto source = OpenCorpus("sqlite/good/draft-only.sqlite.gz");
  const std::string lines = ConvertTo(*source, "sqlite", "ndjson");
  // The class has the name of the function that the constructor refers to.
  EXPECT_NE(lines.find("\"Point\""), std::string::npos);
  EXPECT_NE(lines.find("caf\xC3\xA9 \xF0\x9F\x98\x80"), std::string::npos);
}

TEST(SqliteReader, KnowsColumnsInAnyCase) {
  const auto made = [](bool is_small) {
    const auto name = [is_small](std::string column) {
      if (is_small) return column;
      for (char& letter : column)
        if (letter >= 'a' && letter <= 'z') letter &= ~0x20;
      return '"' + column + '"';
    };
    return Made(kForeign +
                ("INSERT INTO node_types VALUES"
                 "(1, 'object', NULL), (2, 'heap number', NULL);"
                 "CREATE TABLE node(" +
                 name("identifier") + " INTEGER, " + name("nodetypeid") +
                 " INTEGER);"
                 "INSERT INTO node VALUES(3, 1), (5, 2);"
                 "CREATE TABLE heap_number(" +
                 name("node_identifier") + " INTEGER, " + name("value") +
                 " INTEGER);"
                 "INSERT INTO heap_number VALUES(5, 7);"
                 "CREATE TABLE edge(" +
                 name("edgetypeid") + " INTEGER, " + name("source") +
                 " INTEGER, " + name("dest") + " INTEGER, " + name("label") +
                 " INTEGER);"
                 "INSERT INTO edge VALUES(1, 3, 5, 1);"
                 "CREATE TABLE strings(" +
                 name("stringid") + " INTEGER, " + name("data") +
                 " TEXT);"
                 "INSERT INTO strings VALUES(1, 'x')"));
  };
  EXPECT_EQ(LinesOf(made(false)), LinesOf(made(true)));
  Loaded database(
      ConvertTo(*ByteSource::FromMemory(made(false)), "sqlite", "sqlite"));
  EXPECT_EQ(database.Ask("SELECT dest || ' ' || label FROM edge"),
            database.Ask("SELECT identifier || ' ' || stringid FROM node, "
                         "strings WHERE nodetypeid = 2 AND data = 'x'"));
}

TEST(SqliteReader, ReadsTheTablesThatTypesName) {
  const std::string lines = LinesOf(Made(
      kForeign +
      std::string("INSERT INTO node_types VALUES(1, 'flat string', "
                  "'Flat_Strings'), (2, 'my.thing', 'my_thing'), (3, 'other', "
                  "'node'), (4, 'more', 'none');"
                  "CREATE TABLE node(identifier INTEGER, nodetypeid INTEGER);"
                  "INSERT INTO node VALUES(3, 1), (5, 2);"
                  "CREATE TABLE strings(stringid INTEGER, data TEXT);"
                  "INSERT INTO strings VALUES(1, 'hello');"
                  "CREATE TABLE flat_strings(node_identifier INTEGER, data "
                  "INTEGER);"
                  "INSERT INTO flat_strings VALUES(3, 1);"
                  "CREATE TABLE my_thing(node_identifier INTEGER, ref "
                  "INTEGER);"
                  "INSERT INTO my_thing VALUES(5, 4711)")));
  for (const char* const part : {"\"hello\"", "\"ref\"", "4711"})
    EXPECT_NE(lines.find(part), std::string::npos) << part << " in " << lines;
}

TEST(SqliteReader, TellsOfTablesThatItDoesNotRead) {
  const auto findings = [](const std::string& more) {
    return FindingsOf(
        Made(kForeign +
             std::string("CREATE TABLE node(identifier, nodetypeid);"
                         "INSERT INTO node VALUES(3, 1);"
                         "INSERT INTO node_types VALUES(1, 'my.x', NULL);"
                         "CREATE TABLE \"my \"\"notes\"(x);"
                         "CREATE TABLE object(node_identifier);"
                         "CREATE VIEW seen AS SELECT 1;") +
             more));
  };
  EXPECT_EQ(findings("CREATE INDEX i ON node(identifier); ANALYZE"), "");
  EXPECT_EQ(findings("INSERT INTO \"my \"\"notes\" VALUES(1), (2)"),
            "sqlite.table.unread: 1\n");
  EXPECT_EQ(findings("INSERT INTO object VALUES(3)"),
            "sqlite.table.unread: 1\n");
}

TEST(SqliteReader, TellsOfColumnsThatItDoesNotRead) {
  const auto findings = [](const std::string& more) {
    return FindingsOf(
        Made(kForeign +
             std::string("CREATE TABLE node(identifier, nodetypeid);"
                         "INSERT INTO node VALUES(3, 1);"
                         "INSERT INTO node_types VALUES(1, 'my.x', NULL);"
                         "ALTER TABLE metadata ADD COLUMN \"a \"\"note\";"
                         "ALTER TABLE node_types ADD COLUMN note;") +
             more));
  };
  EXPECT_EQ(findings(""), "");
  EXPECT_EQ(findings("UPDATE metadata SET \"a \"\"note\" = 0;"
                     "UPDATE node_types SET note = 'x'"),
            "sqlite.column.unread: 2\n");
}

// SQLite accepts a cell of any type in any column.
TEST(SqliteReader, TypesOfColumnsAreThoseOfTheirCells) {
  const struct {
    const char* declaration;
    const char* cells;  // of two nodes
    const char* type;
    const char* values;
  } cases[] = {
      {"", "NULL), (5, 1, NULL", "i64", "null null"},
      {"", "1), (5, 1, NULL", "i64", "1 null"},
      {"DATETIME", "'today'), (5, 1, NULL", "inline_string", "\"today\" null"},
      {"DECIMAL(9, 2)", "1.5), (5, 1, 2", "f64", "1.5 2.0"},
      {"INTEGER", "'x'), (5, 1, 'y'", "inline_string", "\"x\" \"y\""},
      {"BLOB", "'x'), (5, 1, 'y'", "inline_string", "\"x\" \"y\""},
      {"TEXT", "x'00'), (5, 1, NULL", "base64", "\"AA==\" null"},
      {"INTEGER", "1), (5, 1, '{}'", "json", "1 \"{}\""},
      {"REAL", "1.5), (5, 1, 'x'", "json", "1.5 \"x\""},
      {"", "9e999), (5, 1, x'00'", "json", "\"Infinity\" \"AA==\""},
  };
  for (const auto& [declaration, cells, type, values] : cases) {
    SCOPED_TRACE(std::string(declaration) + ": " + cells);
    const std::string lines = RecordsOf(
        Made(kForeign + ("CREATE TABLE node(identifier, nodetypeid, \"it\" " +
                         std::string(declaration) +
                         "); INSERT INTO node VALUES(3, 1, " + cells + ")")));
    EXPECT_NE(lines.find("[\"it\",\"" + std::string(type) + "\"]"),
              std::string::npos)
        << lines;
    const std::string all = values;
    const std::size_t space = all.find(' ');
    const auto has = [&](const std::string& id, const std::string& value) {
      const std::string record =
          "[2," + id + ",1" + (value == "null" ? "" : "," + value) + "]\n";
      EXPECT_NE(lines.find(record), std::string::npos) << record << lines;
    };
    has("3", all.substr(0, space));
    has("5", all.substr(space + 1));
  }
}

// Also in tables with more columns than the depth limit of an expression; the
// other columns keep their types.
TEST(SqliteReader, OneColumnOfManyHasOtherCells) {
  std::string columns;
  std::string cells;
  for (int i = 0; i < 300; ++i) {
    columns += ", c" + std::to_string(i) + " REAL";
    cells += i == 250 ? ", 'x'" : ", 1";
  }
  const std::string lines = RecordsOf(
      Made(kForeign + ("CREATE TABLE node(identifier, nodetypeid" + columns +
                       "); INSERT INTO node VALUES(3, 1" + cells + ")")));
  for (const int i : {0, 249, 250, 251, 299}) {
    const std::string field = "[\"c" + std::to_string(i) + "\",\"" +
                              (i == 250 ? "inline_string" : "f64") + "\"]";
    EXPECT_NE(lines.find(field), std::string::npos) << field;
  }
}

TEST(SqliteReader, TellsOfRowsThatNoNodeHas) {
  const auto made = [](const std::string& rows) {
    return Made(kForeign +
                std::string("INSERT INTO node_types VALUES(1, 'array', NULL), "
                            "(2, 'my.x', 'Mine'), (3, 'my.y', 'mine');"
                            "CREATE TABLE node(identifier, nodetypeid);"
                            "INSERT INTO node VALUES(3, 1), (5, 2), (7, 3);"
                            "CREATE TABLE array(node_identifier, length);"
                            "INSERT INTO array VALUES(3, 10);"
                            "CREATE TABLE mine(node_identifier, x);"
                            "INSERT INTO mine VALUES(7, 12), (5, 11);") +
                rows);
  };
  EXPECT_EQ(FindingsOf(made("")), "");
  const auto first = [&made](const std::string& rows, std::uint64_t count) {
    Context context;
    const std::string bytes = made("INSERT INTO " + rows);
    EXPECT_TRUE(ReadAll(bytes, context).ok());
    EXPECT_EQ(context.findings().size(), 1u);
    if (context.findings().empty()) return std::string();
    const Finding& finding = context.findings().front();
    EXPECT_EQ(finding.code, "sqlite.row.unowned");
    EXPECT_EQ(finding.count, count);
    EXPECT_TRUE(finding.where.byte.value_or(0) > 0);
    Context strict;
    strict.strict = true;
    EXPECT_EQ(ReadAll(bytes, strict).code(), Code::kMalformed);
    return finding.message;
  };
  // Rows of a node with another type; of no node, with ids before and after all
  // others; of a node that has a row already.
  EXPECT_EQ(first("array VALUES(5, 1), (7, 1)", 2),
            "sqlite: \"array\" row 2: there is no node 5 whose type has its "
            "fields there");
  EXPECT_EQ(first("mine VALUES(NULL, 1), (9, 1), ('x', 1)", 3),
            "sqlite: \"mine\" row 1: there is no node 0 whose type has its "
            "fields there");
  EXPECT_EQ(first("mine VALUES(5, 1), (7, 1), (7, 2)", 3),
            "sqlite: \"mine\" row 2: node 5 has a row there already");
}

// "code class (class for others): count" for what the reader does not read.
std::string LeftBehind(const ConvertOptions& options, Status* status) {
  std::string bytes;
  const auto sink = ByteSink::ToString(&bytes);
  Context context;
  *status = Convert(*OpenCorpus("sqlite/good/left-behind.sqlite.gz"), *sink,
                    options, context);
  std::string all;
  for (const LossReport::Item& item : context.loss.items()) {
    if (item.code != "sqlite.table.unread" && item.code != "sqlite.row.unowned")
      continue;
    all += item.code + " " + std::string(ToString(item.loss_class));
    if (item.native_class)
      all += " (" + std::string(ToString(*item.native_class)) + ")";
    all += ": " + std::to_string(item.count) + "\n";
  }
  return all;
}

TEST(SqliteReader, WhatItDoesNotReadIsLost) {
  const std::string dropped =
      "sqlite.table.unread dropped: 1\n"
      "sqlite.row.unowned dropped: 2\n";
  const std::string embedded =
      "sqlite.table.unread embedded (dropped): 1\n"
      "sqlite.row.unowned embedded (dropped): 2\n";
  const WriterInfo* const ndjson = FindWriter("ndjson");
  const WriterInfo* const own = FindWriter("sqlite");
  const WriterInfo* const ir = FindWriter("heapir");
  constexpr Unreachable kDrop = Unreachable::kDrop;
  Status status;
  const auto left = [&status](const ConvertOptions& options) {
    return LeftBehind(options, &status);
  };
  EXPECT_EQ(left({.to = ndjson, .embed = false}), dropped);
  EXPECT_EQ(left({.to = ndjson, .unreachable = kDrop}), dropped);
  EXPECT_EQ(left({.to = ir, .unreachable = kDrop}), dropped);
  EXPECT_EQ(left({.to = own, .layout = kUsualLayout}), dropped);
  EXPECT_EQ(left({.to = own, .unreachable = kDrop}), dropped);
  EXPECT_EQ(left({.to = ndjson}), embedded);
  EXPECT_EQ(left({.to = ir}), embedded);
  EXPECT_EQ(left({.to = own}), "");  // copied byte for byte
  left({.to = ndjson, .max_loss = LossClass::kEmbedded, .embed = false});
  EXPECT_EQ(status.code(), Code::kLossy);
  left({.to = ndjson, .max_loss = LossClass::kEmbedded});
  EXPECT_TRUE(status.ok()) << status.ToString();
  left({.to = ir, .max_loss = LossClass::kEquivalent});
  EXPECT_EQ(status.code(), Code::kLossy);
}

TEST(SqliteReader, ATableIsThatOfManyTypes) {
  const std::string bytes =
      Made(kForeign +
           std::string("CREATE TABLE node(identifier, nodetypeid);"
                       "CREATE TABLE one(node_identifier, x);"
                       "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT "
                       "i + 1 FROM n LIMIT 100) INSERT INTO node_types "
                       "SELECT i, 'my.' || i, 'one' FROM n;"
                       "INSERT INTO node SELECT 2 * nodetypeid + 1, "
                       "101 - nodetypeid FROM node_types;"
                       "INSERT INTO one SELECT identifier, 4711000 + "
                       "nodetypeid FROM node ORDER BY nodetypeid"));
  const std::string lines = LinesOf(bytes);
  for (int type = 1; type <= 100; ++type) {
    const std::string value = std::to_string(4711000 + type);
    EXPECT_NE(lines.find(value), std::string::npos) << value << " in " << lines;
  }
  EXPECT_EQ(FindingsOf(bytes), "");
}

TEST(SqliteReader, KeepsTextThatIsNoUnicode) {
  const std::string bytes =
      Made(kForeign + std::string("CREATE TABLE node(identifier, nodetypeid);"
                                  "CREATE TABLE strings(stringid INTEGER, data "
                                  "TEXT);"
                                  "INSERT INTO strings VALUES"
                                  "(1, CAST(x'61ff62' AS TEXT)),"
                                  "(2, CAST(x'61eda080' AS TEXT))"));
  const std::string lines = LinesOf(bytes);
  for (const char* const part : {R"("hg.bytes","base64")", "\"Yf9i\"",
                                 R"("hg.utf16le","base64")", "\"YQAA2A==\""})
    EXPECT_NE(lines.find(part), std::string::npos) << part << " in " << lines;
  EXPECT_EQ(FindingsOf(bytes), "sqlite.string.bytes: 1\n");
}

// "key=value" of each entry.
class MetadataSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    for (const pb::Metadata::Entry& entry : chunk.metadata().entry())
      all += entry.key().data() + "=" + entry.value().data() + "\n";
    return {};
  }
  std::string all;
};

TEST(SqliteReader, TellsOfTextThatIsNoUnicodeWhereverItIs) {
  const auto made = [](const std::string& text) {
    const std::string cast = "CAST(x'" + text + "' AS TEXT)";
    return Made(kForeign +
                ("INSERT INTO metadata VALUES(" + cast + ", 1), ('k', " + cast +
                 ");"
                 "INSERT INTO node_types VALUES(1, 'my.x', 'mine');"
                 "CREATE TABLE node(identifier, nodetypeid);"
                 "INSERT INTO node VALUES(3, 1);"
                 "CREATE TABLE mine(node_identifier, t TEXT);"
                 "INSERT INTO mine VALUES(3, " +
                 cast + ")"));
  };
  EXPECT_EQ(FindingsOf(made("615c22")), "");
  EXPECT_EQ(FindingsOf(made("61eda080")), "");
  EXPECT_EQ(FindingsOf(made("61ff")), "sqlite.string.bytes: 3\n");
  Context context;
  ASSERT_TRUE(ReadAll(made("61ff"), context).ok());
  EXPECT_EQ(context.findings()[0].message,
            "sqlite: metadata row 2: the field \"key\" is not UTF-8");
  // The bytes are kept.
  const auto metadata = [&made](const std::string& text) {
    const std::string bytes = made(text);
    const auto source = ByteSource::FromMemory(bytes);
    Context ignored;
    MetadataSink sink;
    const auto reader = kSqliteReader.make(*source, ignored);
    EXPECT_TRUE(reader->Read({pb::Chunk::kMetadata}, sink).ok());
    return sink.all;
  };
  EXPECT_EQ(metadata("615c22"), "version_major=1\na\\\"=1\nk=a\\\"\n");
  EXPECT_EQ(metadata("61eda080"),
            "version_major=1\na\xED\xA0\x80=1\nk=a\xED\xA0\x80\n");
  EXPECT_EQ(metadata("61ff"), "version_major=1\na\xFF=1\nk=a\xFF\n");
}

TEST(SqliteReader, KnowsDeclaredColumnsInAnyCase) {
  const std::string lines = LinesOf(Made(
      kForeign + std::string("CREATE TABLE hg_fields(table_name, column_name, "
                             "ordinal, field_type, field_name);"
                             "INSERT INTO hg_fields VALUES"
                             "('Node', 'WEIGHT', 0, 'f64', 'pounds');"
                             "CREATE TABLE node(identifier, nodetypeid, "
                             "weight INTEGER);"
                             "INSERT INTO node VALUES(3, 1, 5)")));
  EXPECT_NE(lines.find("\"pounds\""), std::string::npos) << lines;
}

// Each field has the cells of its own column.
TEST(SqliteReader, KnowsColumnsOfOneNameApart) {
  const std::string fields =
      "CREATE TABLE hg_fields(table_name, column_name, ordinal, field_type, "
      "field_name);"
      "INSERT INTO hg_fields VALUES('node', 'a', 0, 'u32', 'x.f'),"
      "('node', 'b', 1, 'u32', 'x.f'), ('s', 'c', 0, 'u32', 'x.f'),"
      "('s', 'd', 1, 'u32', 'x.f');"
      "INSERT INTO node_types VALUES(1, 'x.t', 's');"
      "CREATE TABLE node(identifier, nodetypeid, a INTEGER, b INTEGER);"
      "INSERT INTO node VALUES(3, 1, 5, 6), (5, 9, 10, 11);"
      "CREATE TABLE s(node_identifier, c INTEGER, d INTEGER);"
      "INSERT INTO s VALUES(3, 7, 8);";
  const std::string records = RecordsOf(Made(kForeign + fields));
  for (const char* const record : {"[2,3,1,5,6,7,8]", "[2,5,9,10,11]"})
    EXPECT_NE(records.find(record), std::string::npos) << records;
}

// Such columns do not replace nodetypeid and stringid, in any order.
TEST(SqliteReader, TellsOfColumnsThatAreCalledAsTheRecordsFields) {
  const std::string made =
      Made(kForeign +
           std::string("INSERT INTO node_types VALUES(1, 'object', NULL);"
                       "CREATE TABLE node(subtype, identifier, nodetypeid);"
                       "INSERT INTO node VALUES(77, 3, 1);"
                       "CREATE TABLE edge(subtype, edgetypeid, source, dest);"
                       "INSERT INTO edge VALUES(78, 1, 3, 3);"
                       "CREATE TABLE strings(id, stringid, data);"
                       "INSERT INTO strings VALUES(79, 0, 'a')"));
  EXPECT_EQ(FindingsOf(made), "sqlite.column.unread: 3\n");
  const std::string records = RecordsOf(made);
  for (const char* const record : {"[2,3,1]", "[3,1,3,3]", "[4,0,\"a\"]"})
    EXPECT_NE(records.find(record), std::string::npos) << records;
}

// Only for doubles that SQLite has no value for.
TEST(SqliteReader, TakesBitsForWhatHasNoValue) {
  const std::string records = RecordsOf(
      Made(kForeign +
           std::string(
               "INSERT INTO node_types VALUES(1, 'heap number', NULL);"
               "CREATE TABLE node(identifier, nodetypeid);"
               "INSERT INTO node VALUES(3, 1), (5, 1), (7, 1), (9, 1);"
               "CREATE TABLE heap_number(node_identifier, value REAL, "
               "\"hg.bits\");"
               "INSERT INTO heap_number VALUES(3, 1.5, 77),"
               "(5, 0, -9223372036854775808), (7, NULL, 9221120237041090561),"
               "(9, NULL, 'x')")));
  for (const char* const record :
       {"[2,3,1,1.5]", "[2,5,1,-0.0]", "[2,7,1,\"NaN:0x7ff8000000000001\"]",
        "[2,9,1]"})
    EXPECT_NE(records.find(record), std::string::npos) << records;
}

// A line feed would end the line that the row becomes.
TEST(SqliteReader, RefusesALineFeedInJson) {
  const auto read = [](const std::string& blank) {
    return ReadAll(
        Made(kForeign + ("CREATE TABLE hg_fields(table_name, column_name, "
                         "ordinal, field_type, field_name);"
                         "INSERT INTO hg_fields VALUES"
                         "('node', 'numbers', 0, 'json', 'numbers');"
                         "CREATE TABLE node(identifier, nodetypeid, numbers);"
                         "INSERT INTO node VALUES(3, 1, '[' || " +
                         blank + " || '1]')")));
  };
  EXPECT_EQ(read("char(32)").ToString(), "");
  for (const char* const blank : {"char(10)", "char(13)"}) {
    const Status status = read(blank);
    EXPECT_EQ(status.code(), Code::kMalformed) << blank;
    EXPECT_EQ(status.message(),
              "sqlite: node row 1: the field \"numbers\" is not of its type");
  }
}

TEST(SqliteReader, TakesDatesThatAreDoubles) {
  const std::string lines = LinesOf(Made(
      kForeign + std::string("INSERT INTO node_types VALUES(1, 'date', NULL);"
                             "CREATE TABLE node(identifier, nodetypeid);"
                             "INSERT INTO node VALUES(3, 1);"
                             "CREATE TABLE date(node_identifier, timestamp "
                             "REAL);"
                             "INSERT INTO date VALUES(3, 1.5e12)")));
  EXPECT_NE(lines.find("1500000000000.0"), std::string::npos) << lines;
  // SQLite turns whole doubles into integers in a column declared INTEGER.
  for (const char* const declaration : {"", "INTEGER"}) {
    const auto made = [declaration](const std::string& rows) {
      return Made(kForeign + ("INSERT INTO node_types VALUES(1, 'date', NULL);"
                              "CREATE TABLE node(identifier, nodetypeid);"
                              "INSERT INTO node VALUES(3, 1), (5, 1);"
                              "CREATE TABLE date(node_identifier, timestamp " +
                              std::string(declaration) +
                              ");INSERT INTO date VALUES" + rows));
    };
    const std::string records = RecordsOf(made("(3, 1.5), (5, 7)"));
    for (const char* const record : {"[2,3,1,1.5]", "[2,5,1,7.0]"})
      EXPECT_NE(records.find(record), std::string::npos) << records;
    EXPECT_NE(RecordsOf(made("(3, 8), (5, 6)")).find("[2,3,1,8]"),
              std::string::npos);
    Context context;
    EXPECT_EQ(ReadAll(made("(3, 1.5), (5, 'x')"), context).code(),
              Code::kMalformed);
  }
}

TEST(SqliteDatabase, CannotBeWrittenWhenItIsRead) {
  Loaded database(DraftOnly());
  Result<sqlite::Statement> statement =
      database.database().Prepare("DELETE FROM node");
  ASSERT_TRUE(statement.ok());
  EXPECT_FALSE(statement->Run().ok());
}

TEST(SqliteDatabase, EndsAStatementThatTakesTooLong) {
  Loaded database(DraftOnly());
  database.database().SetProgress([] { return false; });
  Result<sqlite::Statement> statement = database.database().Prepare(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
      "SELECT max(i) FROM n");
  ASSERT_TRUE(statement.ok());
  Status status;
  EXPECT_FALSE(statement->Next(&status));
  EXPECT_EQ(status.code(), Code::kCancelled);
}

TEST(SqlitePageStore, ReadsWhatWasWritten) {
  sqlite::PageStore store;
  const std::string page(4096, 'p');
  // Beyond the part that is kept in memory.
  const std::uint64_t far = sqlite::PageStore::kMaxMemory + 4096;
  ASSERT_TRUE(store.Write(8192, page));
  ASSERT_TRUE(store.Write(far, page));
  EXPECT_EQ(store.size(), far + page.size());
  std::string read(4096, 'x');
  EXPECT_TRUE(store.Read(8192, read.data(), read.size()));
  EXPECT_EQ(read, page);
  EXPECT_TRUE(store.Read(0, read.data(), read.size()));
  EXPECT_EQ(read, std::string(4096, '\0'));
  EXPECT_FALSE(store.Read(far + 1, read.data(), read.size()));
  EXPECT_EQ(read.back(), '\0');
  std::string copy;
  const auto sink = ByteSink::ToString(&copy);
  ASSERT_TRUE(store.CopyTo(*sink).ok());
  EXPECT_EQ(copy.size(), store.size());
  ASSERT_TRUE(store.Truncate(100));
  EXPECT_EQ(store.size(), 100u);
}

}  // namespace
}  // namespace heapglot
