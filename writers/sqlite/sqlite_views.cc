// What makes a database quick and pleasant to query: docs/queries.md.
#include "core/draft/draft_views.h"
#include "writers/sqlite/sqlite_tables.h"

namespace heapglot::sqlite {
namespace {

// Of cache while an index is made. It sorts pieces as large as that, which goes
// faster as long as they fit the processor's cache: by a fifth, measured.
constexpr int kSortKib = 4096;

}  // namespace

Status AddIndices(bool is_scattered, Database& database) {
  HEAPGLOT_RETURN_IF_ERROR(
      database.Run("PRAGMA cache_size=-" + std::to_string(kSortKib)));
  if (is_scattered) {
    HEAPGLOT_RETURN_IF_ERROR(
        database.Run("CREATE INDEX edge_source ON edge (source)"));
  }
  // Rows in their own order need none. Small integers are left out.
  return database.Run(
      "CREATE INDEX edge_dest ON edge (dest) WHERE dest & 1;PRAGMA "
      "cache_size=-" +
      std::to_string(Database::kCacheKib));
}

Status AddStatistics(const Tables& tables, Database& database) {
  HEAPGLOT_RETURN_IF_ERROR(database.Run("PRAGMA analysis_limit=1000"));
  // All at once would be in the order of a hash table, which is not always the
  // same.
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
