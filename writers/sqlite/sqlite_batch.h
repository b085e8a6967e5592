// Rows on their way into a table.
#ifndef HEAPGLOT_WRITERS_SQLITE_SQLITE_BATCH_H_
#define HEAPGLOT_WRITERS_SQLITE_SQLITE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/sqlite/database.h"
#include "heapglot/status.h"

namespace heapglot::sqlite {

// Collects rows and inserts many of them by one statement: they share its cost,
// and SQLite stays at the end of the table instead of looking for the place of
// each row. The statement selects from the batch, which is a virtual table to
// SQLite: that is faster than binding each cell.
// Memory: kRows rows, with texts of kMaxText plus those of the last row.
class RowBatch {
 public:
  static constexpr std::size_t kRows = 128;
  static constexpr std::size_t kMaxText = std::size_t{64} << 10;

  RowBatch() = default;
  RowBatch(const RowBatch&) = delete;
  RowBatch& operator=(const RowBatch&) = delete;

  // For rows of `table`, quoted as in SQL, which has `columns` columns, at
  // least one. `database` must outlive this, and this must not move.
  // `late` declares the last columns if the table does not have them yet: they
  // are added before the first row that needs them. Until then their NULLs,
  // which most edges have, cost no time and no bytes.
  Status Open(Database& database, const std::string& table, std::size_t columns,
              std::vector<std::string> late = {});

  // Sets a cell of the current row; parameters count from 1. What is not set is
  // NULL.
  void SetInteger(int parameter, std::int64_t value) {
    Cell& cell = At(parameter);
    cell.kind = Kind::kInteger;
    cell.bits = static_cast<std::uint64_t>(value);
  }
  void SetDouble(int parameter, double value);
  void SetText(int parameter, std::string_view text) {
    SetBytes(parameter, Kind::kText, text);
  }
  void SetBlob(int parameter, std::string_view bytes) {
    SetBytes(parameter, Kind::kBlob, bytes);
  }
  // EndText() makes a cell of what is appended to text() from here on.
  void BeginText() { text_begin_ = text_.size(); }
  std::string* text() { return &text_; }
  void EndText(int parameter) { SetRest(parameter, Kind::kText); }
  // The text of a cell of the current row; valid until the next cell is set.
  std::string_view TextOf(int parameter) { return TextOf(At(parameter)); }

  // Forgets the current row.
  void DropRow();

  // Errors: those of the database, maybe about earlier rows.
  Status EndRow() {
    row_text_ = text_.size();
    if (++row_ < rows_ && row_text_ < kMaxText) [[likely]]
      return {};
    return Flush();
  }
  // Inserts the waiting rows.
  Status Flush();
  // The same, for the last time: the table then has all its columns, and may be
  // dropped.
  Status Close();

 private:
  enum class Kind : std::uint8_t { kNull, kInteger, kDouble, kText, kBlob };
  struct Cell {
    Kind kind = Kind::kNull;
    std::uint64_t bits = 0;  // a number, or where in text_ it begins
    std::size_t size = 0;    // of a text
  };

  Cell& At(int parameter) {
    return cells_[row_ * columns_ + static_cast<std::size_t>(parameter) - 1];
  }
  void SetBytes(int parameter, Kind kind, std::string_view bytes) {
    BeginText();
    text_.append(bytes);
    SetRest(parameter, kind);
  }
  void SetRest(int parameter, Kind kind) {
    At(parameter) = {kind, text_begin_, text_.size() - text_begin_};
  }
  std::string_view TextOf(const Cell& cell) const {
    return std::string_view(text_).substr(cell.bits, cell.size);
  }
  Status Prepare();
  // How many columns the waiting rows need.
  std::size_t Used() const;
  // Adds columns until the table has `columns`.
  Status AddColumns(std::size_t columns);

  // The batch as SQLite sees it.
  struct View;
  struct Cursor;
  static const sqlite3_module* Module();

  Database* database_ = nullptr;
  std::string table_;
  std::string declaration_;
  std::size_t columns_ = 0;
  std::vector<std::string> late_;
  std::size_t there_ = 0;  // columns that the table has by now
  std::size_t rows_ = 0;   // of a full batch
  std::size_t row_ = 0;    // the current one
  std::vector<Cell> cells_;
  std::string text_;            // of all cells
  std::size_t row_text_ = 0;    // where that of the current row begins
  std::size_t text_begin_ = 0;  // and that of its cell
  Statement insert_;
};

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_WRITERS_SQLITE_SQLITE_BATCH_H_
