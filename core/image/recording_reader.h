// Byte identity, tried out: how to make the bytes of a source from its stream.
#ifndef HEAPGLOT_CORE_IMAGE_RECORDING_READER_H_
#define HEAPGLOT_CORE_IMAGE_RECORDING_READER_H_

#include <memory>

#include "heapglot/format.h"

namespace heapglot {

// A reader that shows what `upstream` shows, and behind the graphs, in place of the
// image that may be there, how to make the bytes of `source` from that: VERIFIED,
// PATCHED, or, where the patches would be large, EMBEDDED. Once, with the first pass
// that wants an image, it tries what `writer`, of the source's own format, makes of
// the stream: of the same chunks, if the writer takes nodes and edges in one pass,
// and else before. All must outlive the reader.
class RecordingReader : public Reader {
 public:
  // Tries it now, and not with that pass: whose memory it then does not add to.
  // Errors: those of Read().
  virtual Status Record() = 0;
};

// Errors of its Read(), beside those of `upstream`: kOutput if the writer needs a
// temporary file that cannot be written. What else it cannot do makes the image
// EMBEDDED.
std::unique_ptr<RecordingReader> MakeRecordingReader(Reader& upstream,
                                                     const ByteSource& source,
                                                     const WriterInfo& writer,
                                                     const Limits& limits);

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_IMAGE_RECORDING_READER_H_
