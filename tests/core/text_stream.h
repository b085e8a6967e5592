// Streams written as text, one chunk per line, so that tests are readable.
#ifndef HEAPGLOT_TESTS_CORE_TEXT_STREAM_H_
#define HEAPGLOT_TESTS_CORE_TEXT_STREAM_H_

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot {

// The chunks of `text`: one per line, in protobuf's text format.
inline std::vector<pb::Chunk> ParseStream(const std::string& text) {
  std::vector<pb::Chunk> chunks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        line, &chunks.emplace_back()))
        << line;
  }
  return chunks;
}

inline std::string ToText(const pb::Chunk& chunk) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  printer.PrintToString(chunk, &text);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

// Sends chunks that are all in memory.
class VectorReader : public Reader {
 public:
  explicit VectorReader(std::vector<pb::Chunk> chunks)
      : chunks_(std::move(chunks)) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    for (const pb::Chunk& chunk : chunks_) {
      if (!wanted.Includes(chunk)) continue;
      // As readers do: the chunk is gone when Accept() returns.
      reused_ = chunk;
      HEAPGLOT_RETURN_IF_ERROR(out.Accept(reused_));
    }
    return {};
  }

 private:
  std::vector<pb::Chunk> chunks_;
  pb::Chunk reused_;
};

// Keeps what it gets.
class VectorSink : public ChunkSink {
 public:
  Status Accept(const pb::Chunk& chunk) override {
    chunks_.push_back(chunk);
    return {};
  }
  const std::vector<pb::Chunk>& chunks() const { return chunks_; }
  std::string text() const {
    std::string text;
    for (const pb::Chunk& chunk : chunks_) text += ToText(chunk);
    return text;
  }

 private:
  std::vector<pb::Chunk> chunks_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_CORE_TEXT_STREAM_H_
