// Helpers for tests of GC logs.
#ifndef HEAPGLOT_TESTS_NETCF_NETCF_LOG_H_
#define HEAPGLOT_TESTS_NETCF_NETCF_LOG_H_

#include <gtest/gtest.h>

#include <string>

#include "core/check_sink.h"
#include "readers/netcf/netcf_reader.h"
#include "tests/checked_passes.h"
#include "tests/core/text_stream.h"
#include "writers/netcf/netcf_writer.h"

namespace heapglot::testing {

// Reads a log and checks every chunk. `out` may be nullptr.
inline Status ReadLog(const std::string& log, ChunkSink* out,
                      Context* context) {
  const auto source = ByteSource::FromMemory(log);
  const auto reader = kNetcfReader.make(*source, *context);
  CheckSink check(ChunkSet::All(), out);
  HEAPGLOT_RETURN_IF_ERROR(reader->Read(ChunkSet::All(), check));
  return check.Finish();
}

// "code count line:column" of each finding, one per line.
inline std::string FindingsIn(const Context& context) {
  std::string text;
  for (const Finding& finding : context.findings()) {
    text += finding.code + " " + std::to_string(finding.count) + " " +
            std::to_string(finding.where.line) + ":" +
            std::to_string(finding.where.column) + "\n";
  }
  return text;
}

// Converts a log to chunks and back, as a dump that returns to its own format.
inline std::string ThereAndBack(const std::string& log) {
  const auto source = ByteSource::FromMemory(log);
  Context context;
  const auto reader = kNetcfReader.make(*source, context);
  std::string output;
  const auto sink = ByteSink::ToString(&output);
  const auto writer = kNetcfWriter.make(
      *sink, {.native = true, .profile = kNetcfWriter.profile(*source)},
      context);
  const Status status = CheckedPasses(*reader, *writer);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(context.loss.items().empty());
  return output;
}

}  // namespace heapglot::testing

#endif  // HEAPGLOT_TESTS_NETCF_NETCF_LOG_H_
