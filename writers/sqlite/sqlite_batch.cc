#include "writers/sqlite/sqlite_batch.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace heapglot::sqlite {
namespace {

// Parameters of a statement: SQLite takes 32,766, and less is quicker to make.
constexpr std::size_t kMaxParameters = 2048;

}  // namespace

void RowBatch::Open(Database& database, const std::string& table,
                    std::size_t columns) {
  database_ = &database;
  table_ = table;
  columns_ = columns;
  rows_ = std::clamp<std::size_t>(kMaxParameters / columns, 1, kRows);
  cells_.resize(rows_ * columns);
}

void RowBatch::SetDouble(int parameter, double value) {
  Cell& cell = At(parameter);
  cell.kind = Kind::kDouble;
  cell.bits = std::bit_cast<std::uint64_t>(value);
}

// For as many rows as there are. What fails is final, so nothing has to be noted
// for undoing a statement that has failed halfway.
Status RowBatch::Prepare() {
  if (prepared_ == row_) return {};
  std::string values = "(?";
  for (std::size_t i = 1; i < columns_; ++i) values += ",?";
  values += ')';
  std::string sql = "INSERT OR FAIL INTO " + table_ + " VALUES " + values;
  for (std::size_t i = 1; i < row_; ++i) sql.append(1, ',').append(values);
  Result<Statement> insert = database_->Prepare(sql);
  if (!insert.ok()) return insert.status();
  insert_ = std::move(*insert);
  prepared_ = row_;
  return {};
}

void RowBatch::Bind(int parameter, const Cell& cell) {
  switch (cell.kind) {
    case Kind::kNull:
      return;
    case Kind::kInteger:
      return insert_.BindInteger(parameter,
                                 static_cast<std::int64_t>(cell.bits));
    case Kind::kDouble:
      return insert_.BindDouble(parameter, std::bit_cast<double>(cell.bits));
    case Kind::kText:
      return insert_.BindText(parameter, TextOf(cell));
    case Kind::kBlob:
      return insert_.BindBlob(parameter, TextOf(cell));
  }
}

void RowBatch::DropRow() {
  for (std::size_t i = 0; i < columns_; ++i) At(static_cast<int>(i + 1)) = {};
  text_.resize(row_text_);
}

Status RowBatch::Flush() {
  if (row_ == 0) return {};
  HEAPGLOT_RETURN_IF_ERROR(Prepare());
  const std::size_t cells = row_ * columns_;
  for (std::size_t i = 0; i < cells; ++i) {
    Bind(static_cast<int>(i + 1), cells_[i]);
    cells_[i].kind = Kind::kNull;
  }
  Status status = insert_.Run();
  insert_.ClearBindings();
  row_ = row_text_ = 0;
  text_.clear();
  if (text_.capacity() > 4 * kMaxText) std::string().swap(text_);
  return status;
}

}  // namespace heapglot::sqlite
