// What every reader and every writer must do, checked over corpus/<format>. A
// new format gets all of it without new test code.
//
//   good/X               is read; small files are compared with goldens
//   bad/X + bad/X.error  is refused: "EXIT_CODE OFFSET"
//
// HEAPGLOT_ACCEPT=1 rewrites the goldens in tests/golden; review reads the
// diff.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/canonical/canonical_reader.h"
#include "core/check_sink.h"
#include "core/compare/graph_compare.h"
#include "core/compare/stream_compare.h"
#include "core/ir/edge_totals.h"
#include "core/loss/feature_tally.h"
#include "heapglot/bytes.h"
#include "heapglot/convert.h"
#include "heapglot/explain.h"
#include "heapglot/format.h"
#include "heapglot/validate.h"
#include "tests/sanitized.h"

namespace heapglot {
namespace {

namespace fs = std::filesystem;

// In bytes. Inputs up to this size have goldens and are damaged in every way.
constexpr std::uintmax_t kSmall = 2048;

struct Case {
  std::string format;
  fs::path path;
};

void PrintTo(const Case& test, std::ostream* out) {
  *out << test.format << "/" << test.path.filename().string();
}

std::vector<Case> Corpus(const char* folder) {
  std::vector<Case> cases;
  const fs::path corpus = HEAPGLOT_CORPUS_DIR;
  for (const ReaderInfo* const reader : Readers()) {
    const fs::path files = corpus / reader->name / folder;
    if (!fs::exists(files)) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(files)) {
      if (file.path().extension() == ".error") continue;
      cases.push_back({std::string(reader->name), file.path()});
    }
  }
  // Compare as text: paths compare part by part, which delays every process.
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) {
    return a.path.native() < b.path.native();
  });
  return cases;
}

std::vector<Case> SmallCorpus() {
  std::vector<Case> cases = Corpus("good");
  // Compressed files are small only because they are compressed.
  std::erase_if(cases, [](const Case& test) {
    return fs::file_size(test.path) > kSmall ||
           test.path.extension() == ".gz" || test.path.extension() == ".zst";
  });
  return cases;
}

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  std::string name =
      info.param.format + "_" + info.param.path.filename().string();
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char byte) { return std::isalnum(byte) == 0; }, '_');
  return name;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The chunks as text.
class TextSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    std::string text;
    google::protobuf::TextFormat::Printer printer;
    printer.SetUseShortRepeatedPrimitives(true);
    printer.PrintToString(chunk, &text);
    text_ += text;
    return {};
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Forgets everything.
class NullSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk&) override { return {}; }
};

