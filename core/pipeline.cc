#include "core/read_ahead.h"
#include "heapglot/stream.h"

namespace heapglot {
namespace {

// Somewhat more than what a writer that packs 65,536 edges together takes at
// once.
constexpr std::size_t kBytesOfBursts = std::size_t{4} << 20;

}  // namespace

Status RunPasses(Reader& reader, Writer& writer, unsigned threads,
                 SpareWork* spare_work) {
  Ahead ahead;
  ahead.spare_work = spare_work;
  if (writer.TakesInBursts()) ahead.bytes = kBytesOfBursts;
  for (int pass = 0;; ++pass) {
    const ChunkSet wanted = writer.Wanted(pass);
    if (wanted.empty()) return writer.Finish();
    HEAPGLOT_RETURN_IF_ERROR(ReadAhead(reader, wanted, writer, threads, ahead));
  }
}

}  // namespace heapglot
