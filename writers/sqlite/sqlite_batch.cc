#include "writers/sqlite/sqlite_batch.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace heapglot::sqlite {
namespace {

// Cells of a batch. There are fewer rows if they are wide, but at least one.
constexpr std::size_t kMaxCells = 2048;

// The name of a batch: no table begins with a dot (TableOf).
std::string ViewOf(const std::string& table) {
  return std::string(1, '.').append(table);
}

}  // namespace

// ------------------------------------------------- the batch as SQLite sees it

struct RowBatch::View {
  sqlite3_vtab base;
  const RowBatch* batch;

  static int Connect(sqlite3* database, void* batch, int, const char* const*,
                     sqlite3_vtab** out, char**) {
    const auto& rows = *static_cast<const RowBatch*>(batch);
    auto* const view = new (std::nothrow) View{.base = {}, .batch = &rows};
    if (view == nullptr) return SQLITE_NOMEM;
    *out = &view->base;
    return sqlite3_declare_vtab(database, rows.declaration_.c_str());
  }

  static int Disconnect(sqlite3_vtab* view) {
    delete reinterpret_cast<View*>(view);
    return SQLITE_OK;
  }

  // There is only one way to read it.
  static int BestIndex(sqlite3_vtab*, sqlite3_index_info*) { return SQLITE_OK; }
};

struct RowBatch::Cursor {
  sqlite3_vtab_cursor base;
  const Cell* row;
  const Cell* end;

  static Cursor& Of(sqlite3_vtab_cursor* cursor) {
    return *reinterpret_cast<Cursor*>(cursor);
  }
  static const RowBatch& BatchOf(const sqlite3_vtab_cursor* cursor) {
    return *reinterpret_cast<const View*>(cursor->pVtab)->batch;
  }

  static int Open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
    auto* const cursor = new (std::nothrow) Cursor{};
    if (cursor == nullptr) return SQLITE_NOMEM;
    *out = &cursor->base;
    return SQLITE_OK;
  }

  static int Close(sqlite3_vtab_cursor* cursor) {
    delete &Of(cursor);
    return SQLITE_OK;
  }

  static int First(sqlite3_vtab_cursor* cursor, int, const char*, int,
                   sqlite3_value**) {
    const RowBatch& batch = BatchOf(cursor);
    Cursor& self = Of(cursor);
    self.row = batch.cells_.data();
    self.end = self.row + batch.row_ * batch.columns_;
    return SQLITE_OK;
  }

  static int Next(sqlite3_vtab_cursor* cursor) {
    Of(cursor).row += BatchOf(cursor).columns_;
    return SQLITE_OK;
  }

  static int AtEnd(sqlite3_vtab_cursor* cursor) {
    return Of(cursor).row == Of(cursor).end ? 1 : 0;
  }

  // A text stays where it is until the statement has run.
  static int Column(sqlite3_vtab_cursor* cursor, sqlite3_context* result,
                    int column) {
    const Cell& cell = Of(cursor).row[column];
    switch (cell.kind) {
      case Kind::kNull:
        break;
      case Kind::kInteger:
        sqlite3_result_int64(result, static_cast<std::int64_t>(cell.bits));
        break;
      case Kind::kDouble:
        sqlite3_result_double(result, std::bit_cast<double>(cell.bits));
        break;
      case Kind::kText:
        sqlite3_result_text64(result, BatchOf(cursor).text_.data() + cell.bits,
                              cell.size, SQLITE_STATIC, SQLITE_UTF8);
        break;
      case Kind::kBlob:
        sqlite3_result_blob64(result, BatchOf(cursor).text_.data() + cell.bits,
                              cell.size, SQLITE_STATIC);
        break;
    }
    return SQLITE_OK;
  }

  static int RowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
    *id = Of(cursor).end - Of(cursor).row;
    return SQLITE_OK;
  }
};