// Compares with a golden file, or writes it (see above).
void ExpectGolden(const std::string& text, const fs::path& golden) {
  if (std::getenv("HEAPGLOT_ACCEPT") != nullptr) {
    fs::create_directories(golden.parent_path());
    std::ofstream(golden, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(fs::exists(golden)) << golden << ": make it by HEAPGLOT_ACCEPT=1";
  EXPECT_EQ(text, ReadFile(golden)) << golden;
}

fs::path GoldenPath(const Case& test, std::string_view extension) {
  return fs::path(HEAPGLOT_CORPUS_DIR).parent_path() / "tests" / "golden" /
         test.format /
         (test.path.filename().string() + "." + std::string(extension));
}

std::unique_ptr<ByteSource> Open(const fs::path& path) {
  Result<std::unique_ptr<ByteSource>> source =
      ByteSource::Open(path.string(), Limits());
  EXPECT_TRUE(source.ok()) << source.status().ToString(path.string());
  return source.ok() ? *std::move(source) : nullptr;
}

// --------------------------------------------------------------- good files

class Good : public ::testing::TestWithParam<Case> {
 protected:
  // With a sanitizer, a large file is only written once in each format (see
  // WhatIsWrittenCanBeRead).
  bool IsOnceOnly() const { return TakesTooLong(GetParam().path); }
};

TEST_P(Good, IsIdentifiedByItsContent) {
  const auto source = Open(GetParam().path);
  const Result<const ReaderInfo*> reader = Identify(source->bytes());
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_EQ((*reader)->name, GetParam().format);
}

TEST_P(Good, KeepsTheGrammar) {
  const auto source = Open(GetParam().path);
  Context context;
  const auto reader = FindReader(GetParam().format)->make(*source, context);
  for (int run = 0; run < 2; ++run) {
    CheckSink check(ChunkSet::All());
    const Status status = reader->Read(ChunkSet::All(), check);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const Status end = check.Finish();
    ASSERT_TRUE(end.ok()) << end.ToString();
  }
}

// For each kind of chunk, the sum of each field over all chunks: of numbers,
// and of the bytes of texts. Independent of how rows are cut into chunks.
class SumSink : public ChunkSink {
 public:
  using Sums = std::map<std::string, std::uint64_t>;

  Status Accept(const pb::Chunk& chunk) override {
    const auto* const field = pb::Chunk::descriptor()->FindFieldByNumber(
        static_cast<int>(chunk.body_case()));
    Add(chunk.GetReflection()->GetMessage(chunk, field), field->name(),
        sums_[chunk.body_case()]);
    return {};
  }
  const Sums& Of(pb::Chunk::BodyCase kind) { return sums_[kind]; }

 private:
  using Message = google::protobuf::Message;
  using Field = google::protobuf::FieldDescriptor;

  static void Add(const Message& message, const std::string& name, Sums& sums) {
    std::vector<const Field*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const Field* const field : fields) {
      // These depend on the cuts: where a chunk begins, and words for its runs.
      if (field->name().starts_with("first") || field->name() == "body")
        continue;
      std::uint64_t& sum = sums[name + "." + field->name()];
      const int values =
          field->is_repeated()
              ? message.GetReflection()->FieldSize(message, field)
              : 1;
      for (int i = 0; i < values; ++i) {
        if (field->cpp_type() == Field::CPPTYPE_MESSAGE)
          Add(field->is_repeated()
                  ? message.GetReflection()->GetRepeatedMessage(message, field,
                                                                i)
                  : message.GetReflection()->GetMessage(message, field),
              name + "." + field->name(), sums);
        else if (field->is_repeated() || field->name() == "count" ||
                 field->cpp_type() == Field::CPPTYPE_STRING)
          sum += ValueOf(message, *field, i);
        else  // the same for many chunks
          sum = std::max(sum, ValueOf(message, *field, i));
      }
    }
  }

  // 0 for a default, which may be left out.
  static std::uint64_t ValueOf(const Message& message, const Field& field,
                               int i) {
    const auto& reflection = *message.GetReflection();
    if (field.cpp_type() == Field::CPPTYPE_ENUM) {
      return static_cast<std::uint64_t>(
          field.is_repeated()
              ? reflection.GetRepeatedEnumValue(message, &field, i)
              : reflection.GetEnumValue(message, &field));
    }
    std::string text;
    google::protobuf::TextFormat::PrintFieldValueToString(
        message, &field, field.is_repeated() ? i : -1, &text);
    std::uint64_t sum = 0;
    const bool is_negative = text.starts_with('-');
    const char* const end = text.data() + text.size();
    const auto parsed =
        std::from_chars(text.data() + (is_negative ? 1 : 0), end, sum);
    if (parsed.ec == std::errc() && parsed.ptr == end)
      return is_negative ? 0 - sum : sum;
    if (text == "false") return 0;
    for (const char byte : text) sum += static_cast<unsigned char>(byte);
    // The printer puts each piece of a text in quotes.
    const bool is_text = field.cpp_type() == Field::CPPTYPE_STRING;
    return is_text ? sum - 2 * std::uint64_t{'"'} : sum;
  }

  std::map<pb::Chunk::BodyCase, Sums> sums_;
};

TEST_P(Good, EverySelectionHasWhatTheWholeHas) {
  const auto source = Open(GetParam().path);
  Context context;
  const auto reader = FindReader(GetParam().format)->make(*source, context);
  SumSink whole;
  ASSERT_TRUE(reader->Read(ChunkSet::All(), whole).ok());
  const google::protobuf::Descriptor& chunk = *pb::Chunk::descriptor();
  for (int i = 0; i < chunk.field_count(); ++i) {
    const auto kind =
        static_cast<pb::Chunk::BodyCase>(chunk.field(i)->number());
    const ChunkSet wanted = {kind};
    CheckSink check(wanted);
    const Status status = reader->Read(wanted, check);
    EXPECT_TRUE(status.ok()) << status.ToString();
    SumSink selected;
    ASSERT_TRUE(reader->Read(wanted, selected).ok());
    EXPECT_EQ(selected.Of(kind), whole.Of(kind)) << chunk.field(i)->name();
  }
}

// Our readers pass the check that is offered for readers of other programs.
TEST_P(Good, PassesTheCheckOfReaders) {
  const ReaderInfo& format = *FindReader(GetParam().format);
  if (&format == &IrReader()) GTEST_SKIP() << "is of any format";
  if (IsOnceOnly()) GTEST_SKIP() << "with a sanitizer";
  const auto source = Open(GetParam().path);
  Context context;
  EXPECT_EQ(CheckReader(format, *source, context).ToString(), "");
}

// Each loss that a run reports is one that `explain` declares for the pair,
// with the same class or a better one.
void ExpectDeclared(const LossReport& report, const ReaderInfo& from,
                    const WriterInfo& to,
                    std::optional<Unreachable> unreachable) {
  const PairFidelity pair = Explain(from, to, unreachable);
  std::map<std::string_view, LossClass> classes;
  for (const FeatureFate& fate : pair.features) {
    for (const FidelityRow& row : fate.rows) classes[row.code] = row.loss_class;
  }
  for (const LossReport::Item& item : report.items()) {
    const auto declared = classes.find(item.code);
    if (declared == classes.end()) {
      ADD_FAILURE() << item.code << " is not declared from " << from.name;
      continue;
    }
    EXPECT_LE(item.loss_class, declared->second) << item.code;
    EXPECT_LE(item.examples.size(), LossReport::kExamples) << item.code;
    EXPECT_NE(item.count, 0U) << item.code;
  }
  for (const LossReport::Item& item : report.synthesized()) {
    const auto declared = std::find_if(
        pair.synthesized.begin(), pair.synthesized.end(),
        [&](const SynthesizedRow& row) { return row.code == item.code; });
    EXPECT_NE(declared, pair.synthesized.end()) << item.code;
  }
}

// Converts, and checks what a user would not see. The stream is one that `from`
// produces.
std::string Convert(const ByteSource& source, const ConvertOptions& options,
                    const ReaderInfo& from) {
  const WriterInfo& to = *options.to;
  std::string output;
  Context context;
  const auto sink = ByteSink::ToString(&output);
  const Status status = Convert(source, *sink, options, context);
  EXPECT_TRUE(status.ok()) << to.name << ": " << status.ToString();
  ExpectDeclared(context.loss, from, to, options.unreachable);
  if (from.name == to.name && !options.unreachable) {
    EXPECT_EQ(context.loss.worst(), LossClass::kExact) << to.name;
  }
  return output;
}

std::string Convert(const ByteSource& source, const ConvertOptions& options) {
  return Convert(source, options, *options.from);
}

// Converts without leftovers: keeps only what the format itself can hold.
std::string ConvertTo(const ByteSource& source, const ReaderInfo& from,
                      const WriterInfo& to) {
  return Convert(source, {.from = &from, .to = &to, .embed = false});
}

// Counts everything that a reader sends for a file.
FeatureTally TallyOf(const ByteSource& source, const ReaderInfo& format) {
  Context context;
  FeatureTally tally;
  EXPECT_TRUE(CountFeatures(*format.make(source, context), &tally).ok());
  return tally;
}

TEST_P(Good, HasDeclaredFeaturesOnly) {
  const ReaderInfo& reader = *FindReader(GetParam().format);
  const FeatureTally tally = TallyOf(*Open(GetParam().path), reader);
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    EXPECT_TRUE(tally.count(feature) == 0 || reader.produces.Has(feature))
        << Key(feature);
  }
}

