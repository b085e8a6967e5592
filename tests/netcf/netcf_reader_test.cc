#include "readers/netcf/netcf_reader.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/text/utf.h"
#include "tests/netcf/netcf_log.h"

namespace heapglot {
namespace {

using testing::FindingsIn;
using testing::ReadLog;

// The findings of a log; its error first, if there is one.
std::string Findings(const std::string& log, bool strict = false) {
  Context context;
  context.strict = strict;
  const Status status = ReadLog(log, nullptr, &context);
  std::string text;
  if (!status.ok())
    text = "exit " + std::to_string(ExitCode(status.code())) + "\n";
  return text + FindingsIn(context);
}

// A domain around some lines.
std::string Domain(const std::string& lines) {
  return "a 2 app.exe 5a31\n" + lines + "c app.exe 5a31\n";
}

TEST(NetcfReader, Rows) {
  VectorSink out;
  Context context;
  ASSERT_TRUE(ReadLog(Domain("r 103 4 1 1\no 100 1 50 103 0 dead\n"
                             "t 1 A.B\nx?\no 103 9 c\nr 0 7 0\nr 100 3 2\n"),
                      &out, &context)
                  .ok());
  std::string rows;
  for (const pb::Chunk& chunk : out.chunks()) {
    if (!chunk.has_header() && !chunk.has_strings() && !chunk.has_vocabulary())
      rows += ToText(chunk);
  }
  EXPECT_EQ(
      rows,
      "graph { name { data: \"app.exe\" } id_space: UNSTABLE pointer_size: 4 "
      "edges_grouped: true source_version { data: \"2\" } timestamp { data: "
      "\"5a31\" } end_timestamp { data: \"5a31\" } }\n"
      "types { count: 1 id: [1] name: [11] }\n"
      "extra { format: \"netcf\" section: \"netcf.line\" position: 3 data: "
      "\"x?\" }\n"
      "nodes { count: 2 id: [256, 259] type_ref: [1, 9] self_size: [80, 12] "
      "edge_count: [3, 0] flags: [0, 4] }\n"
      "edges { count: 3 edges_per_node: [3, 0] to_form: [0, 1, 2] to: [1, 0, "
      "57005] }\n"
      "roots { count: 3 to_form: [0, 1, 0] to: [1, 0, 0] kind: [4, 7, 6] "
      "flags: [1, 0, 2] container_ref: [1, 0, 0] }\n"
      "record_order { body: [10, 8, 7, 8, 10] run: [1, 1, 1, 1, 2] }\n"
      "graph_end { types: 1 nodes: 2 edges: 3 roots: 3 self_size_total: 92 "
      "edges_omitted: 1 edges_dangling: 1 }\n"
      "footer { graphs: 1 strings: 12 }\n");
}

TEST(NetcfReader, FindsNothingInAGoodLog) {
  EXPECT_EQ(
      Findings(Domain("t 1 A\no 100 1 50 103\no 103 1 c\nr 100 1 0\n"), true),
      "");
}

// Each deviation alone, with its place, in the order of the table.
TEST(NetcfReader, Deviations) {
  struct Case {
    std::string log;
    std::string findings;
  };
  const std::string type = "t 1 A\n";
  const std::string object = "o 10 1 c\n";
  const Case cases[] = {
      {"\xef\xbb\xbf" + Domain(""), "netcf.encoding.bom 1 1:1\n"},
      {Domain("t 1 \xe9\n" + object), "netcf.encoding.bytes 1 2:1\n"},
      {"a 2 x 1\rc x 1\r", "netcf.line.ends 1 1:1\n"},
      {"a 2 x 1\r\nc x 1\n", "netcf.line.ends 1 1:1\n"},
      {Domain("\n \n"), "netcf.line.blank 2 2:1\n"},
      {Domain(" " + type + object), "netcf.line.spacing 1 2:1\n"},
      {Domain(type + "o 10  1 c \n"), "netcf.line.spacing 1 3:1\n"},
      {Domain("t 1 \n" + object),
       "netcf.line.spacing 1 2:1\nnetcf.type.name_empty 1 2:1\n"},
      {Domain(type + "O 10 1 c\n"), "netcf.line.letter_case 1 3:1\n"},
      {Domain(type + std::string("o 1\0"
                                 "0 1 c\n",
                                 10)),
       "netcf.line.nul 1 3:1\n"},
      {"a 2 x 1\nc x 1", "netcf.line.last_without_end 1 2:0\n"},
      {Domain("") + "\x1a", "netcf.line.control_z 1 0:0\n"},
      {"a 2 x 1\nt 1 A",
       "netcf.line.last_without_end 1 2:0\nnetcf.line.cut 1 2:1\n"
       "netcf.domain.missing_end 1 1:1\n"},
      {Domain("z 1\n"), "netcf.record.unknown 1 2:1\n"},
      {Domain("abc\n"), "netcf.record.unknown 1 2:1\n"},
      {Domain(type + object + "r 10 g 0\n"), "netcf.number.malformed 1 4:6\n"},
      {Domain(type + object + "r 10 +1 0\n"), "netcf.number.malformed 1 4:6\n"},
      {Domain(type + object + "r 10 g +1 -1 0\n"),
       "netcf.number.malformed 3 4:6\n"},
      {Domain(type + "o 10 1 c 10 1.0\n"), "netcf.number.malformed 1 3:13\n"},
      {Domain(type + object + "r 11111111111111111 1 0\n"),
       "netcf.number.malformed 1 4:3\n"},
      {Domain(type + object + "r 10 1\n"), "netcf.record.too_few 1 4:7\n"},
      {Domain(type + object + "r 10 4 0 1 1\n"),
       "netcf.record.too_many 1 4:12\n"},
      {Domain(type + "o 0x10 1 c\n"), "netcf.number.prefix 1 3:3\n"},
      {Domain(type + "o 1A 1 c\n"), "netcf.number.upper_case 1 3:3\n"},
      {Domain(type + "o 01 1 c\n"), "netcf.number.leading_zeros 1 3:3\n"},
      {Domain(type + "o 00000000000000001 1 c\n"),
       "netcf.number.leading_zeros 1 3:3\n"},
      {Domain(type + "o 100000000 1 c\n"), "netcf.number.too_wide 1 3:3\n"},
      {Domain("") + type + object + Domain(""),
       "netcf.domain.missing_start 1 3:1\nnetcf.domain.nested 1 5:1\n"
       "netcf.domain.missing_end 1 3:1\nnetcf.domain.name_twice 1 5:1\n"},
      {Domain("") + "c x\n", "netcf.domain.end_without_start 1 3:1\n"},
      {"a 2 x 1\nc y 1\n", "netcf.domain.end_mismatch 1 2:1\n"},
      {"a 2 x 1\nc x 01\n", ""},
      {"a 2 x 1\n", "netcf.domain.missing_end 1 1:1\n"},
      {"a 2 x\nc x\n",
       "netcf.domain.start_without_timestamp 1 1:1\n"
       "netcf.domain.end_without_timestamp 1 2:1\n"},
      {"a 2 x y 1\nc x y 1\n", "netcf.domain.name_with_blanks 1 1:1\n"},
      {"a 2\nc\n",
       "netcf.domain.start_without_timestamp 1 1:1\n"
       "netcf.domain.end_without_timestamp 1 2:1\n"
       "netcf.domain.name_empty 1 1:1\n"},
      {"a 2 x add\nc x add\n", "netcf.domain.name_or_timestamp 1 1:1\n"},
      // Nine digits are not a time.
      {"a 2 x 123456789\nc x 123456789\n",
       "netcf.domain.start_without_timestamp 1 1:1\n"
       "netcf.domain.end_without_timestamp 1 2:1\n"
       "netcf.domain.name_with_blanks 1 1:1\n"},
      {Domain(type + "t 1 B\n" + object), "netcf.type.redefined 1 3:1\n"},
      {Domain(type + type + object), "netcf.type.twice 1 3:1\n"},
      {Domain(object), "netcf.type.undefined 1 2:1\n"},
      {Domain("t 1 A B\n" + object), "netcf.type.name_with_blanks 1 2:1\n"},
      {Domain("t 1\n" + object), "netcf.type.name_empty 1 2:1\n"},
      {Domain(type), "netcf.type.unused 1 2:1\n"},
      {Domain(type + "t 1 A\nt 2 B\n" + object),
       "netcf.type.twice 1 3:1\nnetcf.type.unused 1 4:1\n"},
      {Domain(type + "t 2 A\no 10 1 c\no 12 2 c\n"),
       "netcf.type.name_twice 1 1:1\n"},
      {Domain(type + object + "o 10 1 d\n"), "netcf.object.redefined 1 4:1\n"},
      {Domain(type + object + object), "netcf.object.twice 1 4:1\n"},
      {Domain(type + "o 10 1 c 20\n"), "netcf.reference.dangling 1 3:10\n"},
      {Domain(type + "o 10 1 c 0\n"), "netcf.reference.null 1 3:1\n"},
      {Domain(type + "o 10 1 0\n"), "netcf.object.size_zero 1 3:1\n"},
      {Domain(type + "o 10 1 c 10 10\n"), "netcf.reference.twice 1 3:1\n"},
      {Domain(type + "o 0 1 c\n"), "netcf.object.id_zero 1 3:1\n"},
      {Domain("r 10 1 0\n"), "netcf.root.dangling 1 2:1\n"},
      {Domain(type + object + "r 10 6 0\n"), "netcf.root.kind 1 4:1\n"},
      {Domain(type + object + "r 10 1 10\n"), "netcf.root.flags 1 4:1\n"},
      {Domain(type + object + "r 10 4 0\n"),
       "netcf.root.static_without_container 1 4:1\n"},
      {Domain(type + object + "r 10 1 0 1\n"),
       "netcf.root.container_not_static 1 4:1\n"},
      {Domain(type + object + "r 10 4 0 2\n"),
       "netcf.root.container_undefined 1 4:1\n"},
      {Domain(type + object + "r 10 1 0\nr 10 1 0\n"),
       "netcf.root.twice 1 5:1\n"},
      {Domain(type + object + "r 10 1 8\n"), "netcf.root.refcounted 1 4:1\n"},
      {Domain("r 0 1 0\n"), "netcf.root.null 1 2:1\n"},
      {"\n", "exit 3\nnetcf.line.blank 1 1:1\nnetcf.empty 1 1:1\n"},
      {"a 3 x 1\nc x 1\n", "netcf.version 1 1:1\n"},
      {"{}\n", "exit 3\nnetcf.not_a_log 1 1:1\n"},
  };
  for (const Case& test : cases)
    EXPECT_EQ(Findings(test.log), test.findings) << test.log;
}

TEST(NetcfReader, StrictRefusesDeviationsButNotOddities) {
  EXPECT_EQ(Findings(Domain("t 1 A B\n"), true),
            "netcf.type.name_with_blanks 1 2:1\nnetcf.type.unused 1 2:1\n");
  EXPECT_EQ(Findings(Domain("T 1 A\no 10 1 c\n"), true),
            "exit 3\nnetcf.line.letter_case 1 2:1\n");
}

TEST(NetcfReader, StrictSaysWhatKindOfFileItIs) {
  const auto exit_of = [](const std::string& log) {
    const std::string findings = Findings(log, true);
    return findings.substr(0, findings.find('\n'));
  };
  EXPECT_EQ(exit_of("a 2 x 1\n"), "exit 4");
  EXPECT_EQ(exit_of("a 2 x 1\nt 1 A"), "exit 4");
  EXPECT_EQ(exit_of("a 2 x 1"), "exit 4");
  EXPECT_EQ(exit_of("a 2 x 12\nc x 1"), "exit 4");
  EXPECT_EQ(exit_of("a 3 x 1\nc x 1\n"), "exit 6");
  EXPECT_EQ(exit_of("a 2 x 1\na 2 y 1\nc y 1\n"), "exit 3");
}

// A stream has at least one graph.
TEST(NetcfReader, OnlyAnEnd) {
  EXPECT_EQ(Findings("c x 1\n"),
            "exit 3\nnetcf.domain.end_without_start 1 1:1\n"
            "netcf.empty 1 1:1\n");
}

// Logs of relatives, which must not be taken for ours.
TEST(NetcfReader, RefusesItsRelatives) {
  for (const std::string log :
       {"f 1 NATIVE FUNCTION ( UNKNOWN ARGUMENTS ) 0 0\n",
        "t 1 0 System.String\nr 0x00c91f28 0x00c91f50\n",
        "a 0x00c91f28 1\na 0x00c91f40 2\n"}) {
    EXPECT_EQ(kNetcfReader.sniff(log), Sniff::kNo) << log;
    EXPECT_TRUE(Findings(log).starts_with("exit 3\n")) << log;
  }
}

TEST(NetcfReader, Sniffs) {
  EXPECT_EQ(kNetcfReader.sniff("a 2 app.exe 5a31\n"), Sniff::kYes);
  EXPECT_EQ(kNetcfReader.sniff("\r\n a\t2\tapp.exe"), Sniff::kYes);
  EXPECT_EQ(kNetcfReader.sniff("\xef\xbb\xbf"
                               "a 2 app.exe"),
            Sniff::kYes);
  EXPECT_EQ(kNetcfReader.sniff("A 2 app.exe 5a31\n"), Sniff::kMaybe);
  EXPECT_EQ(kNetcfReader.sniff("a 2\n"), Sniff::kMaybe);
  EXPECT_EQ(kNetcfReader.sniff("a 2 0app.exe\n"), Sniff::kYes);
  EXPECT_EQ(kNetcfReader.sniff("a 0x2 app.exe 5a31\n"), Sniff::kYes);
  EXPECT_EQ(kNetcfReader.sniff("a 2 0x12\n"), Sniff::kNo);
  EXPECT_EQ(kNetcfReader.sniff("apple"), Sniff::kNo);
  EXPECT_EQ(kNetcfReader.sniff(""), Sniff::kNo);
}

TEST(NetcfReader, SniffsLogsWithoutAStart) {
  for (const std::string log :
       {"t 1 A.B\n", "t 1f <Module>\r\n", "o 100 4 50 103 10a\n",
        "o 100 4 50\n", "r 100 4 1 a\n", "r 100 4 1\n", "O 10A 4 50\n",
        "c app.exe 5a31\na 2 app.exe 5a31\n"})
    EXPECT_EQ(kNetcfReader.sniff(log), Sniff::kMaybe) << log;
  for (const std::string log :
       {"t 1 0 System.String\n", "t 1\n", "o 0x100 4 50\n", "o 100 4\n",
        "o hello 1 2\n", "r 100 41 1\n", "r 100 4 1 a 5\n",
        "c a graph in DIMACS form\np edge 3 3\n", "c x\n"})
    EXPECT_EQ(kNetcfReader.sniff(log), Sniff::kNo) << log;
}

std::string Utf16(const std::string& ascii, bool big_endian) {
  std::string text;
  for (const char c : ascii) {
    if (big_endian) text.push_back('\0');
    text.push_back(c);
    if (!big_endian) text.push_back('\0');
  }
  return text;
}

std::string StreamOf(const std::string& log) {
  VectorSink out;
  Context context;
  const Status status = ReadLog(log, &out, &context);
  EXPECT_TRUE(status.ok()) << status.ToString();
  const std::string text = out.text();
  return text.substr(text.find('\n'));  // the header has the size
}

// Longer than a block, so that the reader joins blocks and returns to them.
TEST(NetcfReader, Utf16IsTheSame) {
  std::string log;
  for (int domain = 0; domain < 3; ++domain) {
    log += "a 2 app" + std::to_string(domain) + " 1\r\n";
    for (int i = 0; i < 9'000; ++i)
      log += "o " + std::to_string(1000 + i) + " 1 c 1001 1002 0\r\n";
    log += "t 1 A\r\nc app" + std::to_string(domain) + " 1\r\n";
  }
  const std::string expected = StreamOf(log);
  EXPECT_EQ(StreamOf(Utf16(log, false)) == expected, true);
  EXPECT_EQ(StreamOf("\xff\xfe" + Utf16(log, false)) == expected, true);
  EXPECT_EQ(StreamOf("\xfe\xff" + Utf16(log, true)) == expected, true);
}

// Lines of thirteen units: over the shifts, a block ends at each place of a
// line.
TEST(NetcfReader, BlocksOfUtf16EndAnywhere) {
  std::string lines;
  for (int i = 0; i < 11'000; ++i) lines += "o 10 1 c 1a\r\n";
  for (std::size_t shift = 0; shift < 13; ++shift) {
    const std::string log =
        "a 2 x" + std::string(shift, 'x') + " 1\r\n" + lines;
    EXPECT_EQ(StreamOf(Utf16(log, false)) == StreamOf(log), true) << shift;
    EXPECT_EQ(Findings(Utf16(log, false)).find("netcf.line."),
              std::string::npos)
        << shift;
  }
}

// Many domains in one block, one domain with its types in the next block, and a
// line that makes a block longer.
TEST(NetcfReader, DomainsOfUtf16AreFoundAgain) {
  std::u16string log;
  const auto add = [&log](const std::string& ascii) {
    log.append(ascii.begin(), ascii.end());
  };
  for (int domain = 0; domain < 300; ++domain) {
    const std::string name = std::to_string(domain);
    add("a 2 app" + name + " 1\r\n");
    if (domain == 200) add("? " + std::string(200'000, 'x') + "\n");
    log += u"t 1 A\u00e9\u4e2d\U0001f600\r";
    for (int i = 0; i < (domain % 100 == 50 ? 9'000 : 2); ++i)
      add("o " + std::to_string(1000 + i) + " 1 c 1001 2\n");
    log += u"t 2 \U0001f600B\n";
    add("c app" + name + " 1\n");
  }
  const std::string bytes(reinterpret_cast<const char*>(log.data()),
                          2 * log.size());
  std::string utf8;
  (void)AppendUtf16Le(bytes, &utf8);
  EXPECT_EQ(StreamOf(bytes) == StreamOf(utf8), true);
}

// Places count bytes of the source, also after characters that take more or
// fewer bytes in UTF-8.
TEST(NetcfReader, PlacesInUtf16AreThoseOfTheSource) {
  const std::u16string lines[] = {u"a 2 \u00e9\U0001f600.exe 1\n",
                                  u"o 10 1 c 77 10\n",
                                  u"?\n",
                                  u"O 11 +1  c 10\n",
                                  u"t 1 A\n",
                                  u"o 10 1 c 78\n",
                                  u"r 79 1 0\n"};
  std::u16string log;
  std::vector<std::uint64_t> starts;
  for (const std::u16string& line : lines) {
    starts.push_back(2 * log.size());
    log += line;
  }
  Context context;
  const std::string bytes(reinterpret_cast<const char*>(log.data()),
                          2 * log.size());
  ASSERT_TRUE(ReadLog(bytes, nullptr, &context).ok());
  int places = 0;
  for (const Finding& finding : context.findings()) {
    const Where& where = finding.where;
    if (where.line < 2 || where.line > std::size(lines)) continue;
    ++places;
    EXPECT_EQ(where.byte, starts[where.line - 1] + 2 * (where.column - 1))
        << finding.code;
  }
  EXPECT_GE(places, 4);
}

// An object whose references fill several chunks.
TEST(NetcfReader, ManyReferences) {
  std::string log = "a 2 x 1\nt 1 A\no 5 1 c 6\no 6 1 c";
  constexpr int kReferences = 50'000;
  for (int i = 0; i < kReferences; ++i) log += i % 3 == 0 ? " 5" : " 7";
  log += "\no 7 1 c 5\nc x 1\n";
  VectorSink out;
  Context context;
  ASSERT_TRUE(ReadLog(log, &out, &context).ok());
  std::uint64_t edges = 0;
  for (const pb::Chunk& chunk : out.chunks()) edges += chunk.edges().count();
  EXPECT_EQ(edges, kReferences + 2U);
}

// Each finding with its count and all its lines.
std::set<std::string> TextsOf(const Context& context) {
  std::set<std::string> texts;
  for (const Finding& finding : context.findings()) {
    std::string text = finding.code + " " + std::to_string(finding.count) +
                       " " + std::to_string(finding.where.line);
    for (const Finding::Place& place : finding.others)
      text += " " + std::to_string(place.where.line);
    texts.insert(text);
  }
  return texts;
}

// Even if sinks ended earlier passes.
TEST(NetcfReader, FindingsAreToldOnce) {
  class EndingSink : public ChunkSink {
   public:
    explicit EndingSink(int chunks) : left_(chunks) {}
    Status Accept(const pb::Chunk& /*chunk*/) override {
      return --left_ < 0 ? Status(Code::kCancelled, "enough") : Status();
    }

   private:
    int left_;
  };
  std::string log = "a 2 x 1\n\n?\nt 1 A\n";
  for (int i = 0; i < 5; ++i) log += "o " + std::to_string(i + 5) + " 2 0 9\n";
  log += "c x 1\n";
  for (const std::uint64_t examples : {1, 3}) {
    Context expected;
    expected.examples = examples;
    ASSERT_TRUE(ReadLog(log, nullptr, &expected).ok());
    const auto source = ByteSource::FromMemory(log);
    Context context;
    context.examples = examples;
    const auto reader = kNetcfReader.make(*source, context);
    for (const int chunks : {3, 0, 5}) {
      EndingSink sink(chunks);
      EXPECT_EQ(reader->Read(ChunkSet::All(), sink).code(), Code::kCancelled);
    }
    VectorSink out;
    EXPECT_TRUE(reader->Read(ChunkSet::All(), out).ok());
    EXPECT_EQ(TextsOf(context), TextsOf(expected));
  }
}

TEST(NetcfReader, LongLinesAreLimited) {
  Context context;
  context.limits.max_string = 1000;
  const Status status =
      ReadLog("a 2 " + std::string(5'000'000, 'x'), nullptr, &context);
  EXPECT_EQ(status.code(), Code::kLimit);
  EXPECT_EQ(status.where().line, 1U);
}

// To the byte, in any kind of line. References are not text.
TEST(NetcfReader, TextsMayBeAsLongAsTheLimit) {
  const std::string start = "a 2 x 1\n";
  const std::string end = "\nc x 1\n";
  const std::string most(20, 'x');
  const auto code_of = [](const std::string& log) {
    Context context;
    context.limits.max_string = 20;
    return ReadLog(log, nullptr, &context).code();
  };
  for (const std::string_view line_end : {"\n", "\r\n"}) {
    const std::string object = "t 1 A" + std::string(line_end) + "o 5 1 c" +
                               std::string(40, ' ') + "5 5 5 5 5 5 5 5 5 5 5" +
                               std::string(line_end);
    EXPECT_EQ(code_of(start + object + "t 2 B" + end), Code::kOk);
    EXPECT_EQ(code_of(start + object + "t 2 B"), Code::kOk);
    EXPECT_EQ(code_of(start + object + "t 2 " + most + end), Code::kOk);
    EXPECT_EQ(code_of(start + object + "t 2 " + most + 'x' + end),
              Code::kLimit);
    EXPECT_EQ(code_of(start + object + most + end), Code::kOk);
    EXPECT_EQ(code_of(start + object + most + 'x' + end), Code::kLimit);
    EXPECT_EQ(code_of(start + object + most + 'x'), Code::kLimit);
  }
}

// The reader takes many UTF-16 lines at a time; the limit still applies per
// line.
TEST(NetcfReader, ShortLinesOfUtf16AreWithinLimits) {
  const auto utf16_of = [](const std::string& text) {
    std::string units = "\xFF\xFE";
    for (const char c : text) units.append({c, '\0'});
    return units;
  };
  Context context;
  context.limits.max_string = 1000;
  const std::string log = "a 2 x 1\nt 1 A\no 5 1 c\nc x 1\n";
  EXPECT_TRUE(ReadLog(utf16_of(log), nullptr, &context).ok());
  const Status status = ReadLog(utf16_of("a 2 " + std::string(5'000'000, 'x')),
                                nullptr, &context);
  EXPECT_EQ(status.code(), Code::kLimit);
}

// What a device that loses power leaves in a file.
TEST(NetcfReader, UnwrittenSpaceIsABlankLine) {
  EXPECT_EQ(Findings("a 2 x 1\n" + std::string(3 << 20, '\0')),
            "netcf.line.blank 1 2:1\nnetcf.line.nul 1 2:1\n"
            "netcf.line.last_without_end 1 2:0\n"
            "netcf.domain.missing_end 1 1:1\n");
  EXPECT_EQ(Findings(std::string(3 << 20, '\0')),
            "exit 4\nnetcf.line.blank 1 1:1\nnetcf.line.nul 1 1:1\n"
            "netcf.line.last_without_end 1 1:0\nnetcf.empty 1 1:1\n");
}

}  // namespace
}  // namespace heapglot
