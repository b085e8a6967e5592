#include "core/sqlite/database.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/out_of_memory.h"

namespace heapglot::sqlite {
namespace {

// Steps of the virtual machine between two calls of the progress handler.
constexpr int kSteps = 4096;
// A row takes at least one byte a column, and few steps to be read (twice, if
// the caller looks at its types first) and sorted. What takes more steps reads
// the same pages again and again.
constexpr std::uint64_t kBytesPerCall = 192;
constexpr std::uint64_t kMinCalls = 1000;
// A text is in the file once, and no row is read more than twice; in UTF-8 it
// may be half as long again. Anything more comes from pages that are shared.
// The minimum is for texts that are the default of a column, which rows do not
// hold.
constexpr std::uint64_t kTextsPerByte = 4;
constexpr std::uint64_t kMinTexts = 16 << 20;
// The longest text that SQLite has room for.
constexpr int kMaxText = 1'000'000'000;
// The longest statement that we, or a schema, need.
constexpr int kMaxSql = 1 << 20;

std::string CacheSize() {
  return "PRAGMA cache_size=-" + std::to_string(Database::kCacheKib);
}

int CallProgress(void* goes_on) {
  return (*static_cast<std::function<bool()>*>(goes_on))() ? 0 : 1;
}

}  // namespace

// ---------------------------------------------------------------- statement

bool Statement::Next(Status* status) {
  int result = bind_error_;
  if (result == SQLITE_OK) result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) {
    if (database_->CountTexts(*this)) return true;
    *status = database_->Repeated();
    return false;
  }
  if (result != SQLITE_DONE) *status = database_->ErrorOf(result);
  return false;
}

Status Statement::Run() {
  int result = bind_error_;
  if (result == SQLITE_OK) result = sqlite3_step(statement_.get());
  if (result != SQLITE_DONE && result != SQLITE_ROW) [[unlikely]] {
    Status status = database_->ErrorOf(result);
    sqlite3_reset(statement_.get());
    return status;
  }
  sqlite3_reset(statement_.get());
  return {};
}

std::string_view Statement::Bytes(int column) const {
  // The text first: getting it may convert what the size is about.
  const void* const bytes = TypeOf(column) == SQLITE_BLOB
                                ? sqlite3_column_blob(statement_.get(), column)
                                : sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

// ----------------------------------------------------------------- database

Status Database::ErrorOf(int result) const {
  if (!vfs_->status().ok()) return vfs_->status();
  const std::string prefix = std::string(name_) + ": ";
  switch (result & 0xFF) {
    case SQLITE_NOMEM:
      if (!is_read_) throw std::bad_alloc();
      return OutOfMemory();
    case SQLITE_TOOBIG:
      return {Code::kLimit,
              prefix + "SQLite has no room for a row with so long a text"};
    case SQLITE_INTERRUPT:
      if (calls_left_ == 0) return Repeated();
      return {Code::kCancelled, prefix + "interrupted"};
    case SQLITE_AUTH:
      return {Code::kUsage, prefix + "only reading is allowed"};
    default:
      break;
  }
  if ((result & 0xFF) == SQLITE_IOERR &&
      sqlite3_extended_errcode(get()) == SQLITE_IOERR_NOMEM)
    throw std::bad_alloc();
  return {is_read_ ? Code::kMalformed : Code::kInternal,
          prefix + sqlite3_errmsg(get())};
}

Status Database::Repeated() const {
  return {Code::kMalformed,
          std::string(name_) + ": the same pages come again and again"};
}

bool Database::CountTexts(const Statement& row) {
  if (texts_left_ == kNoLimit) return true;
  for (int i = 0; i < row.columns(); ++i) {
    const int type = row.TypeOf(i);
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) continue;
    texts_left_ -= std::min<std::uint64_t>(row.Bytes(i).size(), texts_left_);
  }
  return texts_left_ != 0;
}