// Without xCreate, a batch exists by its name alone, and is not in the schema.
const sqlite3_module* RowBatch::Module() {
  static const sqlite3_module kModule = [] {
    sqlite3_module module = {};
    module.xConnect = View::Connect;
    module.xBestIndex = View::BestIndex;
    module.xDisconnect = View::Disconnect;
    module.xOpen = Cursor::Open;
    module.xClose = Cursor::Close;
    module.xFilter = Cursor::First;
    module.xNext = Cursor::Next;
    module.xEof = Cursor::AtEnd;
    module.xColumn = Cursor::Column;
    module.xRowid = Cursor::RowId;
    return module;
  }();
  return &kModule;
}

// ------------------------------------------------------------------- the rows

Status RowBatch::Open(Database& database, const std::string& table,
                      std::size_t columns, std::vector<std::string> late) {
  database_ = &database;
  table_ = table;
  columns_ = columns;
  late_ = std::move(late);
  there_ = columns - late_.size();
  rows_ = std::clamp<std::size_t>(kMaxCells / columns, 1, kRows);
  cells_.resize(rows_ * columns);
  const int result = sqlite3_create_module(
      database.get(), ViewOf(table).c_str(), Module(), this);
  return result == SQLITE_OK ? Status() : database.ErrorOf(result);
}

void RowBatch::SetDouble(int parameter, double value) {
  Cell& cell = At(parameter);
  cell.kind = Kind::kDouble;
  cell.bits = std::bit_cast<std::uint64_t>(value);
}

// A failure is final; with OR FAIL, SQLite notes nothing for undoing a
// statement that fails halfway.
Status RowBatch::Prepare() {
  if (insert_.ok()) return {};
  declaration_ = "CREATE TABLE batch (c0";
  for (std::size_t i = 1; i < columns_; ++i)
    declaration_ += ", c" + std::to_string(i);
  declaration_ += ')';
  std::string cells = "c0";
  for (std::size_t i = 1; i < there_; ++i) cells += ", c" + std::to_string(i);
  Result<Statement> insert =
      database_->Prepare("INSERT OR FAIL INTO " + table_ + " SELECT " + cells +
                         " FROM " + QuoteName(ViewOf(table_)));
  if (!insert.ok()) return insert.status();
  insert_ = std::move(*insert);
  return {};
}

std::size_t RowBatch::Used() const {
  std::size_t used = there_;
  for (std::size_t row = 0; row < row_; ++row)
    for (std::size_t column = used; column < columns_; ++column)
      if (cells_[row * columns_ + column].kind != Kind::kNull)
        used = column + 1;
  return used;
}

Status RowBatch::AddColumns(std::size_t columns) {
  if (there_ == columns) return {};
  for (; there_ < columns; ++there_) {
    const std::string& column = late_[there_ + late_.size() - columns_];
    HEAPGLOT_RETURN_IF_ERROR(
        database_->Run("ALTER TABLE " + table_ + " ADD COLUMN " + column));
  }
  insert_ = {};
  return {};
}

void RowBatch::DropRow() {
  for (std::size_t i = 0; i < columns_; ++i) At(static_cast<int>(i + 1)) = {};
  text_.resize(row_text_);
}

Status RowBatch::Flush() {
  if (row_ == 0) return {};
  HEAPGLOT_RETURN_IF_ERROR(AddColumns(Used()));
  HEAPGLOT_RETURN_IF_ERROR(Prepare());
  Status status = insert_.Run();
  const std::size_t cells = row_ * columns_;
  for (std::size_t i = 0; i < cells; ++i) cells_[i].kind = Kind::kNull;
  row_ = row_text_ = 0;
  text_.clear();
  if (text_.capacity() > 4 * kMaxText) std::string().swap(text_);
  return status;
}

Status RowBatch::Close() {
  HEAPGLOT_RETURN_IF_ERROR(Flush());
  insert_ = {};
  return AddColumns(columns_);
}

}  // namespace heapglot::sqlite
