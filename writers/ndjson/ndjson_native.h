// The way back: lines as they stood in a file of this format.
#ifndef HEAPGLOT_WRITERS_NDJSON_NDJSON_NATIVE_H_
#define HEAPGLOT_WRITERS_NDJSON_NDJSON_NATIVE_H_

#include <memory>

#include "heapglot/stream.h"
#include "writers/ndjson/ndjson_profile.h"

namespace heapglot::ndjson {

// A writer for a stream that our reader made of such a file: records in the
// order that RecordOrder gives, verbatim lines of Extra in between.
// Memory: 8 bytes a node, 8 bytes a string, and the chunks between two
// RecordOrder chunks.
std::unique_ptr<Writer> MakeNativeWriter(ByteSink& sink, const Profile& profile,
                                         Context& context);

}  // namespace heapglot::ndjson

#endif  // HEAPGLOT_WRITERS_NDJSON_NDJSON_NATIVE_H_
