// The report of a conversion follows proto/heapglot/report/v1.
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "heapglot/report/v1/report.pb.h"

namespace heapglot {
namespace {

using report::v1::Loss;
using report::v1::LossReport;

// Returns what the command prints on standard output.
std::string Run(const std::string& arguments) {
  const std::string command = HEAPGLOT_COMMAND " " + arguments;
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char buffer[4096];
  while (const std::size_t size = fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, size);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

LossReport ReportOf(const std::string& file, const std::string& to,
                    const std::string& embed = "none",
                    const std::string& more = "") {
  const std::string json =
      Run("convert " HEAPGLOT_CORPUS_DIR "/" + file + " -q -f -o " +
          ::testing::TempDir() + "heapglot_report." + to +
          " --report - --embed " + embed + " " + more);
  LossReport report;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = false;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json, &report, options);
  EXPECT_TRUE(status.ok()) << status.ToString() << json;
  return report;
}

TEST(ReportTest, IsTheMessageOfTheProto) {
  const LossReport report =
      ReportOf("netcf/good/ok-minimal-strict.gclog", "dartheap");
  EXPECT_EQ(report.tool(), "heapglot");
  EXPECT_FALSE(report.version().empty());
  EXPECT_EQ(report.from().format(), "netcf");
  EXPECT_EQ(report.from().compression(), "none");
  EXPECT_NE(report.from().size(), 0U);
  EXPECT_EQ(report.from().sha256().size(), 64U);
  EXPECT_EQ(report.to(), "dartheap");
  EXPECT_EQ(report.worst(), Loss::dropped);
  EXPECT_NE(report.synthesized_size(), 0);
  Loss::Class worst = Loss::exact;
  bool has_id = false;
  for (const Loss& loss : report.loss()) {
    EXPECT_NE(loss.count(), 0U) << loss.code();
    EXPECT_FALSE(loss.detail().empty()) << loss.code();
    EXPECT_FALSE(loss.has_native()) << loss.code();
    worst = std::max(worst, loss.class_());
    if (loss.code() != "dartheap.node.id") continue;
    has_id = true;
    EXPECT_EQ(loss.class_(), Loss::dropped);
    EXPECT_NE(loss.examples_size(), 0);
  }
  EXPECT_TRUE(has_id);
  EXPECT_EQ(report.worst(), worst);
}

// Some formats have no place for them, and neither does a file that keeps its
// format.
TEST(ReportTest, CountsRootsOfGarbageWhereTheyAre) {
  const auto has_roots = [](const std::string& to) {
    const LossReport report = ReportOf("dartheap/good/quirks-graph.dartheap",
                                       to, "none", "--unreachable root");
    return std::any_of(
        report.synthesized().begin(), report.synthesized().end(),
        [](const auto& made) { return made.code() == "unreachable.root"; });
  };
  for (const char* const to : {"heapsnapshot", "ndjson", "sqlite", "heapir"})
    EXPECT_TRUE(has_roots(to)) << to;
  for (const char* const to : {"dartheap", "gclog"})
    EXPECT_FALSE(has_roots(to)) << to;
}

TEST(ReportTest, SaysWhatOthersGetOfWhatIsEmbedded) {
  const LossReport report =
      ReportOf("netcf/good/ok-minimal-strict.gclog", "dartheap", "auto");
  EXPECT_EQ(report.worst(), Loss::embedded);
  Loss::Class native = Loss::exact;
  for (const Loss& loss : report.loss()) {
    EXPECT_LE(loss.class_(), Loss::embedded) << loss.code();
    if (loss.has_native()) native = std::max(native, loss.native());
  }
  EXPECT_EQ(native, Loss::dropped);
}

// What a reader keeps only for the way back to its own format is no loss in
// another one.
TEST(ReportTest, DoesNotCountWhatAReaderKeepsForItself) {
  const LossReport report = ReportOf("ndjson/good/dart-array.ndjson", "gclog");
  EXPECT_NE(report.loss_size(), 0);
  for (const Loss& loss : report.loss())
    EXPECT_FALSE(loss.code().ends_with(".edge.extra")) << loss.count();
}

TEST(ReportTest, OfAReturnIsExact) {
  const LossReport report =
      ReportOf("netcf/good/ok-minimal-strict.gclog", "gclog");
  EXPECT_EQ(report.worst(), Loss::exact);
  EXPECT_EQ(report.synthesized_size(), 0);
  EXPECT_NE(report.loss_size(), 0);
  for (const Loss& loss : report.loss()) {
    EXPECT_EQ(loss.class_(), Loss::exact) << loss.code();
    EXPECT_EQ(loss.examples_size(), 0) << loss.code();
  }
}

}  // namespace
}  // namespace heapglot
