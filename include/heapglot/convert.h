// Converts one dump to another format, as the command's `convert` does.
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
  kRoot,  // entry points among them (nodes that no other unreachable node
          // holds, and one node of each such cycle) become roots of kind
          // ROOT_UNREACHABLE, so far away that the distances of reachable
          // nodes stay as they are (up to 64)
  kDrop,  // left out
};

inline constexpr std::string_view kSourceLayout = "source";
inline constexpr std::string_view kUsualLayout = "usual";

struct ConvertOptions {
  const ReaderInfo* from = nullptr;  // nullptr: the content decides
  const WriterInfo* to = nullptr;    // required
  // nullopt: kRoot for a writer that shows distances, unless the dump returns
  // to the format that it comes from; otherwise kKeep.
  std::optional<Unreachable> unreachable = std::nullopt;
  // "source": a dump that returns to the format that it comes from gets the
  // same bytes. "usual": the writer's own layout. Or the name of one of
  // WriterInfo::layouts.
  std::string_view layout = kSourceLayout;
  // false: a dump that returns to the format that it comes from is written like
  // a dump of any other format, from what it means.
  bool native = true;
  LossClass max_loss = LossClass::kDropped;  // worse: Code::kLossy
  // Let the output carry leftovers (the whole dump as it was, for the way back)
  // if its format has room for them and is not that of the dump.
  bool embed = true;
  // Read a file that carries leftovers as what it is, not as what it was made
  // from.
  bool ignore_leftovers = false;
  // A heapir that may belong to `source`, and replaces what is embedded there.
  const ByteSource* sidecar = nullptr;
  // Gets the leftovers that belong to the output, instead of embedding them; it
  // is closed right before the output.
  ByteSink* new_sidecar = nullptr;
};

// Reads all of `source`, writes to `sink`, and closes it if all went well.
// Afterwards, `context` has what was found and lost. For a writer that needs
// it, several graphs are merged and edges grouped.
//
// If there are leftovers in `source` or beside it, the dump that it was made
// from is converted. If they do not belong to it any more, that is a finding,
// and they are ignored. But a file that goes to its own format under the layout
// of the source is copied along with the leftovers that it has.
// Errors: those of the reader, the writer and the sink; kUsage if `to` is not
// set; kLossy; kCancelled; kLimit if memory runs out. But protobuf may crash if
// `new` throws, so a program that reads hostile input should set a new-handler
// that ends the program.
// Memory: that of the reader and the writer (see their README.md). With kRoot
// or kDrop, up to 2 bytes per node and 12 MiB more during the search for
// unreachable nodes, and temporary files. With threads, leftovers that are the
// source itself are made while it is read: 2 MiB, and a temporary file of their
// size, if there is room for one.
HEAPGLOT_API Status Convert(const ByteSource& source, ByteSink& sink,
                            const ConvertOptions& options, Context& context);

}  // namespace heapglot

#endif  // HEAPGLOT_CONVERT_H_
