// Makes a database quick and pleasant to query: docs/queries.md.
#include "core/draft/draft_views.h"
#include "writers/sqlite/sqlite_tables.h"

namespace heapglot::sqlite {
namespace {

// Cache while an index is made. SQLite sorts pieces of this size, which is
// faster while they fit into the processor's cache: by a fifth, measured.
constexpr int kSortKib = 4096;

}  // namespace

Status AddIndices(bool is_scattered, Database& database) {
  HEAPGLOT_RETURN_IF_ERROR(
      database.Run("PRAGMA cache_size=-" + std::to_string(kSortKib)));
  if (is_scattered) {
    HEAPGLOT_RETURN_IF_ERROR(
        database.Run("CREATE INDEX edge_source ON edge (source)"));
  }
  // Edges in the order of their sources need no index for that. Small integers
  // are left out of this one.
  return database.Run(
      "CREATE INDEX edge_dest ON edge (dest) WHERE dest & 1;PRAGMA "
      "cache_size=-" +
      std::to_string(Database::kCacheKib));
}

Status AddStatistics(const Tables& tables, Database& database) {
  HEAPGLOT_RETURN_IF_ERROR(database.Run("PRAGMA analysis_limit=1000"));
  // One ANALYZE for all would follow the order of a hash table, which may vary.
  for (const OutputTable& table : tables.all())
    HEAPGLOT_RETURN_IF_ERROR(database.Run("ANALYZE " + QuoteName(table.name)));
  return {};
}

Status AddViews(const Tables& tables, Database& database) {
  const auto has = [&](std::string_view table, std::string_view column) {
    for (const OutputTable& known : tables.all())
      if (known.name == table) return known.FindParameter(column) != 0;
    return false;
  };
  for (const std::string& view : draft::ViewStatements("CREATE VIEW", has))
    HEAPGLOT_RETURN_IF_ERROR(database.Run(view));
  return {};
}

}  // namespace heapglot::sqlite
