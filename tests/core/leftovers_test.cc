#include "core/leftovers/leftovers.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/image/source_only.h"
#include "tests/core/text_stream.h"

namespace heapglot {
namespace {

class StringSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    bytes_ += bytes;
    return {};
  }
  Status Close() override { return {}; }
  std::uint64_t position() const override { return bytes_.size(); }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string Small(const std::string& file) {
  const Result<std::unique_ptr<ByteSource>> source =
      ByteSource::Open(std::string(HEAPGLOT_CORPUS_DIR) + "/" + file, Limits());
  EXPECT_TRUE(source.ok()) << source.status().ToString(file);
  return source.ok() ? std::string((*source)->bytes()) : std::string();
}

std::string HeaderOf(const std::string& format) {
  return "header { format: \"" + format + "\" }";
}

// A dartheap with leftovers: `dump` as it is, labelled as `format`.
std::string Host(const std::string& format, std::string_view dump) {
  const std::string host = Small("dartheap/good/min-root-only.dartheap");
  const auto source = ByteSource::FromMemory(host);
  const auto original = ByteSource::FromMemory(dump);
  VectorReader labelled(ParseStream(HeaderOf(format)));
  const std::unique_ptr<Reader> bare =
      MakeSourceOnlyReader(labelled, *original);
  StringSink file;
  DigestingSink digesting(file);
  Context context;
  LeftoversMaker maker(*bare, digesting, "dartheap", *FindWriter("heapir"),
                       context.limits);
  WriterOptions options;
  options.leftovers = &maker;
  const std::unique_ptr<Reader> reader =
      FindReader("dartheap")->make(*source, context);
  const std::unique_ptr<Writer> writer =
      FindWriter("dartheap")->make(digesting, options, context);
  EXPECT_TRUE(RunPasses(*reader, *writer).ok());
  return file.bytes();
}

Result<EmbeddedLeftovers> Find(const std::string& file,
                               const Limits& limits = {}) {
  const auto source = ByteSource::FromMemory(file);
  return FindLeftovers(*source, *FindReader("dartheap"), *FindReader("heapir"),
                       FindReader, limits);
}

TEST(LeftoversTest, AreTheDumpItself) {
  const std::string dump = Small("ndjson/good/draft-all.ndjson");
  const Result<EmbeddedLeftovers> found = Find(Host("ndjson", dump));
  ASSERT_TRUE(found.ok()) << found.status().ToString("");
  ASSERT_EQ(found->verdict.state, LeftoversVerdict::kIntact)
      << found->verdict.problem;
  EXPECT_EQ(found->verdict.origin, "ndjson");
  EXPECT_EQ(found->format, FindReader("ndjson"));
  EXPECT_EQ(found->source->bytes(), dump);
}

TEST(LeftoversTest, AreDamagedIfTheDumpIs) {
  for (const auto& [format, dump] :
       {std::pair<std::string, std::string>{"dartheap", "no dump"},
        {"dartheap", ""},
        {"of another program", "dartheap"}}) {
    const Result<EmbeddedLeftovers> found = Find(Host(format, dump));
    ASSERT_TRUE(found.ok()) << found.status().ToString("");
    EXPECT_EQ(found->verdict.state, LeftoversVerdict::kDamaged) << format;
    EXPECT_FALSE(found->verdict.problem.empty());
    EXPECT_EQ(found->source, nullptr);
  }
}

TEST(LeftoversTest, DoNotUnpackToAnything) {
  const std::string host = Host("dartheap", std::string(1 << 20, ' '));
  Limits limits;
  limits.max_decompressed = 1 << 19;
  EXPECT_EQ(Find(host, limits).status().code(), Code::kLimit);
  EXPECT_TRUE(Find(host).ok());
}

// Formats whose leftovers, or whose dumps, cannot be read.
template <Code kCode>
struct Failing {
  class FailingReader : public Reader {
   public:
    Status Read(ChunkSet, ChunkSink&) override { return {kCode, "failed"}; }
  };
  static std::unique_ptr<Reader> Make(const ByteSource&, Context&) {
    return std::make_unique<FailingReader>();
  }
  static const ReaderInfo* FindDump(std::string_view) {
    static const ReaderInfo info = [] {
      ReaderInfo failing = *FindReader("ndjson");
      failing.make = Make;
      return failing;
    }();
    return &info;
  }
  static std::optional<LeftoversBlock> FindBlock(const ByteSource&) {
    LeftoversBlock block;
    block.unpack = [](ByteSink&) { return Status(kCode, "failed"); };
    return block;
  }
};

// A full disk does not mean that they are damaged: the way back must not go on
// without them.
TEST(LeftoversTest, AreDamagedOnlyIfTheyAreToBlame) {
  const std::string host = Host("ndjson", "dump");
  const auto source = ByteSource::FromMemory(host);
  const struct {
    Code code;
    bool is_damage;
    decltype(&FindReader) find_dump;
    decltype(ReaderInfo::find_leftovers) find_block;
  } cases[] = {
      {Code::kMalformed, true, Failing<Code::kMalformed>::FindDump,
       Failing<Code::kMalformed>::FindBlock},
      {Code::kTruncated, true, Failing<Code::kTruncated>::FindDump, nullptr},
      {Code::kUnsupported, true, Failing<Code::kUnsupported>::FindDump,
       nullptr},
      {Code::kLimit, false, Failing<Code::kLimit>::FindDump,
       Failing<Code::kLimit>::FindBlock},
      {Code::kOutput, false, Failing<Code::kOutput>::FindDump,
       Failing<Code::kOutput>::FindBlock},
  };
  const auto expect = [](const Result<EmbeddedLeftovers>& found, Code code,
                         bool is_damage) {
    ASSERT_EQ(found.ok(), is_damage) << static_cast<int>(code);
    if (!is_damage) {
      EXPECT_EQ(found.status().code(), code);
      EXPECT_EQ(found.status().message(), "failed");
      return;
    }
    EXPECT_EQ(found->verdict.state, LeftoversVerdict::kDamaged);
    EXPECT_EQ(found->verdict.problem, "failed");
    EXPECT_EQ(found->source, nullptr);
  };
  for (const auto& test : cases) {
    ReaderInfo format = *FindReader("dartheap");
    expect(FindLeftovers(*source, format, *FindReader("heapir"), test.find_dump,
                         Limits()),
           test.code, test.is_damage);
    // The same for the heapir itself, also as a sidecar.
    const ReaderInfo* const ir = test.find_dump("");
    expect(FindLeftovers(*source, format, *ir, FindReader, Limits()), test.code,
           test.is_damage);
    const Result<LeftoversVerdict> beside =
        CheckSidecar(*source, *source, format, *ir, Limits());
    EXPECT_EQ(beside.ok(), test.is_damage);
    EXPECT_EQ(beside.status().code(), test.is_damage ? Code::kOk : test.code);
    if (test.find_block == nullptr) continue;
    format.find_leftovers = test.find_block;
    expect(FindLeftovers(*source, format, *FindReader("heapir"), FindReader,
                         Limits()),
           test.code, test.is_damage);
  }
}

TEST(LeftoversTest, BesideAFileHaveAllOfTheDump) {
  const std::string dump = Small("ndjson/good/draft-all.ndjson");
  const auto source = ByteSource::FromMemory(dump);
  VectorReader labelled(ParseStream(HeaderOf("ndjson")));
  const std::unique_ptr<Reader> bare = MakeSourceOnlyReader(labelled, *source);
  StringSink nothing;
  const DigestingSink digesting(nothing);
  const Limits limits;
  LeftoversMaker maker(*bare, digesting, "ndjson", *FindWriter("heapir"),
                       limits);
  StringSink sidecar;
  ASSERT_TRUE(maker.WriteTo(sidecar).ok());
  const auto beside = ByteSource::FromMemory(sidecar.bytes());
  const auto empty = ByteSource::FromMemory("");
  EXPECT_EQ(CheckSidecar(*beside, *empty, *FindReader("ndjson"),
                         *FindReader("heapir"), limits)
                ->state,
            LeftoversVerdict::kDamaged);
}

}  // namespace
}  // namespace heapglot
