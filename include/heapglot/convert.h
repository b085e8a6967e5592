// One dump to another format: what the command's `convert` does.
#ifndef HEAPGLOT_CONVERT_H_
#define HEAPGLOT_CONVERT_H_

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/format.h"
#include "heapglot/status.h"

namespace heapglot {

// What to do with nodes that no root reaches.
enum class Unreachable {
  kKeep,  // as they are
  kRoot,  // entry points among them (what no other unreachable node holds, and
          // one node of each such cycle) become roots of kind
          // ROOT_UNREACHABLE, at a distance that keeps the distances of what
          // is reachable (up to 64)
  kDrop,  // left out
};

struct ConvertOptions {
  const ReaderInfo* from = nullptr;  // nullptr: the content decides
  const WriterInfo* to = nullptr;    // required
  Unreachable unreachable = Unreachable::kRoot;
  LossClass max_loss = LossClass::kDropped;  // worse: Code::kLossy
};

// Reads all of `source`, writes to `sink` and closes it if all went well.
// What was found and lost stands in `context` afterwards.
// Memory: that of the reader and the writer (see their README.md); with kRoot
// or kDrop about 5 bytes an edge and 20 bytes a node more while it looks.
Status Convert(const ByteSource& source, ByteSink& sink,
               const ConvertOptions& options, Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_CONVERT_H_