// The counts that a reader makes by itself match the stream.
TEST_P(Good, CountsRowsAsTheyAre) {
  const ReaderInfo& format = *FindReader(GetParam().format);
  const auto source = Open(GetParam().path);
  Context context;
  const std::unique_ptr<Reader> reader = format.make(*source, context);
  // A reader has no counts before its first pass.
  FeatureTally streamed;
  ASSERT_FALSE(reader->CountedRows().has_value());
  ASSERT_TRUE(CountFeatures(*reader, &streamed).ok());
  if (!reader->CountedRows().has_value())
    GTEST_SKIP() << "counts nothing by itself";
  FeatureTally counted;
  ASSERT_TRUE(CountFeatures(*reader, &counted).ok());
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    EXPECT_EQ(counted.count(feature), streamed.count(feature)) << Key(feature);
  }
}

// CheckSink does not require a count of the edges that a reader adds; our
// readers give one.
TEST_P(Good, CountsTheEdgesThatItAdds) {
  struct Sink : ChunkSink {
    Status Accept(const pb::Chunk& chunk) override {
      if (chunk.has_graph()) totals = {};
      if (chunk.has_vocabulary()) totals.Add(chunk.vocabulary());
      if (chunk.has_edges()) totals.Add(chunk.edges());
      if (!chunk.has_graph_end()) return {};
      EXPECT_EQ(chunk.graph_end().edges_synthesized(), totals.synthesized);
      sum += totals.synthesized;
      return {};
    }
    EdgeTotals totals;
    std::uint64_t sum = 0;
  };
  const ReaderInfo& format = *FindReader(GetParam().format);
  if (&format == &IrReader()) GTEST_SKIP() << "says what the file says";
  const auto source = Open(GetParam().path);
  Context context;
  Sink sink;
  ASSERT_TRUE(format.make(*source, context)->Read(ChunkSet::All(), sink).ok());
  EXPECT_TRUE(format.adds_edges || sink.sum == 0);
}

TEST_P(Good, GoesToEveryFormatTheSameWayTwice) {
  if (IsOnceOnly()) GTEST_SKIP() << "with a sanitizer";
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  for (const WriterInfo* const to : Writers()) {
    const std::string output = ConvertTo(*source, from, *to);
    EXPECT_FALSE(output.empty());
    EXPECT_EQ(output == ConvertTo(*source, from, *to), true) << to->name;
  }
}

TEST_P(Good, LosesOnlyWhatIsDeclaredWhateverBecomesOfGarbage) {
  if (IsOnceOnly()) GTEST_SKIP() << "with a sanitizer";
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  for (const WriterInfo* const to : Writers()) {
    for (const Unreachable unreachable :
         {Unreachable::kKeep, Unreachable::kRoot, Unreachable::kDrop}) {
      SCOPED_TRACE(std::string(to->name) + " " +
                   std::to_string(static_cast<int>(unreachable)));
      const std::string output = Convert(*source, {.from = &from,
                                                   .to = to,
                                                   .unreachable = unreachable,
                                                   .embed = false});
      EXPECT_FALSE(output.empty());
    }
  }
}

TEST_P(Good, WhatIsWrittenCanBeRead) {
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  for (const WriterInfo* const to : Writers()) {
    const ReaderInfo* const back = FindReader(to->name);
    if (back == nullptr) continue;
    const std::string output = ConvertTo(*source, from, *to);
    const auto written = ByteSource::FromMemory(output);
    const Result<const ReaderInfo*> identified = Identify(output);
    ASSERT_TRUE(identified.ok()) << to->name;
    EXPECT_EQ((*identified)->name, to->name);
    Context context;
    CheckSink check(ChunkSet::All());
    const Status status =
        back->make(*written, context)->Read(ChunkSet::All(), check);
    EXPECT_TRUE(status.ok()) << to->name << ": " << status.ToString();
    const Status end = check.Finish();
    EXPECT_TRUE(end.ok()) << to->name << ": " << end.ToString();
  }
}

// Expects the validator to agree with the reader: `is_read` says whether the
// reader accepts the file.
void ExpectAgrees(const ByteSource& source, const ReaderInfo& format,
                  bool is_read) {
  Context context;
  const Result<Validation> validation = Validate(source, format, context);
  ASSERT_TRUE(validation.ok()) << validation.status().ToString();
  EXPECT_EQ(validation->is_whole, is_read);
  EXPECT_TRUE(is_read || validation->Count(Severity::kError) > 0)
      << "no error in what cannot be read";
}

TEST_P(Good, IsValid) {
  const auto source = Open(GetParam().path);
  ExpectAgrees(*source, *FindReader(GetParam().format), true);
}

