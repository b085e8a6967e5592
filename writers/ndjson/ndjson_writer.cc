#include "writers/ndjson/ndjson_writer.h"

#include <memory>
#include <utility>

#include "core/draft/draft_lines.h"
#include "readers/ndjson/ndjson_form.h"
#include "writers/draft/draft_losses.h"
#include "writers/draft/draft_native.h"
#include "writers/draft/draft_stream_writer.h"
#include "writers/ndjson/ndjson_profile.h"

namespace heapglot {
namespace {

constexpr NamedLayout kLayouts[] = {
    {"object", "records as JSON objects", "1;shape=object;all"},
    {"array", "records as arrays, the usual one", "1;all"},
};

}  // namespace

constinit const WriterInfo kNdjsonWriter = {
    .name = "ndjson",
    .title = "extensible heap dump (NDJSON)",
    .extensions = "ndjson",
    .several_graphs = true,
    .ungrouped_edges = true,
    .native_needs_layout = true,
    .unreachable_roots = true,
    .max_leftovers = kAnySize,
    .fidelity = draft::FidelityOf<ndjson::kName>::kTable,
    .profile = ndjson::DescribeProfile,
    .layouts = kLayouts,
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      const ndjson::Profile profile = ndjson::ReadProfile(options.profile);
      auto lines =
          std::make_unique<draft::LineWriter>(sink, profile.style, &context);
      using Kept = draft::NativeWriter::Lines;
      const Kept kept = !profile.all           ? Kept::kKeep
                        : profile.style.object ? Kept::kObjects
                                               : Kept::kArrays;
      if (options.native) {
        return std::make_unique<draft::NativeWriter>(ndjson::kForm, kept,
                                                     std::move(lines));
      }
      return std::make_unique<draft::StreamWriter>(
          ndjson::kForm, draft::FidelityOf<ndjson::kName>::kTable,
          std::move(lines), options.leftovers, context);
    },
};

}  // namespace heapglot
