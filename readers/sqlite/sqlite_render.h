// Writes the rows of a database as the records that they are, in lines.
#ifndef HEAPGLOT_READERS_SQLITE_SQLITE_RENDER_H_
#define HEAPGLOT_READERS_SQLITE_SQLITE_RENDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/draft/draft_lines.h"
#include "core/sqlite/database.h"
#include "heapglot/context.h"
#include "readers/sqlite/sqlite_schema.h"

namespace heapglot::sqlite {

// Which row each line was made from.
class RowPlaces {
 public:
  // The next line is from the next row of the table.
  void Add(const InputTable& table) {
    if (runs_.empty() || runs_.back().table != &table)
      runs_.push_back({&table, lines_, rows_[&table]});
    ++rows_[&table];
    ++lines_;
  }
  // The next line is from no row.
  void AddDeclaration() {
    if (runs_.empty() || runs_.back().table != nullptr)
      runs_.push_back({nullptr, lines_, 0});
    ++lines_;
  }
  struct Place {
    const InputTable* table = nullptr;
    std::uint64_t row = 0;  // from 1, in the order of the table
  };
  // `line` counts from 1.
  Place Find(std::uint64_t line) const;
  // "edge row 17".
  std::string Say(std::uint64_t line) const;
  std::string Last() const { return Say(lines_); }

 private:
  struct Run {
    const InputTable* table;
    std::uint64_t first_line;
    std::uint64_t first_row;
  };
  std::vector<Run> runs_;
  std::uint64_t lines_ = 0;
  std::unordered_map<const InputTable*, std::uint64_t> rows_;
};

class Renderer {
 public:
  // All must outlive this.
  Renderer(const ByteSource& source, Database& database, DatabaseSchema& schema,
           Context& context, ByteSink& out);

  Status Run();
  RowPlaces TakePlaces() { return std::move(places_); }

 private:
  // Rows of a table, one after the other.
  struct Rows {
    InputTable* table = nullptr;
    Statement statement;
    bool is_open = false;
    bool has_row = false;
    // Of a side table: the current row, from 1, and the last node that took a
    // row of it.
    std::uint64_t row = 0;
    std::optional<std::int64_t> last_owner = std::nullopt;
  };

  Status Open(Rows& rows, std::string_view rest);
  Status Next(Rows& rows);
  Status Declare();
  Status RenderRuns();
  Status RenderRest(std::string_view table);
  Status Render(Rows& rows, std::uint64_t count);
  Status RenderRow(Rows& rows);
  Status RenderMetadata(const Rows& rows);
  Status RenderNode(const Rows& rows);
  Status SeekSide(Rows& side, std::int64_t node);
  Status SkipSideRow(Rows& side);
  Status SkipRestOfSides();
  Status RenderFields(const Rows& rows);
  Status Field(const Rows& rows, int column, const draft::Field& field);
  Status CheckUtf8(const Rows& rows, std::string_view field,
                   std::string_view text);
  Status Text(const Rows& rows, int column, const draft::Field& field);
  void Number(const Statement& row, int column, const draft::Field& field);
  Status Wrong(const Rows& rows, const draft::Field& field) const;
  // Whether each cell of the column becomes JSON of its own type.
  static bool IsMixed(const Rows& rows, int column) {
    return rows.table->is_mixed[static_cast<std::size_t>(column)];
  }
  Rows& RowsOf(InputTable& table) { return rows_[&table]; }

  const ByteSource& source_;
  Database& database_;
  DatabaseSchema& schema_;
  Context& context_;
  const ByteSink& lines_;
  draft::LineWriter out_;
  RowPlaces places_;
  std::unordered_map<const InputTable*, Rows> rows_;
  std::uint64_t rows_read_ = 0;
  bool is_declared_ = false;
};

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_READERS_SQLITE_SQLITE_RENDER_H_
