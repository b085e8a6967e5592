// What the command does when it is interrupted.
//
//   SIGINT, SIGTERM, SIGHUP  temporary files are removed, exit 128 + n; ignored
//                            once the output is there
//   SIGBUS                   a mapped input was made shorter: message, exit 9
//   SIGPIPE, SIGXFSZ         ignored: the write fails with a reason instead
//   SIGSYS                   the sandbox has refused a call: message, temporary
//                            files are removed, exit 159
//   no memory for `new`      message, temporary files are removed, exit 5
#ifndef HEAPGLOT_TOOLS_SIGNALS_H_
#define HEAPGLOT_TOOLS_SIGNALS_H_

#include <string>
#include <string_view>

#include "heapglot/status.h"

namespace heapglot::tool {

// Opens those of the standard descriptors 0 to 2 that are closed, so that no
// file of ours gets their number and has messages written into it. Using them
// still fails.
void PrepareStandardDescriptors();

void InstallSignalHandlers();

// From here on the run counts as done: signals that would end it are ignored.
// For ByteSink::FileOptions::before_rename.
void IgnoreTermination();

// `line` makes what handlers print, including the newline; nullptr: text.
using MakeLine = std::string (*)(const Status& status, std::string_view file);
void SpeakBy(MakeLine line);

// For `new`, instead of std::bad_alloc: protobuf does not survive exceptions. A
// message whose body could not be allocated destroys it anyway.
void InstallMemoryHandler();

// While it exists, a SIGBUS or a lack of memory is blamed on the input `name`.
// There can be only one at a time.
class InputGuard {
 public:
  explicit InputGuard(std::string_view name);
  ~InputGuard();
  InputGuard(const InputGuard&) = delete;
  InputGuard& operator=(const InputGuard&) = delete;
};

// Whether a progress line is on stderr, which must be erased on the way out.
void SetProgressShown(bool shown);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_SIGNALS_H_
