#include "tools/type_search.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "readers/heapir/heapir_names.h"
#include "tools/archive_dump.h"
#include "tools/dump_summary.h"
#include "tools/memory_limit.h"
#include "tools/progress.h"
#include "tools/worker_pool.h"

namespace heapglot::tool {
namespace {

// What a worker reports if it does not fail.
constexpr char kFoundType[] = "+";
constexpr char kNoSuchType[] = "-";

// Whether a class may be shown with this text although no name in the file has
// it.
bool IsMadeUp(std::string_view text) {
  return text.find_first_of("()") != std::string_view::npos ||
         std::string_view("unnamed class").find(text) !=
             std::string_view::npos ||
         std::string_view("undefined class").find(text) !=
             std::string_view::npos;
}

}  // namespace

Result<std::set<std::string>> TypeSearch::Find(
    const std::set<std::string>& digests) {
  std::set<std::string> found;
  Progress progress(in_.progress, console_);
  std::uint64_t searched = 0;
  workers_ = WorkerPool::Fitting(in_.limits.max_threads, digests.size());
  WorkerPool pool(workers_);
  for (const std::string& digest : digests) {
    const auto done = [&](Result<std::string> told) {
      progress.Update("searching", ++searched, digests.size());
      if (told.ok() && *told == kFoundType) found.insert(digest);
      if (told.ok() && (*told == kFoundType || *told == kNoSuchType))
        return Status();
      const Status status = told.ok() ? ToldStatus(*told) : told.status();
      progress.Erase();
      const int code = console_.Fail(status, digest);
      if (exit_code_ == 0) exit_code_ = code;
      return Status();
    };
    HEAPGLOT_RETURN_IF_ERROR(
        pool.Start([&] { return Work(digest); }, {}, done));
  }
  HEAPGLOT_RETURN_IF_ERROR(pool.Finish());
  return found;
}

std::string TypeSearch::Work(const std::string& digest) const {
  LimitMemory(MemoryShare(in_.max_memory, workers_));
  std::string blamed;
  const Result<bool> has_type = HasType(digest, &blamed);
  if (has_type.ok()) return *has_type ? kFoundType : kNoSuchType;
  return TellStatus(ErrorOfFile(has_type.status(), blamed));
}

// Runs in a process of its own.
Result<bool> TypeSearch::HasType(const std::string& digest,
                                 std::string* blamed) const {
  const Result<DumpFiles> files = FindDump(directory_, digest);
  if (!files.ok()) return files.status();
  Sandbox sandbox(!in_.no_sandbox);
  const Result<std::unique_ptr<ByteSource>> dump =
      OpenDump(*files, in_.limits, sandbox, blamed);
  if (!dump.ok()) return dump.status();
  const auto has_text = [this](std::string_view name) {
    return name.find(text_) != std::string_view::npos;
  };
  bool is_named = IsMadeUp(text_);
  HEAPGLOT_RETURN_IF_ERROR(
      heapir::ForEachName((*dump)->bytes(), [&](std::string_view name) {
        is_named = is_named || has_text(name);
        return !is_named;
      }));
  if (!is_named) return false;
  // It may be the name of something else, or of a class without objects.
  Context context;
  context.limits = in_.limits;
  context.strict = in_.strict;
  const std::unique_ptr<Reader> reader = IrReader().make(**dump, context);
  const Result<DumpSummary> summary = Summarize(*reader);
  if (!summary.ok()) return summary.status();
  return std::ranges::any_of(summary->types, [&](const TypeSummary& type) {
    return has_text(type.name);
  });
}

}  // namespace heapglot::tool
