// Feeds bytes to every reader: each must answer with an error or with a stream
// that keeps the grammar and goes through every writer.
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/fuzz/reader_fuzzer -max_len=4096 build/fuzz-corpus corpus/dartheap/good
//
// What it finds becomes a file in corpus/<format>/bad.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/format.h"
#include "tests/checked_passes.h"

namespace heapglot {
namespace {

void Require(bool condition, const Status& status) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

void Fuzz(std::string_view bytes) {
  const auto source = ByteSource::FromMemory(bytes);
  for (const ReaderInfo* const from : Readers()) {
    Context context;
    const auto reader = from->make(*source, context);
    CheckSink check(ChunkSet::All());
    const Status status = reader->Read(ChunkSet::All(), check);
    Require(status.code() != Code::kInternal && status.code() != Code::kInput,
            status);
    if (!status.ok()) continue;
    Require(check.Finish().ok(), check.Finish());
    for (const WriterInfo* const to : Writers()) {
      std::string output;
      const auto sink = ByteSink::ToString(&output);
      const auto writer = to->make(*sink, WriterOptions(), context);
      const Status written = CheckedPasses(*reader, *writer);
      Require(written.ok(), written);
    }
  }
}

}  // namespace
}  // namespace heapglot

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  heapglot::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
