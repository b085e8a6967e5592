// Feeds bytes to every reader: each must answer with an error or with a stream
// that keeps the grammar and goes to every format. What is written can be read,
// and what returns to its own format is the same bytes.
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/tests/fuzz/reader_fuzzer -max_len=4096 build/fuzz-corpus corpus/*/good
//
// What it finds becomes a file in corpus/<format>/bad.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/check_sink.h"
#include "heapglot/bytes.h"
#include "heapglot/convert.h"
#include "heapglot/format.h"

namespace heapglot {
namespace {

void Require(bool condition, const Status& status) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

void Fail(const char* what) { Require(false, {Code::kInternal, what}); }

std::string ConvertTo(const ByteSource& source, const ReaderInfo& from,
                      const WriterInfo& to) {
  std::string output;
  const auto sink = ByteSink::ToString(&output);
  Context context;
  const Status status =
      Convert(source, *sink, {.from = &from, .to = &to}, context);
  Require(status.ok(), status);
  return output;
}

void CheckReadable(const std::string& output, const WriterInfo& format) {
  const ReaderInfo* const reader = FindReader(format.name);
  if (reader == nullptr) return;
  const auto source = ByteSource::FromMemory(output);
  Context context;
  CheckSink check(ChunkSet::All());
  const Status status =
      reader->make(*source, context)->Read(ChunkSet::All(), check);
  Require(status.ok(), status);
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
      const std::string output = ConvertTo(*source, *from, *to);
      if (to->name == from->name && output != bytes) {
        Fail("the way back gives another file");
      }
      CheckReadable(output, *to);
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
