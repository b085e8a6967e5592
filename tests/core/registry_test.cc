// Mistakes of programs that use the library.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/convert.h"
#include "heapglot/explain.h"
#include "heapglot/format.h"

namespace heapglot {
namespace {

TEST(RegistryTest, RefusesWhatCannotReadOrWrite) {
  ReaderInfo reader;  // everything but the name has a default
  reader.name = "none";
  WriterInfo writer;
  writer.name = "none";
  EXPECT_EQ(Register(reader).code(), Code::kUsage);
  EXPECT_EQ(Register(writer).code(), Code::kUsage);
  EXPECT_EQ(FindReader("none"), nullptr);
  EXPECT_EQ(FindWriter("none"), nullptr);
}

std::unique_ptr<Writer> MakeNoWriter(ByteSink&, const WriterOptions&,
                                     Context&) {
  return nullptr;
}

TEST(RegistryTest, RefusesNamesThatNobodyCanSay) {
  for (const std::string_view name :
       {"", "a b", "../x\n", "1x", "X", "x.y", "sqlite"}) {
    const WriterInfo writer = {.name = name,
                               .title = "",
                               .extensions = "",
                               .fidelity = {},
                               .make = MakeNoWriter};
    EXPECT_EQ(Register(writer).code(), Code::kUsage) << name;
  }
}

// They would say something twice, or about nothing.
TEST(RegistryTest, RefusesTablesThatContradictThemselves) {
  constexpr LossClass kExact = LossClass::kExact;
  const std::vector<std::vector<FidelityRow>> tables = {
      {{Feature::kNode, "cadre.node", kExact, "a node"}},
      {{Feature::kNode, "codes.", kExact, "a node"}},
      {{Feature::kNode, "codes.nod", kExact, "a node"}},
      {{Feature::kNode, "codes.node", kExact, "a node"},
       {Feature::kNode, "codes.node", kExact, "a node"}},
  };
  WriterInfo writer = {.name = "codes",
                       .title = "",
                       .extensions = "",
                       .fidelity = {},
                       .make = MakeNoWriter};
  for (const auto& table : tables) {
    writer.fidelity = table;
    EXPECT_EQ(Register(writer).code(), Code::kUsage) << table[0].code;
  }
  static constexpr SynthesizedRow kMade = {.code = "made", .note = ""};
  writer.fidelity = {};
  writer.synthesized = {&kMade, 1};
  EXPECT_EQ(Register(writer).code(), Code::kUsage);
  static constexpr FidelityRow kLoss = {Feature::kNode, "lost", kExact, ""};
  ReaderInfo reader = IrReader();
  reader.name = "codes";
  reader.losses = {&kLoss, 1};
  EXPECT_EQ(Register(reader).code(), Code::kUsage);
  EXPECT_EQ(FindReader("codes"), nullptr);
  EXPECT_EQ(FindWriter("codes"), nullptr);
}

constexpr std::string_view kNetcf = "a 2 x.exe\n";

Status ConvertNetcf(const ConvertOptions& options, Context& context) {
  const auto source = ByteSource::FromMemory(kNetcf);
  std::string bytes;
  const auto sink = ByteSink::ToString(&bytes);
  return Convert(*source, *sink, options, context);
}

TEST(ConvertTest, NeedsWhatMakeMakes) {
  ReaderInfo from = *FindReader("netcf");
  from.make = [](const ByteSource&, Context&) {
    return std::unique_ptr<Reader>();
  };
  WriterInfo to = IrWriter();
  to.make = MakeNoWriter;
  Context context;
  EXPECT_EQ(ConvertNetcf({.from = &from, .to = &IrWriter()}, context).code(),
            Code::kInternal);
  EXPECT_EQ(ConvertNetcf({.to = &to}, context).code(), Code::kInternal);
}

// Stands for a writer that does not put back what the source's format had.
class PlainWriter : public Writer {
 public:
  ChunkSet Wanted(int pass) override {
    return pass == 0 ? ChunkSet::All() : ChunkSet();
  }
  Status Accept(const pb::Chunk&) override { return {}; }
  Status Finish() override { return {}; }
};

TEST(ConvertTest, TellsWhatIsNotPutBack) {
  WriterInfo to = *FindWriter("netcf");
  ConvertOptions options = {.to = &to, .layout = kUsualLayout};
  Context exact;
  ASSERT_TRUE(ConvertNetcf(options, exact).ok());
  EXPECT_EQ(exact.loss.worst(), LossClass::kExact);
  to.make = [](ByteSink&, const WriterOptions&,
               Context&) -> std::unique_ptr<Writer> {
    return std::make_unique<PlainWriter>();
  };
  Context context;
  options.max_loss = LossClass::kExact;
  const Status status = ConvertNetcf(options, context);
  EXPECT_EQ(status.code(), Code::kLossy);
  EXPECT_GT(context.loss.worst(), LossClass::kExact);
  // The message says what would be lost.
  EXPECT_NE(status.message().find("(netcf."), std::string::npos);
}

// A writer loses the features that it does not mention, even if it is not the
// one that Register() has made of it.
TEST(ConvertTest, WhatNobodySpeaksOfIsLost) {
  WriterInfo silent;
  silent.name = "silent";
  silent.make = [](ByteSink&, const WriterOptions&,
                   Context&) -> std::unique_ptr<Writer> {
    return std::make_unique<PlainWriter>();
  };
  Context context;
  const Status status =
      ConvertNetcf({.to = &silent, .max_loss = LossClass::kExact}, context);
  EXPECT_EQ(status.code(), Code::kLossy);
  EXPECT_EQ(context.loss.worst(), LossClass::kDropped);
  EXPECT_TRUE(context.loss.items().at(0).code.starts_with("silent."));
  for (const PairFidelity& pair :
       {Explain(silent), Explain(*FindReader("netcf"), silent)}) {
    for (const FeatureFate& fate : pair.features) {
      EXPECT_EQ(fate.usual(), LossClass::kDropped);
      EXPECT_TRUE(fate.rows[0].code.starts_with("silent."));
    }
  }
}

// Without what the reader has kept of the format.
TEST(ConvertTest, WritesWhatADumpMeans) {
  std::string copied, written;
  constexpr std::string_view kOdd = "a 2 x.exe\r\n";
  for (const bool native : {true, false}) {
    const auto source = ByteSource::FromMemory(kOdd);
    const auto sink = ByteSink::ToString(native ? &copied : &written);
    Context context;
    ASSERT_TRUE(Convert(*source, *sink,
                        {.to = FindWriter("netcf"), .native = native}, context)
                    .ok());
  }
  EXPECT_EQ(copied, kOdd);
  EXPECT_NE(written, kOdd);
}

TEST(ConvertTest, NeedsAFormat) {
  const auto source = ByteSource::FromMemory("a 2 x\n");
  std::string bytes;
  const auto sink = ByteSink::ToString(&bytes);
  Context context;
  const Status status =
      Convert(*source, *sink, {.to = FindWriter("heapsnapshto")}, context);
  EXPECT_EQ(status.code(), Code::kUsage);
}

}  // namespace
}  // namespace heapglot
