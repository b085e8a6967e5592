#include "readers/sqlite/sqlite_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/bytes/spool.h"
#include "core/leftovers/leftovers_tail.h"
#include "core/sqlite/header.h"
#include "readers/draft/draft_index.h"
#include "readers/draft/draft_pass.h"
#include "readers/sqlite/sqlite_render.h"
#include "readers/sqlite/sqlite_wire.h"

namespace heapglot {
namespace {

// Offsets in the header of an SQLite database.
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

// Turns rows into lines in a spool, once, and reads the draft's records from
// these.
class SqliteReader : public Reader {
 public:
  SqliteReader(const ByteSource& source, Context& context)
      : source_(source),
        context_(context),
        index_(sqlite::kForm, context.limits.max_depth) {}

  Status Read(ChunkSet wanted, ChunkSink& out) override {
    if (!status_) status_ = Prepare();
    if (!status_->ok()) return *status_;
    return draft::Pass(*lines_, context_, wanted, &out, false, &index_).Run();
  }

 private:
  Status Prepare() {
    HEAPGLOT_RETURN_IF_ERROR(sqlite::CheckHeader(sqlite::kName, source_));
    HEAPGLOT_RETURN_IF_ERROR(CheckUserVersion());
    HEAPGLOT_RETURN_IF_ERROR(CheckEnd());
    HEAPGLOT_RETURN_IF_ERROR(Render());
    // Without the earlier findings about the file, which are not about a row.
    Context context;
    context.limits = context_.limits;
    context.strict = context_.strict;
    context.examples = context_.examples;
    context.progress = context_.progress;
    context.cancel = context_.cancel;
    Status status = draft::BuildIndex(*lines_, context, &index_);
    for (const Finding& finding : context.findings()) Tell(finding);
    index_.source_size = source_.bytes().size();
    if (status.ok() || status.code() == Code::kCancelled) return status;
    return {status.code(), Translate(status.message(), status.where()),
            PlaceOf(status.where())};
  }

  // user_version is the version of this form only if application_id says that
  // the database has this form.
  Status CheckUserVersion() const {
    const std::string_view bytes = source_.bytes();
    const std::uint64_t version =
        sqlite::BigEndian(bytes.substr(kUserVersionAt, sizeof(std::uint32_t)));
    const std::uint64_t application = sqlite::BigEndian(
        bytes.substr(kApplicationIdAt, sizeof(std::uint32_t)));
    if (application != sqlite::kApplicationId || version <= 1) return {};
    return {Code::kUnsupported,
            "sqlite: user_version is " + std::to_string(version) +
                ", only 0 and 1 are known",
            Where::Byte(kUserVersionAt)};
  }

  // Only leftovers may follow the pages. They are found by their own end; if
  // that is lost, nobody else would miss them.
  Status CheckEnd() const {
    const std::string_view bytes = source_.bytes();
    const std::uint64_t end = sqlite::EndOfPages(bytes);
    // If other programs have added pages, leftovers begin before the end of the
    // pages. That they are stale is reported where they are looked for.
    const std::optional<std::uint64_t> leftovers = LeftoversBegin(bytes);
    if (leftovers && *leftovers <= end) return {};
    // If told to, SQLite allocates space ahead, which is zeros.
    if (bytes.find_first_not_of('\0', end) == std::string_view::npos) return {};
    return context_.Warn("sqlite.trailing",
                         "sqlite: " + std::to_string(bytes.size() - end) +
                             " bytes follow the last page",
                         Where::Byte(end));
  }

  Status Render() {
    Result<std::unique_ptr<sqlite::Database>> database =
        sqlite::Database::Open(sqlite::kName, source_);
    if (!database.ok()) return AtStart(database.status());
    HEAPGLOT_RETURN_IF_ERROR(AtStart(schema_.Read(**database)));
    HEAPGLOT_RETURN_IF_ERROR(schema_.WarnOfUnread(**database, context_));
    SpoolSink spool;
    sqlite::Renderer renderer(source_, **database, schema_, context_, spool);
    HEAPGLOT_RETURN_IF_ERROR(AtStart(renderer.Run()));
    places_ = renderer.TakePlaces();
    Result<std::unique_ptr<ByteSource>> lines =
        spool.TakeSource(source_.name());
    if (!lines.ok()) return lines.status();
    lines_ = std::move(*lines);
    return {};
  }

