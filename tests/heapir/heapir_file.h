// heapir files in memory, for tests.
#ifndef HEAPGLOT_TESTS_HEAPIR_HEAPIR_FILE_H_
#define HEAPGLOT_TESTS_HEAPIR_HEAPIR_FILE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "heapglot/bytes.h"
#include "heapglot/stream.h"
#include "readers/heapir/heapir_reader.h"
#include "tests/checked_passes.h"
#include "tests/core/text_stream.h"
#include "writers/heapir/heapir_coalescer.h"
#include "writers/heapir/heapir_encoder.h"
#include "writers/heapir/heapir_writer.h"

namespace heapglot::testing {

// Writes frames that are not compressed, which heapglot reads but does not write.
class RawHeapirWriter : public Writer {
 public:
  explicit RawHeapirWriter(ByteSink& sink)
      : frames_(sink, /*compress=*/false), coalescer_(frames_) {}
  ChunkSet Wanted(int pass) override {
    return pass == 0 ? ChunkSet::All() : ChunkSet();
  }
  Status Accept(const pb::Chunk& chunk) override {
    return coalescer_.Accept(chunk);
  }
  Status Finish() override { return frames_.Finish(); }

 private:
  heapir::FrameWriter frames_;
  heapir::Coalescer coalescer_;
};

// Writes a stream, which must keep the grammar, as a file.
inline std::string WriteFile(Reader& stream, bool compress = true) {
  std::string file;
  const auto sink = ByteSink::ToString(&file);
  Context context;
  const std::unique_ptr<Writer> writer =
      compress ? kHeapirWriter.make(*sink, WriterOptions(), context)
               : std::make_unique<RawHeapirWriter>(*sink);
  EXPECT_EQ(CheckedPasses(stream, *writer).ToString(), "");
  return file;
}

inline std::string WriteFile(const std::vector<pb::Chunk>& chunks,
                             bool compress = true) {
  VectorReader stream(chunks);
  return WriteFile(stream, compress);
}

// Reads a file into `out`, and returns the status.
inline Status ReadFile(const std::string& file, ChunkSink& out,
                       ChunkSet wanted = ChunkSet::All()) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  return kHeapirReader.make(*source, context)->Read(wanted, out);
}

// The chunks of a valid file.
inline std::vector<pb::Chunk> ChunksOf(const std::string& file,
                                       ChunkSet wanted = ChunkSet::All()) {
  VectorSink sink;
  EXPECT_EQ(ReadFile(file, sink, wanted).ToString(), "");
  return sink.chunks();
}

// Reads a file and writes it again.
inline std::string Copy(const std::string& file, bool compress = true) {
  const auto source = ByteSource::FromMemory(file);
  Context context;
  const auto reader = kHeapirReader.make(*source, context);
  return WriteFile(*reader, compress);
}

}  // namespace heapglot::testing

#endif  // HEAPGLOT_TESTS_HEAPIR_HEAPIR_FILE_H_
