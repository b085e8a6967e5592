// Writes a V8 heap snapshot that was one before: the same bytes or, after
// transforms, what they made of it in the same form.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_WRITER_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_WRITER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "heapglot/format.h"

namespace heapglot::heapsnapshot {

// Makes a writer for streams of the heapsnapshot reader. The columns of the
// tables come from the schemas of the graph, their layout from `profile` (the
// usual one if it is not a profile). `make_usual` makes the writer for any
// stream, which takes over if the stream turns out not to be what its header
// says.
std::unique_ptr<Writer> MakeNativeWriter(
    ByteSink& sink, std::string_view profile, Context& context,
    std::function<std::unique_ptr<Writer>()> make_usual);

// WriterInfo::profile.
std::string ProfileOf(const ByteSource& source);

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_NATIVE_WRITER_H_
