#include "writers/ndjson/ndjson_writer.h"

#include <memory>

#include "writers/ndjson/ndjson_losses.h"
#include "writers/ndjson/ndjson_native.h"
#include "writers/ndjson/ndjson_profile.h"
#include "writers/ndjson/ndjson_stream_writer.h"

namespace heapglot {
namespace {

constexpr NamedLayout kLayouts[] = {
    {"object", "records as objects with names", "1;shape=object;all"},
    {"array", "records as arrays, the usual one", "1;all"},
};

}  // namespace

constinit const WriterInfo kNdjsonWriter = {
    .name = "ndjson",
    .title = "extensible heap dump (NDJSON)",
    .extensions = "ndjson",
    .several_graphs = true,
    .ungrouped_edges = true,
    .max_leftovers = kAnySize,
    .fidelity = ndjson::kFidelity,
    .profile =
        [](const ByteSource& source) {
          return ndjson::DescribeProfile(source.bytes());
        },
    .layouts = kLayouts,
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      const ndjson::Profile profile = ndjson::ReadProfile(options.profile);
      if (options.native)
        return std::make_unique<ndjson::NativeWriter>(sink, profile);
      return std::make_unique<ndjson::StreamWriter>(sink, profile,
                                                    options.leftovers, context);
    },
};

}  // namespace heapglot
