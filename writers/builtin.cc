// The table of writers. A new one is a line here.
#include "heapglot/format.h"
#include "writers/heapsnapshot/heapsnapshot_writer.h"
#include "writers/ndjson/ndjson_writer.h"

namespace heapglot {

std::span<const WriterInfo* const> Writers() {
  static constexpr const WriterInfo* kWriters[] = {
      &kHeapsnapshotWriter,
      &kNdjsonWriter,
  };
  return kWriters;
}

}  // namespace heapglot