// --from overrides detection, so a reader may get any input.
TEST_P(Good, OtherReadersSayWhatIsWrong) {
  const auto source = Open(GetParam().path);
  for (const ReaderInfo* const reader : Readers()) {
    if (reader->name == GetParam().format) continue;
    Context context;
    CheckSink check(ChunkSet::All());
    const Status status =
        reader->make(*source, context)->Read(ChunkSet::All(), check);
    EXPECT_TRUE(status.code() == Code::kMalformed ||
                status.code() == Code::kTruncated ||
                status.code() == Code::kUnsupported)
        << reader->name << ": " << status.ToString();
  }
}

TEST_P(Good, ReturnsToItsOwnFormatAsTheSameFile) {
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  const WriterInfo* const to = FindWriter(from.name);
  if (to == nullptr) GTEST_SKIP() << "cannot be written";
  EXPECT_EQ(ConvertTo(*source, from, *to) == source->bytes(), true);
}

TEST_P(Good, ReturnsFromTheIrAsTheSameFile) {
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  const WriterInfo* const to = FindWriter(from.name);
  const ReaderInfo* const ir_reader = FindReader("heapir");
  const WriterInfo* const ir_writer = FindWriter("heapir");
  if (to == nullptr || ir_reader == nullptr) GTEST_SKIP() << "no way back";
  const std::string ir = ConvertTo(*source, from, *ir_writer);
  const auto ir_source = ByteSource::FromMemory(ir);
  EXPECT_EQ(ConvertTo(*ir_source, *ir_reader, *to) == source->bytes(), true);
}

// A file converted from another one, with its sidecar.
struct Made {
  std::string file;
  std::string sidecar;  // empty: the leftovers are in the file
};

Made MakeWithLeftovers(const ByteSource& source, const ReaderInfo& from,
                       const WriterInfo& to) {
  Made made;
  ConvertOptions options = {.from = &from, .to = &to};
  const auto sidecar = ByteSink::ToString(&made.sidecar);
  if (to.max_leftovers == 0) options.new_sidecar = sidecar.get();
  made.file = Convert(source, options);
  return made;
}

bool CarriesLeftovers(const Made& made, const ReaderInfo& reader) {
  if (!made.sidecar.empty()) return true;
  const auto file = ByteSource::FromMemory(made.file);
  return reader.find_leftovers != nullptr &&
         reader.find_leftovers(*file).has_value();
}

std::string ConvertBack(const Made& made, const ReaderInfo& from,
                        const WriterInfo& to) {
  const auto file = ByteSource::FromMemory(made.file);
  const auto sidecar = ByteSource::FromMemory(made.sidecar);
  ConvertOptions options = {.from = &from, .to = &to};
  if (!made.sidecar.empty()) options.sidecar = sidecar.get();
  // With leftovers, the stream is the one of an IR file.
  return Convert(*file, options, from.name == to.name ? from : IrReader());
}

// The writers of all formats except `from` and the IR.
std::vector<const WriterInfo*> OtherWriters(const ReaderInfo& from) {
  std::vector<const WriterInfo*> others;
  for (const WriterInfo* const to : Writers()) {
    if (to->name != from.name && to != &IrWriter()) others.push_back(to);
  }
  return others;
}

TEST_P(Good, ReturnsFromEveryFormatAsTheSameFile) {
  if (IsOnceOnly()) GTEST_SKIP() << "with a sanitizer";
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  const WriterInfo* const home = FindWriter(from.name);
  if (home == nullptr) GTEST_SKIP() << "cannot be written";
  std::string expected(source->bytes());
  // The layout that another program gave an IR file is not kept.
  if (home == &IrWriter())
    expected =
        Convert(*source, {.from = &from, .to = home, .layout = kUsualLayout});
  for (const WriterInfo* const to : OtherWriters(from)) {
    const Made made = MakeWithLeftovers(*source, from, *to);
    const ReaderInfo& middle = *FindReader(to->name);
    // An IR file may return as the source that it was made from.
    if (home == &IrWriter() && !CarriesLeftovers(made, middle)) continue;
    EXPECT_EQ(ConvertBack(made, middle, *home) == expected, true) << to->name;
    // Rewriting the converted dump in its own format keeps its leftovers.
    if (to->max_leftovers > 0) {
      EXPECT_EQ(ConvertBack(made, middle, *to) == made.file, true) << to->name;
    }
  }
}

// Expects a file rewritten in its format's usual layout to say the same, and to
// have that layout.
void ExpectSameInUsualLayout(const std::string& made,
                             const ReaderInfo& format) {
  if (FindWriter(format.name) == nullptr) return;
  const auto anew = [&](const ByteSource& file) {
    std::string output;
    Context context;
    const auto sink = ByteSink::ToString(&output);
    const Status status = Convert(file, *sink,
                                  {.from = &format,
                                   .to = FindWriter(format.name),
                                   .layout = kUsualLayout,
                                   .ignore_leftovers = true},
                                  context);
    EXPECT_TRUE(status.ok()) << format.name << ": " << status.ToString();
    return output;
  };
  const auto file = ByteSource::FromMemory(made);
  const std::string usual = anew(*file);
  const auto usual_file = ByteSource::FromMemory(usual);
  EXPECT_EQ(anew(*usual_file) == usual, true) << format.name;
  Context context;
  const auto before = format.make(*file, context);
  const auto after = format.make(*usual_file, context);
  const Result<StreamDifference> difference = CompareStreams(*before, *after);
  ASSERT_TRUE(difference.ok()) << difference.status().ToString();
  // The spelling of an Extra, and text after a cut, are layout.
  std::vector<std::string> names = difference->Names();
  std::erase_if(
      names, [](const std::string& name) { return name.starts_with("extra"); });
  EXPECT_EQ(names, std::vector<std::string>()) << format.name;
}

