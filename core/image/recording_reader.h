// Byte identity, tried out: how to make the bytes of a source from its stream.
#ifndef HEAPGLOT_CORE_IMAGE_RECORDING_READER_H_
#define HEAPGLOT_CORE_IMAGE_RECORDING_READER_H_

#include <memory>

#include "heapglot/format.h"

namespace heapglot {

// A reader that sends what `upstream` sends and, after the graphs, in place of
// any image there, how to make the bytes of `source` from that: VERIFIED,
// PATCHED, or, if the patches would be large, EMBEDDED. With the first pass
// that wants an image, it tries once what `writer`, of the source's own format,
// makes of the stream: with the same chunks if the writer takes nodes and edges
// in one pass, otherwise before it. All arguments must outlive the reader.
class RecordingReader : public Reader {
 public:
  // Tries it now instead of with that pass, so that the memory for both is not
  // needed at once. Errors: those of Read().
  virtual Status Record() = 0;
};

// Errors of its Read(), besides those of `upstream`: kOutput if the writer
// needs a temporary file that cannot be written. Any other failure of the
// writer makes the image EMBEDDED.
std::unique_ptr<RecordingReader> MakeRecordingReader(Reader& upstream,
                                                     const ByteSource& source,
                                                     const WriterInfo& writer,
                                                     const Limits& limits);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IMAGE_RECORDING_READER_H_
