// A connection to an SQLite database, and its statements.
#ifndef HEAPGLOT_CORE_SQLITE_DATABASE_H_
#define HEAPGLOT_CORE_SQLITE_DATABASE_H_

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/sqlite/vfs.h"
#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::sqlite {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
  }
};

class Database;

// A prepared statement. Must not outlive its database.
class Statement {
 public:
  Statement() = default;

  bool ok() const { return statement_ != nullptr; }

  // Parameters count from 1. What is bound must stay valid until Run().
  void BindText(int parameter, std::string_view text) {
    Note(sqlite3_bind_text64(statement_.get(), parameter, text.data(),
                             text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }

  // The next row: false at the end, or if something went wrong, which is then
  // in `*status`.
  bool Next(Status* status);
  // For a statement that has no rows; can be run again.
  Status Run();

  // Columns of the row count from 0. Texts are valid until the next row.
  int columns() const { return sqlite3_column_count(statement_.get()); }
  const char* ColumnName(int column) const {
    return sqlite3_column_name(statement_.get(), column);
  }
  int TypeOf(int column) const {
    return sqlite3_column_type(statement_.get(), column);
  }
  bool IsNull(int column) const { return TypeOf(column) == SQLITE_NULL; }
  std::int64_t Integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
  }
  double Double(int column) const {
    return sqlite3_column_double(statement_.get(), column);
  }
  // The bytes of a text or a blob.
  std::string_view Bytes(int column) const;

  sqlite3_stmt* get() const { return statement_.get(); }

 private:
  friend class Database;
  Statement(Database* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}
  void Note(int result) {
    if (result != SQLITE_OK) [[unlikely]]
      bind_error_ = result;
  }

  Database* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> statement_;
  int bind_error_ = SQLITE_OK;
};

// Not thread-safe. A database that is read may be hostile: it cannot be
// written, nothing in its schema runs by itself, and what it makes SQLite
// allocate is bounded by its size. So are, until SetProgress(), all steps of
// its statements, the texts of all their rows, and what they sort. Nothing else
// in the process changes, except that SQLite is initialized.
//
// Errors: kMalformed and kLimit (memory) for a database that is read, kOutput
// for temporary files. Memory: the page cache of kCacheKib, one sorter. If
// there is no memory for a database of our own: std::bad_alloc.
class Database {
 public:
  static constexpr int kCacheKib = 16 << 10;

  // `name` is that of the format, for messages. `source` must outlive this.
  static Result<std::unique_ptr<Database>> Open(std::string_view name,
                                                const ByteSource& source);
  // An empty database with pages of this size, a power of two from 512 to
  // 65,536. In a transaction until Commit(); without a journal, so an error is
  // final.
  static Result<std::unique_ptr<Database>> Create(std::string_view name,
                                                  int page_size);

  // One statement. Errors: also kUsage, if the text is not SQL, has more than
  // one statement, or wants what an authorizer forbids.
  Result<Statement> Prepare(const std::string& sql);
  // Statements without rows.
  Status Run(const std::string& sql);
  // Writes the changed pages of the cache, which it otherwise keeps as long as
  // it can, in preference to pages that were only read.
  Status FlushCache();
  Status Commit();

  // Writes all bytes of a database that was made.
  Status CopyTo(ByteSink& sink) { return vfs_->store().CopyTo(sink); }

  // Called every few thousand steps of a statement; false ends it with
  // kCancelled. From then on, that is the only limit on what statements do.
  void SetProgress(std::function<bool()> goes_on);

  sqlite3* get() const { return database_.get(); }
  // The error of a call that returned `result`.
  Status ErrorOf(int result) const;

 private:
  friend class Statement;

  Database(std::string_view name, std::unique_ptr<Vfs> vfs, bool is_read)
      : name_(name), vfs_(std::move(vfs)), is_read_(is_read) {}

  Status Connect();
  Status Harden(const ByteSource& source);
  // Whether the file can hold the texts and blobs of this row, too.
  bool CountTexts(const Statement& row);
  Status Repeated() const;

  const std::string_view name_;
  std::unique_ptr<Vfs> vfs_;
  const bool is_read_;
  std::function<bool()> goes_on_;
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  std::uint64_t calls_left_ = kNoLimit;  // of the progress handler
  std::uint64_t texts_left_ = kNoLimit;  // bytes
  std::unique_ptr<sqlite3, CloseDatabase> database_;
};

// An identifier as SQL writes it.
std::string QuoteName(std::string_view name);

}  // namespace heapglot::sqlite

#endif  // HEAPGLOT_CORE_SQLITE_DATABASE_H_