Status Database::Connect() {
  sqlite3* database = nullptr;
  const int flags = (is_read_ ? SQLITE_OPEN_READONLY
                              : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int result =
      sqlite3_open_v2("database", &database, flags, vfs_->name());
  database_.reset(database);
  if (database == nullptr) throw std::bad_alloc();
  if (result != SQLITE_OK) return ErrorOf(result);
  return Run(CacheSize() +
             ";PRAGMA temp_store=file;PRAGMA locking_mode=exclusive");
}

Status Database::Harden(const ByteSource& source) {
  sqlite3* const database = get();
  for (const int option :
       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
        SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, SQLITE_DBCONFIG_WRITABLE_SCHEMA})
    sqlite3_db_config(database, option, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // A row cannot hold more than the file, whatever it says.
  const auto length = static_cast<int>(
      std::clamp<std::uint64_t>(source.bytes().size(), kMaxSql, kMaxText));
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, length);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, kMaxSql);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(database, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10'000);
  SetProgress([this] { return --calls_left_ > 0; });
  const std::uint64_t size = source.bytes().size();
  calls_left_ = kMinCalls + size / kBytesPerCall;
  texts_left_ = kMinTexts + size * kTextsPerByte;
  // A sorter has all that it sorts before it returns a row.
  vfs_->LimitTemporaries(texts_left_, Repeated());
  return Run("PRAGMA cell_size_check=on");
}

Result<std::unique_ptr<Database>> Database::Open(std::string_view name,
                                                 const ByteSource& source) {
  std::unique_ptr<Database> database(
      new Database(name, std::make_unique<Vfs>(source), true));
  HEAPGLOT_RETURN_IF_ERROR(database->Connect());
  HEAPGLOT_RETURN_IF_ERROR(database->Harden(source));
  return database;
}

Result<std::unique_ptr<Database>> Database::Create(std::string_view name,
                                                   int page_size) {
  std::unique_ptr<Database> database(
      new Database(name, std::make_unique<Vfs>(), false));
  HEAPGLOT_RETURN_IF_ERROR(database->Connect());
  // The size of the cache is set in pages of the current size.
  HEAPGLOT_RETURN_IF_ERROR(database->Run(
      "PRAGMA page_size=" + std::to_string(page_size) + ";" + CacheSize() +
      ";PRAGMA journal_mode=off;PRAGMA synchronous=off;PRAGMA auto_vacuum=0;"
      "PRAGMA encoding='UTF-8';BEGIN EXCLUSIVE"));
  return database;
}

Result<Statement> Database::Prepare(const std::string& sql) {
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  const int result =
      sqlite3_prepare_v3(get(), sql.c_str(), static_cast<int>(sql.size()) + 1,
                         SQLITE_PREPARE_PERSISTENT, &prepared, &rest);
  Statement statement(this, prepared);
  if (result != SQLITE_OK) {
    Status status = ErrorOf(result);
    // Not kUsage if it is the schema that cannot be read.
    const bool is_text = (result & 0xFF) == SQLITE_ERROR;
    if (is_text) return Status(Code::kUsage, status.message());
    return status;
  }
  if (prepared == nullptr)
    return Status(Code::kUsage, std::string(name_) + ": no statement");
  // After the statement, comments are allowed, too.
  while (*rest != '\0') {
    const char* const at = rest;
    sqlite3_stmt* another = nullptr;
    const int error = sqlite3_prepare_v3(get(), at, -1, 0, &another, &rest);
    const Statement unused(this, another);
    if (error != SQLITE_OK || another != nullptr || rest == at) {
      return Status(Code::kUsage,
                    std::string(name_) + ": more than one statement");
    }
  }
  return statement;
}

// It changes the database.
// NOLINTNEXTLINE(readability-make-member-function-const)
Status Database::Run(const std::string& sql) {
  const int result =
      sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr);
  return result == SQLITE_OK ? Status() : ErrorOf(result);
}

// It changes the file.
// NOLINTNEXTLINE(readability-make-member-function-const)
Status Database::FlushCache() {
  const int result = sqlite3_db_cacheflush(get());
  return result == SQLITE_OK ? Status() : ErrorOf(result);
}

Status Database::Commit() { return Run("COMMIT"); }

void Database::SetProgress(std::function<bool()> goes_on) {
  calls_left_ = kNoLimit;
  texts_left_ = kNoLimit;
  vfs_->LimitTemporaries(kNoLimit, {});
  // The result of a function may be longer than the file.
  sqlite3_limit(get(), SQLITE_LIMIT_LENGTH, kMaxText);
  goes_on_ = std::move(goes_on);
  sqlite3_progress_handler(get(), kSteps, CallProgress, &goes_on_);
}

std::string QuoteName(std::string_view name) {
  std::string quoted = "\"";
  for (const char letter : name) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

}  // namespace heapglot::sqlite