TEST_P(Good, SaysTheSameInTheUsualLayout) {
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  constexpr std::size_t kMost = std::size_t{256} << 10;
  if (source->bytes().size() > kMost) GTEST_SKIP() << "others are as odd";
  ExpectSameInUsualLayout(std::string(source->bytes()), from);
  for (const WriterInfo* const to : OtherWriters(from)) {
    SCOPED_TRACE(to->name);
    ExpectSameInUsualLayout(ConvertTo(*source, from, *to),
                            *FindReader(to->name));
  }
}

// The form in which an archive keeps a dump.
std::string CanonicalForm(const ByteSource& source, const ReaderInfo& from) {
  Context context;
  const auto reader = from.make(source, context);
  const auto canonical = MakeCanonicalReader(*reader, context);
  std::string made;
  const auto sink = ByteSink::ToString(&made);
  const auto writer = IrWriter().make(*sink, {}, context);
  const Status status = RunPasses(*canonical, *writer, 1);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return made;
}

GraphComparison CompareFiles(const ByteSource& a, const ReaderInfo& format_a,
                             const ByteSource& b, const ReaderInfo& format_b) {
  Context context_a;
  Context context_b;
  GraphComparison comparison;
  const Status status =
      CompareGraphs(*format_a.make(a, context_a), *format_b.make(b, context_b),
                    {}, &comparison);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return comparison;
}

// Sends a stream with the ExtraTables of each graph sorted by name.
class TablesByName : public Reader, private ChunkSink {
 public:
  explicit TablesByName(Reader& upstream) : upstream_(upstream) {}
  Status Read(ChunkSet wanted, ChunkSink& out) override {
    out_ = &out;
    HEAPGLOT_RETURN_IF_ERROR(upstream_.Read(wanted, *this));
    return SendTables();
  }

 private:
  Status Accept(const pb::Chunk& chunk) override {
    if (chunk.has_extra_table()) {
      tables_[chunk.extra_table().name()].push_back(chunk);
      return {};
    }
    if (chunk.has_graph_end()) HEAPGLOT_RETURN_IF_ERROR(SendTables());
    return out_->Accept(chunk);
  }
  Status SendTables() {
    for (const auto& [name, chunks] : tables_)
      for (const pb::Chunk& chunk : chunks)
        HEAPGLOT_RETURN_IF_ERROR(out_->Accept(chunk));
    tables_.clear();
    return {};
  }

  Reader& upstream_;
  ChunkSink* out_ = nullptr;
  std::map<std::string, std::vector<pb::Chunk>> tables_;
};

// The tables outside the graph that differ, with their columns.
std::string ChangedTables(const ByteSource& a, const ReaderInfo& format_a,
                          const ByteSource& b, const ReaderInfo& format_b) {
  Context context_a;
  Context context_b;
  const auto reader_a = format_a.make(a, context_a);
  const auto reader_b = format_b.make(b, context_b);
  TablesByName sorted_a(*reader_a);
  TablesByName sorted_b(*reader_b);
  const Result<StreamDifference> found = CompareStreams(sorted_a, sorted_b, {});
  EXPECT_TRUE(found.ok()) << found.status().ToString();
  std::string changed;
  for (const std::string& name : found->Names()) {
    for (const char* const table :
         {"extra_tables", "locations", "samples", "trace_"}) {
      if (name.starts_with(table)) changed += name + "\n";
    }
  }
  return changed;
}

TEST_P(Good, ReturnsFromItsCanonicalFormAsTheSameGraph) {
  if (IsOnceOnly()) GTEST_SKIP() << "with a sanitizer";
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  const std::string canonical = CanonicalForm(*source, from);
  const auto canonical_source = ByteSource::FromMemory(canonical);
  std::vector<std::string_view> formats = {from.name};
  // A handmade IR file may lack what other formats need.
  if (&from != &IrReader()) formats.insert(formats.end(), {"ndjson", "sqlite"});
  for (const std::string_view name : formats) {
    const WriterInfo* const to = FindWriter(name);
    if (to == nullptr) continue;
    std::string output;
    Context context;
    const auto sink = ByteSink::ToString(&output);
    const Status status =
        Convert(*canonical_source, *sink, {.to = to, .embed = false}, context);
    ASSERT_TRUE(status.ok()) << name << ": " << status.ToString();
    const auto file = ByteSource::FromMemory(output);
    const GraphComparison found =
        CompareFiles(*source, from, *file, *FindReader(name));
    EXPECT_TRUE(found.same) << name;
    EXPECT_EQ(ChangedTables(*source, from, *file, *FindReader(name)), "")
        << name;
    EXPECT_NE(found.ids, GraphComparison::Ids::kDifferent) << name;
  }
}

// A change requested on the way to a file's own format is not undone by
// restoring the original layout.
TEST_P(Good, SaysWhatWasChangedOfIt) {
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  constexpr std::size_t kMost = std::size_t{256} << 10;
  if (source->bytes().size() > kMost) GTEST_SKIP() << "others are as odd";
  for (const WriterInfo* const to : Writers()) {
    if (!to->native_needs_layout) continue;
    const std::string made_bytes = ConvertTo(*source, from, *to);
    const auto made = ByteSource::FromMemory(made_bytes);
    const ReaderInfo& format = *FindReader(to->name);
    const auto change = [&](const WriterInfo& writer, Unreachable unreachable) {
      std::string output;
      Context context;
      const auto sink = ByteSink::ToString(&output);
      const Status status = Convert(*made, *sink,
                                    {.from = &format,
                                     .to = &writer,
                                     .unreachable = unreachable,
                                     .embed = false},
                                    context);
      EXPECT_TRUE(status.ok()) << to->name << ": " << status.ToString();
      return output;
    };
    for (const auto how : {Unreachable::kRoot, Unreachable::kDrop}) {
      const std::string ir_bytes = change(IrWriter(), how);
      const std::string file_bytes = change(*to, how);
      const auto ir = ByteSource::FromMemory(ir_bytes);
      const auto file = ByteSource::FromMemory(file_bytes);
      EXPECT_TRUE(CompareFiles(*ir, IrReader(), *file, format).same)
          << to->name << " " << static_cast<int>(how);
    }
  }
}

