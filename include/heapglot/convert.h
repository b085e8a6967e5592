// One dump to another format: what the command's `convert` does.
#ifndef HEAPGLOT_CONVERT_H_
#define HEAPGLOT_CONVERT_H_

#include <optional>
#include <string_view>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/export.h"
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

inline constexpr std::string_view kSourceLayout = "source";
inline constexpr std::string_view kUsualLayout = "usual";

struct ConvertOptions {
  const ReaderInfo* from = nullptr;  // nullptr: the content decides
  const WriterInfo* to = nullptr;    // required
  // None: kRoot for a writer that shows distances, unless the dump returns to
  // the format that it comes from; kKeep otherwise.
  std::optional<Unreachable> unreachable = std::nullopt;
  // "source": a dump that returns to the format that it comes from gets the
  // same bytes. "usual": the writer's own layout. Or the name of one of
  // WriterInfo::layouts.
  std::string_view layout = kSourceLayout;
  // false: a dump that returns to the format that it comes from is written as one
  // of any other format is, from what it means.
  bool native = true;
  LossClass max_loss = LossClass::kDropped;  // worse: Code::kLossy
  // Have the output carry leftovers, if its format has room for them and is not
  // that of the dump: the whole dump as it was, for the way back.
  bool embed = true;
  // Read a file that carries leftovers as what it is, not as what it was made
  // from.
  bool ignore_leftovers = false;
  // A heapir that may go with `source`, in place of what is embedded in that.
  const ByteSource* sidecar = nullptr;
  // Gets leftovers that go with the output, in place of embedding them; it is
  // closed right before the output.
  ByteSink* new_sidecar = nullptr;
};

// Reads all of `source`, writes to `sink` and closes it if all went well.
// What was found and lost stands in `context` afterwards. Several graphs are
// merged and edges grouped for a writer that takes it only so.
//
// Leftovers in `source` or beside it stand for the dump that it was made from;
// if they do not go with it any more, that is a finding, and they are ignored.
// But what goes to its own format under the layout of the source is copied with
// the leftovers that it has.
// Errors: those of the reader, the writer and the sink; kUsage when `to` is not
// set; kLossy; kCancelled; kLimit when memory runs out. But protobuf may crash if
// `new` throws: a program that has to do with hostile input sets a new-handler that
// ends it.
// Memory: that of the reader and the writer (see their README.md); with kRoot
// or kDrop up to 2 bytes a node and 12 MiB more while it looks, and temporary
// files. With threads, leftovers that are the source itself are made while it is
// read: 2 MiB, and a temporary file of their size, if there is room for one.
HEAPGLOT_API Status Convert(const ByteSource& source, ByteSink& sink,
                            const ConvertOptions& options, Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_CONVERT_H_
