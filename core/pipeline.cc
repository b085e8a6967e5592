#include "heapglot/stream.h"

namespace heapglot {

Status RunPasses(Reader& reader, Writer& writer) {
  for (int pass = 0;; ++pass) {
    const ChunkSet wanted = writer.Wanted(pass);
    if (wanted.empty()) return writer.Finish();
    HEAPGLOT_RETURN_IF_ERROR(reader.Read(wanted, writer));
  }
}

}  // namespace heapglot