// What only describes the layout of one of our files stays out of the other
// format.
TEST_P(Good, TakesNoLayoutAlong) {
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  constexpr std::size_t kMost = std::size_t{256} << 10;
  if (source->bytes().size() > kMost) GTEST_SKIP() << "others are as odd";
  const std::string_view ways[][2] = {{"ndjson", "sqlite"},
                                      {"sqlite", "ndjson"}};
  for (const auto& way : ways) {
    if (from.name == way[0]) continue;
    const ReaderInfo& middle = *FindReader(way[0]);
    const std::string made_bytes =
        ConvertTo(*source, from, *FindWriter(way[0]));
    const auto made = ByteSource::FromMemory(made_bytes);
    const std::string other_bytes =
        ConvertTo(*made, middle, *FindWriter(way[1]));
    const auto other = ByteSource::FromMemory(other_bytes);
    Context context;
    const auto before = middle.make(*made, context);
    const auto after = FindReader(way[1])->make(*other, context);
    const Result<StreamDifference> difference = CompareStreams(*before, *after);
    ASSERT_TRUE(difference.ok()) << difference.status().ToString();
    // Lines kept from the previous format have another name here.
    for (const std::string& name : difference->Names())
      EXPECT_TRUE(!name.starts_with("extra") || name == "extra.format")
          << way[1] << " " << name;
  }
}

// The loss of ids does not depend on whether they are stored in a column.
TEST_P(Good, LosesItsIdsFromItsCanonicalFormAsAlways) {
  if (IsOnceOnly()) GTEST_SKIP() << "with a sanitizer";
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  if (&from == &IrReader()) GTEST_SKIP() << "may lack what says more";
  const std::string canonical = CanonicalForm(*source, from);
  const auto canonical_source = ByteSource::FromMemory(canonical);
  const auto lost = [](const ByteSource& dump, const WriterInfo& to) {
    std::string output;
    Context context;
    const auto sink = ByteSink::ToString(&output);
    const Status status = Convert(
        dump, *sink, {.to = &to, .native = false, .embed = false}, context);
    EXPECT_TRUE(status.ok()) << to.name << ": " << status.ToString();
    std::string ids;
    for (const LossReport::Item& item : context.loss.items()) {
      if (item.code.find(".node.id") == std::string_view::npos) continue;
      ids.append(item.code).append(" ").append(std::to_string(item.count));
    }
    return ids;
  };
  for (const WriterInfo* const to : OtherWriters(from))
    EXPECT_EQ(lost(*canonical_source, *to), lost(*source, *to)) << to->name;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Good, ::testing::ValuesIn(Corpus("good")),
                         CaseName);

// ------------------------------------------------------------- declarations

// Declared features that no file in the corpus has, with the reason.
constexpr std::string_view kNoFormat =
    "the IR has it for formats to come; the tests of this one make it by hand";
constexpr struct {
  std::string_view format;
  Feature feature;
  std::string_view reason;
} kNotInCorpus[] = {
    {"ndjson", Feature::kNodeHeapSpace, kNoFormat},
    {"ndjson", Feature::kNodePhantom, kNoFormat},
    {"ndjson", Feature::kValueOther, kNoFormat},
    {"ndjson", Feature::kStack, kNoFormat},
    {"sqlite", Feature::kValueOther, kNoFormat},
    {"heapir", Feature::kValueOther, kNoFormat},
};

bool IsExcused(std::string_view format, Feature feature) {
  return std::any_of(std::begin(kNotInCorpus), std::end(kNotInCorpus),
                     [&](const auto& it) {
                       return it.format == format && it.feature == feature;
                     });
}

using SeenFeatures = std::map<std::string_view, FeatureSet>;

void See(const ByteSource& source, const ReaderInfo& format,
         SeenFeatures* seen) {
  const FeatureTally tally = TallyOf(source, format);
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (tally.count(feature) != 0) (*seen)[format.name].Add(feature);
  }
}

// Each occurs in the corpus, or in a conversion of one of its small files.
TEST(Declarations, EachFeatureOfAReaderOccurs) {
  SeenFeatures seen;
  for (const Case& test : Corpus("good")) {
    const auto source = Open(test.path);
    const ReaderInfo& from = *FindReader(test.format);
    See(*source, from, &seen);
    if (fs::file_size(test.path) > kSmall) continue;
    for (const WriterInfo* const to : Writers()) {
      const std::string output = ConvertTo(*source, from, *to);
      See(*ByteSource::FromMemory(output), *FindReader(to->name), &seen);
    }
  }
  for (const ReaderInfo* const reader : Readers()) {
    const FeatureSet& in_corpus = seen[reader->name];
    for (std::size_t i = 0; i < kFeatures; ++i) {
      const auto feature = static_cast<Feature>(i);
      const bool is_missing =
          reader->produces.Has(feature) && !in_corpus.Has(feature);
      EXPECT_EQ(is_missing, IsExcused(reader->name, feature))
          << reader->name << ": " << Key(feature);
    }
  }
}

