// heapglot query: SQL over a dump.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "core/bytes/spool.h"
#include "core/sqlite/database.h"
#include "heapglot/convert.h"
#include "tools/flags.h"
#include "tools/progress.h"
#include "tools/query_database.h"
#include "tools/query_rows.h"
#include "tools/signals.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kQueryExamples[] = R"(Examples:
  heapglot query app.dartheap 'SELECT kind, count(*) FROM nodes GROUP BY kind'
  heapglot query app.heapsnapshot --csv 'SELECT * FROM nodes' > nodes.csv
  heapglot convert app.dartheap -o app.sqlite
  heapglot query app.sqlite 'SELECT * FROM roots'

The dump is loaded into a temporary database, unless it already is a database
made by heapglot. docs/queries.md has its tables and views, and useful queries.)";

constexpr std::string_view kTarget = "sqlite";
constexpr std::string_view kQueryName = "query";

struct QueryFlags {
  InputFlags in;
  std::string sql;
  bool csv = false;
  bool json = false;
  std::uint64_t time_limit = 600;  // seconds
};

// SQL may only read here.
int Authorize(void*, int action, const char*, const char* function, const char*,
              const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return std::string_view(function) == "load_extension" ? SQLITE_DENY
                                                            : SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

class Query {
 public:
  Query(const QueryFlags& flags, const Console& console)
      : flags_(flags), console_(console) {}

  // Returns the exit code.
  int Run() {
    const Status opened = OpenDatabase();
    if (!opened.ok()) return Fail(opened);
    console_.Warn(context_.findings(), flags_.in.input);
    int exit_code = 0;
    const Status status = Answer(&exit_code);
    if (exit_code != 0) return exit_code;
    return status.ok() ? 0 : Fail(status);
  }

 private:
  int Fail(const Status& status) const {
    if (status.code() == Code::kUsage)
      return console_.Usage("query", status.message());
    return console_.Fail(status, flags_.in.input);
  }

  Status OpenDatabase() {
    Progress progress(flags_.in.progress, console_);
    context_.limits = flags_.in.limits;
    context_.strict = flags_.in.strict;
    progress.Watch(&context_);
    Sandbox sandbox(!flags_.in.no_sandbox);
    Result<OpenInput> input = Open(flags_.in, sandbox, console_, &progress);
    if (!input.ok()) return input.status();
    if (input->format->name == kTarget) {
      database_ = OpenOwnDatabase(kQueryName, *input->source);
      if (database_ != nullptr) {
        source_ = std::move(input->source);
        return {};
      }
    }
    return MakeDatabase(*input);
  }

  Status MakeDatabase(const OpenInput& input) {
    ConvertOptions options;
    options.from = input.format;
    options.to = FindWriter(kTarget);
    options.layout = kUsualLayout;
    // The views are not made for the tables of another program's database.
    options.native = false;
    options.embed = false;
    options.ignore_leftovers = true;
    SpoolSink spool;
    HEAPGLOT_RETURN_IF_ERROR(Convert(*input.source, spool, options, context_));
    Result<std::unique_ptr<ByteSource>> source = spool.TakeSource("(query)");
    if (!source.ok()) return source.status();
    source_ = std::move(*source);
    Result<std::unique_ptr<sqlite::Database>> database =
        sqlite::Database::Open(kQueryName, *source_);
    if (!database.ok()) return database.status();
    database_ = std::move(*database);
    return {};
  }

  // Whether the file is at fault, not the query.
  bool IsDamaged() const {
    switch (sqlite3_errcode(database_->get()) & 0xFF) {
      case SQLITE_CORRUPT:
      case SQLITE_NOTADB:
      case SQLITE_IOERR:
        return true;
      default:
        return false;
    }
  }

  Status Answer(int* exit_code) {
    sqlite3_set_authorizer(database_->get(), Authorize, nullptr);
    using Clock = std::chrono::steady_clock;
    // Longer than anyone waits; a clock counts nanoseconds, which would
    // overflow.
    constexpr std::uint64_t kLongest = 1'000'000'000;
    const auto end = Clock::now() + std::chrono::seconds(
                                        std::min(flags_.time_limit, kLongest));
    database_->SetProgress([end] { return Clock::now() < end; });
    Result<sqlite::Statement> statement = database_->Prepare(flags_.sql);
    if (!statement.ok()) return statement.status();
    if (sqlite3_stmt_readonly(statement->get()) == 0)
      return {Code::kUsage, "only queries are run: SELECT, WITH, VALUES"};
    const PageStyle style = {.columns = StdoutColumns(),
                             .color = console_.StdoutHasColor(),
                             .unicode = StdoutIsUtf8()};
    const RowsForm form = flags_.csv    ? RowsForm::kCsv
                          : flags_.json ? RowsForm::kJson
                                        : RowsForm::kTable;
    Status status = PrintRows(*statement, form, style, console_, exit_code);
    if (status.code() == Code::kCancelled) {
      return {Code::kLimit, "the query took more than " +
                                std::to_string(flags_.time_limit) +
                                " s (--time-limit)"};
    }
    if (status.code() == Code::kMalformed && !IsDamaged())
      return {Code::kUsage, status.message()};
    return status;
  }

  const QueryFlags& flags_;
  const Console& console_;
  Context context_;
  std::unique_ptr<ByteSource> source_;  // of the database
  std::unique_ptr<sqlite::Database> database_;
};

int Run(const QueryFlags& flags, const Console& console) {
  const InputGuard guard(flags.in.input);
  return Query(flags, console).Run();
}

}  // namespace

Verb AddQuery(CLI::App& app) {
  const auto flags = std::make_shared<QueryFlags>();
  CLI::App* command =
      app.add_subcommand("query", "Runs SQL over a dump of any format.");
  AddInputFlags(*command, flags->in);
  command->add_option("SQL", flags->sql, "a SELECT statement")->required();
  CLI::Option* const csv = command->add_flag("--csv", flags->csv, "print CSV");
  command->add_flag("--json", flags->json, "print JSON")->excludes(csv);
  command
      ->add_option("--time-limit", flags->time_limit,
                   "stop the query after N seconds (600)")
      ->check(CountText())
      ->option_text("N");
  command->footer(kQueryExamples);
  return {command,
          [flags](const Console& console) { return Run(*flags, console); }};
}

}  // namespace heapglot::tool
