#include "writers/dartheap/dartheap_writer.h"

#include <memory>

#include "writers/dartheap/dartheap_foreign.h"
#include "writers/dartheap/dartheap_losses.h"
#include "writers/dartheap/dartheap_native.h"

namespace heapglot {

// There is no profile: the only freedom that the format leaves is to make
// numbers longer than necessary, and no VM does that.
constinit const WriterInfo kDartheapWriter = {
    .name = "dartheap",
    .title = "Dart VM heap snapshot",
    .extensions = "dartheap data",
    .binary = true,
    .max_leftovers = kAnySize,
    .fidelity = dartheap::kFidelity,
    .synthesized = dartheap::kSynthesized,
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      return options.native ? dartheap::MakeNativeWriter(sink, context)
                            : dartheap::MakeForeignWriter(
                                  sink, options.leftovers, context);
    },
};

}  // namespace heapglot