TEST(Declarations, EachWriterHasARuleForEachFeature) {
  for (const WriterInfo* const writer : Writers()) {
    std::map<Feature, int> rules;
    std::map<std::string_view, int> codes;
    for (const FidelityRow& row : writer->fidelity) {
      rules[row.feature] += IsRule(row, writer->name) ? 1 : 0;
      EXPECT_EQ(++codes[row.code], 1) << row.code;
      EXPECT_TRUE(row.code.starts_with(std::string(writer->name) + "."))
          << row.code;
      EXPECT_FALSE(row.note.empty() || row.note.ends_with('.')) << row.code;
    }
    for (std::size_t i = 0; i < kFeatures; ++i) {
      const auto feature = static_cast<Feature>(i);
      EXPECT_EQ(rules[feature], 1) << writer->name << ": " << Key(feature);
    }
    for (const SynthesizedRow& row : writer->synthesized) {
      EXPECT_TRUE(row.code.starts_with(std::string(writer->name) + "."))
          << row.code;
      EXPECT_FALSE(row.note.empty()) << row.code;
    }
  }
}

TEST(Declarations, WhatReadersLoseIsFound) {
  for (const ReaderInfo* const reader : Readers()) {
    for (const FidelityRow& row : reader->losses) {
      ASSERT_NE(reader->validator, nullptr) << row.code;
      const std::span<const Rule> rules = reader->validator->rules;
      EXPECT_EQ(
          std::count_if(rules.begin(), rules.end(),
                        [&](const Rule& rule) { return rule.id == row.code; }),
          1)
          << row.code;
      EXPECT_EQ(row.loss_class, LossClass::kDropped) << row.code;
      EXPECT_TRUE(reader->produces.Has(row.feature)) << row.code;
      EXPECT_FALSE(row.note.empty() || row.note.ends_with('.')) << row.code;
    }
  }
}

TEST(Declarations, KeysOfFeaturesAreUnique) {
  std::map<std::string_view, int> keys;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto feature = static_cast<Feature>(i);
    EXPECT_EQ(++keys[Key(feature)], 1) << Key(feature);
    EXPECT_LE(Title(feature).size(), 40U) << Key(feature);
  }
}

// -------------------------------------------------------------- small files

class Small : public ::testing::TestWithParam<Case> {};

TEST_P(Small, HasTheGoldenChunks) {
  const auto source = Open(GetParam().path);
  Context context;
  const auto reader = FindReader(GetParam().format)->make(*source, context);
  TextSink text;
  ASSERT_TRUE(reader->Read(ChunkSet::All(), text).ok());
  ExpectGolden(text.text(), GoldenPath(GetParam(), "txtpb"));
}

TEST_P(Small, HasTheGoldenOutput) {
  const auto source = Open(GetParam().path);
  for (const WriterInfo* const writer : Writers()) {
    // Chunks have goldens already, and SQL checks the rows (tests/sqlite).
    if (writer->library_decides_bytes) continue;
    std::string output;
    Context context;
    const auto sink = ByteSink::ToString(&output);
    const Status status = Convert(
        *source, *sink,
        {.from = FindReader(GetParam().format), .to = writer, .embed = false},
        context);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ExpectGolden(output, GoldenPath(GetParam(), writer->name));
  }
}

TEST_P(Small, GoesThroughEveryPairOfFormats) {
  const auto source = Open(GetParam().path);
  std::size_t pair = source->bytes().size();
  const ReaderInfo& from = *FindReader(GetParam().format);
  for (const WriterInfo* const via : Writers()) {
    const std::string middle = ConvertTo(*source, from, *via);
    const auto middle_source = ByteSource::FromMemory(middle);
    for (const WriterInfo* const to : Writers()) {
      // With a sanitizer, only a third of the pairs, which vary between files.
      if (kSanitized && ++pair % 3 != 0) continue;
      const std::string output =
          ConvertTo(*middle_source, *FindReader(via->name), *to);
      EXPECT_FALSE(output.empty()) << via->name << ", " << to->name;
      EXPECT_TRUE(via != to || output == middle) << via->name;
    }
  }
}

// Leftovers match the exact bytes of a file: after a change, the reader returns
// what the file says now and reports a finding, or fails.
TEST_P(Small, NoticesThatAMadeFileWasChanged) {
  const auto source = Open(GetParam().path);
  const ReaderInfo& from = *FindReader(GetParam().format);
  for (const WriterInfo* const to : OtherWriters(from)) {
    const Made made = MakeWithLeftovers(*source, from, *to);
    // An IR file returns to its source format without leftovers.
    if (!CarriesLeftovers(made, *FindReader(to->name))) continue;
    const auto sidecar = ByteSource::FromMemory(made.sidecar);
    const std::uint64_t native = ConvertTo(*source, from, *to).size();
    for (std::size_t at = 0; at < native; at += 1 + native / Rounds(16)) {
      std::string changed = made.file;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      const auto file = ByteSource::FromMemory(changed);
      std::string output;
      Context context;
      const auto sink = ByteSink::ToString(&output);
      ConvertOptions options = {.from = FindReader(to->name),
                                .to = &IrWriter()};
      if (!made.sidecar.empty()) options.sidecar = sidecar.get();
      const Status status = Convert(*file, *sink, options, context);
      const bool told = std::any_of(
          context.findings().begin(), context.findings().end(),
          [](const Finding& it) { return it.code.starts_with("leftovers."); });
      EXPECT_TRUE(told || !status.ok())
          << to->name << ", byte " << at << ": " << status.ToString();
    }
  }
}

// In bytes, beyond the size of the content.
constexpr std::uint64_t kMostMemory = std::uint64_t{40} << 20;

// How much resident memory has grown since construction: the process may have
// run other tests before.
class MemoryWatch {
 public:
  MemoryWatch() {
    malloc_trim(0);
    // Resets the peak (proc(5)).
    std::ofstream("/proc/self/clear_refs") << 5;
    before_ = OfStatus("VmRSS:");
  }