  // Errors of SQLite have no place; these get the start of the file.
  static Status AtStart(Status status) {
    if (status.ok() || status.where().byte || status.code() == Code::kCancelled)
      return status;
    return {status.code(), status.message(), Where::Byte(0)};
  }

  std::uint64_t LineOf(const Where& where) const {
    if (where.line != 0 || !where.byte) return where.line;
    const std::string_view before = lines_->bytes().substr(0, *where.byte);
    return 1 + static_cast<std::uint64_t>(
                   std::count(before.begin(), before.end(), '\n'));
  }

  // Names the row instead of the line, which users cannot look at.
  std::string Translate(std::string_view message, const Where& where) const {
    const std::string prefix = sqlite::kForm.Say("");
    if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
    return prefix + places_.Say(LineOf(where)) + ": " + std::string(message);
  }
  Where PlaceOf(const Where& where) const {
    const sqlite::InputTable* const table = places_.Find(LineOf(where)).table;
    return Where::Byte(table != nullptr ? table->offset : 0);
  }

  void Tell(const Finding& finding) {
    const auto tell = [&](const std::string& message, const Where& where,
                          std::uint64_t count) {
      context_.Note(finding.code, Translate(message, where), PlaceOf(where),
                    count);
    };
    tell(finding.message, finding.where, finding.count - finding.others.size());
    for (const Finding::Place& other : finding.others)
      tell(other.message, other.where, 1);
  }

  const ByteSource& source_;
  Context& context_;
  sqlite::DatabaseSchema schema_;
  sqlite::RowPlaces places_;
  std::unique_ptr<ByteSource> lines_;
  draft::Index index_;
  std::optional<Status> status_;  // nullopt before the first pass
};

// For databases of other programs.
constexpr FidelityRow kSqliteLosses[] = {
    {Feature::kExtra, "sqlite.table.unread", LossClass::kDropped,
     "a table of the database that is not read"},
    {Feature::kExtra, "sqlite.column.unread", LossClass::kDropped,
     "a column of the database that is not read"},
    {Feature::kExtra, "sqlite.row.unowned", LossClass::kDropped,
     "a row of a type's table that belongs to no node"},
    {Feature::kExtra, "sqlite.string.field", LossClass::kDropped,
     "fields of a string other than its id and text"},
    {Feature::kExtra, "sqlite.row.reference", LossClass::kDropped,
     "a dangling reference in one of heapglot's own records"},
    {Feature::kValueOther, "sqlite.value.form", LossClass::kDropped,
     "parts of a value that do not match its form"},
    {Feature::kValueName, "sqlite.name.order", LossClass::kDropped,
     "what makes a text a name: its string right before its node"},
    {Feature::kValueNamed, "sqlite.value.order", LossClass::kDropped,
     "a value that comes after those of later owners"},
    {Feature::kValueNamed, "sqlite.value.owner", LossClass::kDropped,
     "a value whose owner is missing"},
    {Feature::kExtra, "sqlite.column.order", LossClass::kDropped,
     "cells that do not come right before their rows"},
};

Sniff SniffSqlite(std::string_view head) {
  if (head.starts_with(sqlite::kMagic)) return Sniff::kYes;
  // Lets the reader say that the file ends there.
  return !head.empty() && sqlite::kMagic.starts_with(head) ? Sniff::kMaybe
                                                           : Sniff::kNo;
}

}  // namespace

constinit const ReaderInfo kSqliteReader = {
    .name = sqlite::kName,
    .title = "extensible heap dump (SQLite)",
    .extensions = "sqlite",
    // Our own tables, those named hg_, can hold everything.
    .produces = FeatureSet::All(),
    .sniff = SniffSqlite,
    .make = [](const ByteSource& source,
               Context& context) -> std::unique_ptr<Reader> {
      return std::make_unique<SqliteReader>(source, context);
    },
    .find_leftovers = FindLeftovers,
    .adds_edges = true,
    .unknown_json = sqlite::kForm.data_section(),
    .validator = &kSqliteValidator,
    .losses = kSqliteLosses,
};

}  // namespace heapglot
