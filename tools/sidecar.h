// --sidecar FILE: leftovers beside a dump.
#ifndef HEAPGLOT_TOOLS_SIDECAR_H_
#define HEAPGLOT_TOOLS_SIDECAR_H_

#include <memory>
#include <string>

#include "heapglot/bytes.h"
#include "heapglot/format.h"
#include "tools/flags.h"

namespace heapglot::tool {

// An existing file belongs to the input and is read; a new one belongs to the
// output and is written. An existing file that does not belong to the input is
// in the way if the output has no other room for leftovers: with --force it is
// replaced.
class Sidecar {
 public:
  struct Options {
    std::string path;  // empty: there is none
    bool force = false;
    bool embed = true;
    bool durable = false;
  };

  // Errors: kUsage; kInput and those of decompression; kOutput.
  Status Open(const Options& options, const OpenInput& input,
              const WriterInfo& to, const Limits& limits);

  // At most one of them exists.
  const ByteSource* found() const { return found_.get(); }
  ByteSink* made() const { return made_.get(); }

 private:
  Status Create(const Options& options);

  std::unique_ptr<ByteSource> found_;
  std::unique_ptr<ByteSink> made_;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_SIDECAR_H_