  // An upper bound in bytes; 0 with sanitizers, whose own memory counts, too.
  std::uint64_t Peak() const {
    if (kSanitized) return 0;
    const std::uint64_t peak = OfStatus("VmHWM:");
    return peak - std::min(peak, before_);
  }

 private:
  // In bytes.
  static std::uint64_t OfStatus(std::string_view key) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      std::uint64_t kilobytes = 0;
      if (word == key && status >> kilobytes) return kilobytes * 1024;
    }
    return 0;
  }

  std::uint64_t before_ = 0;
};

// Reads damaged bytes; expects an error, or a stream that keeps the grammar.
Status ReadDamaged(const std::string& bytes, const ReaderInfo& reader) {
  const auto source = ByteSource::FromMemory(bytes);
  Context context;
  CheckSink check(ChunkSet::All());
  const Status status =
      reader.make(*source, context)->Read(ChunkSet::All(), check);
  EXPECT_NE(status.code(), Code::kInternal) << status.ToString();
  EXPECT_NE(status.code(), Code::kInput) << status.ToString();
  if (!status.ok()) return status;
  const Status end = check.Finish();
  EXPECT_TRUE(end.ok()) << end.ToString();
  return status;
}

TEST_P(Small, EveryPrefixIsTruncatedOrWhole) {
  const MemoryWatch memory;
  const std::string bytes = ReadFile(GetParam().path);
  const ReaderInfo& reader = *FindReader(GetParam().format);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Status status = ReadDamaged(bytes.substr(0, size), reader);
    EXPECT_TRUE(status.ok() || status.code() == Code::kTruncated)
        << size << ": " << status.ToString();
    ExpectAgrees(*ByteSource::FromMemory(bytes.substr(0, size)), reader,
                 status.ok());
  }
  EXPECT_LE(memory.Peak(), bytes.size() + kMostMemory);
}

TEST_P(Small, EveryFlippedBitIsAnErrorOrAGraph) {
  const MemoryWatch memory;
  const std::string bytes = ReadFile(GetParam().path);
  const ReaderInfo& reader = *FindReader(GetParam().format);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += kBitStep) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    // ReadDamaged() has the expectations.
    (void)ReadDamaged(damaged, reader);
  }
  EXPECT_LE(memory.Peak(), bytes.size() + kMostMemory);
}

// Replaces, removes or repeats some bytes, or overwrites them with numbers at
// the edges of their ranges.
std::string Damaged(std::string bytes, std::mt19937_64& random) {
  constexpr std::string_view kEdges[] = {
      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
      "\x80\x80\x80\x80\x10",
      "18446744073709551615",
      "4294967296",
      "-1",
      "9e99",
      "[",
      "\"",
      "\n"};
  for (auto changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = random() % (bytes.size() + 1);
    const std::size_t size = random() % 16;
    switch (random() % 4) {
      case 0:
        bytes.replace(at, size, size, static_cast<char>(random()));
        break;
      case 1:
        bytes.erase(at, size);
        break;
      case 2:
        bytes.insert(at, std::string(bytes, at, size));
        break;
      default:
        bytes.replace(at, random() % 4, kEdges[random() % std::size(kEdges)]);
    }
  }
  return bytes;
}

// Whatever is read can be written in every format and returns unchanged.
TEST_P(Small, RandomDamageIsAnErrorOrConverts) {
  const MemoryWatch memory;
  constexpr int kRounds = Rounds(60);
  const std::string bytes = ReadFile(GetParam().path);
  const ReaderInfo& reader = *FindReader(GetParam().format);
  std::mt19937_64 random(1);  // NOLINT: the same damage in every run
  for (int round = 0; round < kRounds; ++round) {
    const std::string damaged = Damaged(bytes, random);
    const auto source = ByteSource::FromMemory(damaged);
    const bool is_read = ReadDamaged(damaged, reader).ok();
    ExpectAgrees(*source, reader, is_read);
    if (!is_read) continue;
    for (const WriterInfo* const to : Writers()) {
      const std::string output = ConvertTo(*source, reader, *to);
      EXPECT_EQ(to->name != reader.name || output == damaged, true)
          << "round " << round << ": " << to->name;
    }
  }
  EXPECT_LE(memory.Peak(), bytes.size() + kMostMemory);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Small, ::testing::ValuesIn(SmallCorpus()),
                         CaseName);

// ---------------------------------------------------------------- bad files

class Bad : public ::testing::TestWithParam<Case> {};

TEST_P(Bad, IsRefusedAtItsPlace) {
  std::istringstream expected(ReadFile(GetParam().path.string() + ".error"));
  int exit_code = 0;
  std::uint64_t offset = 0;
  ASSERT_TRUE(expected >> exit_code >> offset) << "no .error file";
  const auto source = Open(GetParam().path);
  Context context;
  NullSink sink;
  const Status status = FindReader(GetParam().format)
                            ->make(*source, context)
                            ->Read(ChunkSet::All(), sink);
  EXPECT_EQ(ExitCode(status.code()), exit_code) << status.ToString();
  EXPECT_EQ(status.where().byte, offset) << status.ToString();
  // The message names the format, so that it is clear in a log.
  const bool says_format =
      status.message().starts_with(GetParam().format + ": ");
  EXPECT_TRUE(says_format || source->bytes().empty()) << status.ToString();
  ExpectAgrees(*source, *FindReader(GetParam().format), false);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Bad, ::testing::ValuesIn(Corpus("bad")),
                         CaseName);

}  // namespace
}  // namespace heapglot
