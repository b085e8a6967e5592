#include "writers/sqlite/sqlite_writer.h"

#include <memory>
#include <utility>

#include "readers/sqlite/sqlite_wire.h"
#include "writers/draft/draft_losses.h"
#include "writers/draft/draft_native.h"
#include "writers/draft/draft_stream_writer.h"
#include "writers/sqlite/sqlite_records.h"

namespace heapglot {

constinit const WriterInfo kSqliteWriter = {
    .name = sqlite::kName,
    .title = "extensible heap dump (SQLite)",
    .extensions = "sqlite",
    .binary = true,
    .several_graphs = true,
    .ungrouped_edges = true,
    .native_needs_layout = true,
    .unreachable_roots = true,
    .library_decides_bytes = true,
    .max_leftovers = kAnySize,
    .fidelity = draft::FidelityOf<sqlite::kName>::kTable,
    .make = [](ByteSink& sink, const WriterOptions& options,
               Context& context) -> std::unique_ptr<Writer> {
      auto rows = std::make_unique<sqlite::RowWriter>(sink);
      if (options.native) {
        return std::make_unique<draft::NativeWriter>(
            sqlite::kForm, draft::NativeWriter::Lines::kKeep, std::move(rows));
      }
      return std::make_unique<draft::StreamWriter>(
          sqlite::kForm, draft::FidelityOf<sqlite::kName>::kTable,
          std::move(rows), options.leftovers, context);
    },
};

}  // namespace heapglot
