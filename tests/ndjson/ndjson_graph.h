// What an ndjson file holds, independent of its layout: for tests that write
// the same in several ways.
#ifndef HEAPGLOT_TESTS_NDJSON_NDJSON_GRAPH_H_
#define HEAPGLOT_TESTS_NDJSON_NDJSON_GRAPH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/canonical/canonical_reader.h"
#include "core/canonical/graph_digest.h"
#include "core/check_sink.h"
#include "core/roundtrip/round_trip.h"
#include "heapglot/convert.h"
#include "readers/ndjson/ndjson_reader.h"
#include "tests/core/text_stream.h"
#include "writers/ndjson/ndjson_writer.h"

namespace heapglot {

struct NdjsonGraph {
  Status status;
  std::string text;  // the stream, without chunks about the file
  std::vector<std::string> names;
  std::vector<std::string> findings;  // their codes

  bool HasName(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  long CountOf(std::string_view finding) const {
    return std::count(findings.begin(), findings.end(), finding);
  }
};

inline NdjsonGraph ReadNdjson(std::string_view file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  VectorSink sink;
  CheckSink check(ChunkSet::All(), &sink);
  NdjsonGraph graph;
  graph.status =
      kNdjsonReader.make(*source, context)->Read(ChunkSet::All(), check);
  if (!graph.status.ok()) return graph;
  graph.status = check.Finish();
  for (const Finding& finding : context.findings())
    graph.findings.push_back(finding.code);
  for (const pb::Chunk& chunk : sink.chunks()) {
    if (!chunk.has_header() && !chunk.has_extra() && !chunk.has_record_order())
      graph.text += ToText(chunk);
    if (!chunk.has_strings() || !chunk.strings().names()) continue;
    std::string_view data = chunk.strings().data();
    for (const std::uint32_t length : chunk.strings().length()) {
      graph.names.emplace_back(data.substr(0, length));
      data.remove_prefix(length);
    }
  }
  return graph;
}

// Converts `file` from ndjson to ndjson.
inline std::string ConvertNdjson(std::string_view file,
                                 ConvertOptions options) {
  const auto source = ByteSource::FromMemory(file);
  std::string output;
  const auto sink = ByteSink::ToString(&output);
  options.from = &kNdjsonReader;
  options.to = &kNdjsonWriter;
  Context context;
  const Status status = Convert(*source, *sink, options, context);
  EXPECT_TRUE(status.ok()) << status.ToString() << file;
  return output;
}

// graph_digest of a valid file.
inline std::string DigestOf(std::string_view file) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  const auto reader = kNdjsonReader.make(*source, context);
  GraphDigest digest;
  const Status status =
      MakeCanonicalReader(*reader, context)->Read(ChunkSet::All(), digest);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return digest.Finish().digest;
}

// Expects `file` to be readable and the same graph in every layout. With kRoot,
// the graph has more roots, so that the source is not restored, but it is the
// same in all layouts.
inline void ExpectSameInAllLayouts(const std::string& file) {
  const NdjsonGraph expected = ReadNdjson(file);
  std::string with_roots;
  ASSERT_TRUE(expected.status.ok()) << expected.status.ToString();
  for (const Unreachable unreachable :
       {Unreachable::kKeep, Unreachable::kRoot}) {
    for (const std::string_view layout :
         {kSourceLayout, kUsualLayout, std::string_view("array"),
          std::string_view("object")}) {
      const std::string written =
          ConvertNdjson(file, {.unreachable = unreachable, .layout = layout});
      const NdjsonGraph graph = ReadNdjson(written);
      EXPECT_TRUE(graph.status.ok()) << graph.status.ToString() << written;
      if (unreachable == Unreachable::kKeep) {
        EXPECT_EQ(graph.text, expected.text) << layout << ": " << written;
      } else {
        if (with_roots.empty()) with_roots = DigestOf(written);
        EXPECT_EQ(DigestOf(written), with_roots) << layout << written;
      }
    }
  }
}

// Expects the same bytes after a round trip through each format.
inline void ExpectIdenticalOnTheWayBack(const std::string& file) {
  const auto source = ByteSource::FromMemory(file);
  for (const WriterInfo* const via : Writers()) {
    const Result<RoundTrip> trip =
        TakeRoundTrip(*source, kNdjsonReader, *via, RoundTripOptions());
    ASSERT_TRUE(trip.ok()) << via->name << ": " << trip.status().ToString();
    EXPECT_EQ(trip->sameness, Sameness::kIdentical)
        << via->name << ": " << trip->failure.ToString();
  }
}

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_NDJSON_NDJSON_GRAPH_H_
