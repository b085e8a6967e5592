// RunPasses() for tests: every pass goes through a CheckSink.
#ifndef HEAPGLOT_TESTS_CHECKED_PASSES_H_
#define HEAPGLOT_TESTS_CHECKED_PASSES_H_

#include "core/check_sink.h"
#include "heapglot/stream.h"

namespace heapglot {

inline Status CheckedPasses(Reader& reader, Writer& writer) {
  for (int pass = 0;; ++pass) {
    const ChunkSet wanted = writer.Wanted(pass);
    if (wanted.empty()) return writer.Finish();
    CheckSink check(wanted, &writer);
    HEAPGLOT_RETURN_IF_ERROR(reader.Read(wanted, check));
    HEAPGLOT_RETURN_IF_ERROR(check.Finish());
  }
}

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_CHECKED_PASSES_H_
