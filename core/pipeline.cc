#include "core/read_ahead.h"
#include "heapglot/stream.h"

namespace heapglot {

Status RunPasses(Reader& reader, Writer& writer, unsigned threads) {
  for (int pass = 0;; ++pass) {
    const ChunkSet wanted = writer.Wanted(pass);
    if (wanted.empty()) return writer.Finish();
    HEAPGLOT_RETURN_IF_ERROR(ReadAhead(reader, wanted, writer, threads));
  }
}

}  // namespace heapglot
