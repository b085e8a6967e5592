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

// Collects rows and inserts many of them by one statement: what a statement costs
// is then not paid for each, and SQLite stays at the end of the table instead of
// looking for its place. The statement selects from the batch, which is a virtual
// table to SQLite: that takes less time than binding each cell.
// Memory: kRows rows, and texts of kMaxText before the last one.
class RowBatch {
 public:
  static constexpr std::size_t kRows = 128;
  static constexpr std::size_t kMaxText = std::size_t{64} << 10;

  RowBatch() = default;
  RowBatch(const RowBatch&) = delete;
  RowBatch& operator=(const RowBatch&) = delete;

  // For rows of `table`, as SQL has it, which has that many columns, at least
  // one. `database` must outlive this, and this must stay where it is.
  // `late` declares the last columns if the table does not have them yet: they
  // are added before the first row that needs them. (NULL in all rows before, as
  // most of edges are, costs no time and no bytes then.)
  Status Open(Database& database, const std::string& table, std::size_t columns,
              std::vector<std::string> late = {});

  // A cell of the row at hand; parameters count from 1. What is not set is NULL.
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
  // What is appended to text() from here on becomes a cell by EndText().
  void BeginText() { text_begin_ = text_.size(); }
  std::string* text() { return &text_; }
  void EndText(int parameter) { SetRest(parameter, Kind::kText); }
  // The text of a cell of the row at hand; valid until the next is set.
  std::string_view TextOf(int parameter) { return TextOf(At(parameter)); }

  // Forgets the row at hand.
  void DropRow();

  // Errors: those of the database, maybe of rows before.
  Status EndRow() {
    row_text_ = text_.size();
    if (++row_ < rows_ && row_text_ < kMaxText) [[likely]]
      return {};
    return Flush();
  }
  // Inserts what is left.
  Status Flush();
  // The same, and nothing comes any more: the table has all its columns, and may
  // be dropped.
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
  // So many columns are used by the rows that wait.
  std::size_t Used() const;
  // Until the table has so many.
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
  std::size_t row_ = 0;    // at hand
  std::vector<Cell> cells_;
  std::string text_;            // of all cells
  std::size_t row_text_ = 0;    // where that of the row at hand begins
  std::size_t text_begin_ = 0;  // and that of its cell
  Statement insert_;
};

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_WRITERS_SQLITE_SQLITE_BATCH_H_
