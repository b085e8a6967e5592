#include "tools/delta_run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/bytes/sha256.h"
#include "core/bytes/zstd_delta.h"
#include "readers/heapir/heapir_raw.h"
#include "tools/memory_limit.h"

namespace heapglot::tool {
namespace {

// What a worker reports for each dump, in order.
constexpr char kMade = 'd';
constexpr char kTooLarge = 'w';
constexpr char kFailed = 'e';  // then the reason; nothing about later dumps

// The reason that a worker reports after the first `made` dumps.
Status WhyFailed(const Result<std::string>& told, std::size_t made) {
  if (!told.ok()) return told.status();
  return ToldStatus(
      std::string_view(*told).substr(std::min(told->size(), made + 1)));
}

// How many dumps, from the first on, have a delta according to the report. It
// may list more than there are.
std::size_t CountMade(const Result<std::string>& told, std::size_t dumps) {
  if (!told.ok()) return 0;
  const std::string_view first = std::string_view(*told).substr(0, dumps);
  return std::min(first.find_first_not_of(kMade), first.size());
}

// Whether the raw form of a dump may be in a delta together with another one of
// `other` bytes. Asked before it is unpacked, which may take as many bytes of
// temporary files.
Result<bool> Fits(std::string_view heapir, std::uint64_t other) {
  const Result<std::uint64_t> size =
      heapir::SizeOfContents(heapir, ~std::uint64_t{0});
  if (!size.ok()) return size.status();
  return *size + other <= kMaxDeltaWindow;
}

std::uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

bool IsWhole(const std::string& directory, const std::string& digest) {
  return IsThere(DumpPath(directory, digest));
}

}  // namespace

Status DeltaRun::Do(const ManifestRows& rows) {
  const std::vector<DeltaChain> chains = PlanDeltas(rows);
  HEAPGLOT_RETURN_IF_ERROR(FindBases());
  for (const DeltaChain& chain : chains) planned_ += chain.size() - 1;
  workers_ = WorkerPool::Fitting(in_.limits.max_threads, planned_);
  // A dump that has to stay whole cuts its chain: the rest of the chain is done
  // in the next round, when everything before it is as it will be.
  for (bool is_done = false; !is_done;)
    HEAPGLOT_RETURN_IF_ERROR(DoRound(chains, &is_done));
  return error_;
}

// Includes deltas that the manifest has forgotten because their sources have
// changed: other dumps may be made from them.
Status DeltaRun::FindBases() {
  const Result<std::vector<std::string>> digests = ListDeltas(directory_);
  if (!digests.ok()) return digests.status();
  for (const std::string& digest : *digests) {
    const Result<std::string> base = FindBase(directory_, digest);
    if (base.ok()) {
      if (base->empty())
        return {Code::kInput, DeltaPath(directory_, digest) + " has gone"};
      bases_.insert(*base);
      continue;
    }
    // It is unknown what this delta needs.
    if (base.status().code() == Code::kInput) return base.status();
    HEAPGLOT_RETURN_IF_ERROR(RemoveIfUseless(digest, base.status()));
  }
  return {};
}

Status DeltaRun::DoRound(const std::vector<DeltaChain>& chains, bool* is_done) {
  *is_done = true;
  WorkerPool pool(workers_);
  for (const DeltaChain& chain : chains) {
    const auto task = std::make_shared<Task>();
    HEAPGLOT_RETURN_IF_ERROR(FindTask(chain, task.get()));
    if (task->digests.empty()) continue;
    *is_done = false;
    std::vector<int> written;
    for (std::size_t i = 0; i < task->digests.size(); ++i) {
      Result<NewFile> file = NewFile::Create(directory_);
      if (!file.ok()) return file.status();
      written.push_back(file->fd());
      task->files.push_back(*std::move(file));
    }
    HEAPGLOT_RETURN_IF_ERROR(
        pool.Start([&] { return Work(*task); }, written,
                   [this, task](const Result<std::string>& told) {
                     task->told = told;
                     made_tasks_.push_back(task);
                     return Status();
                   }));
    // Here, and in the same pool: no more workers than these may run, because
    // each has its share of the memory. And at once: each waiting task has
    // files open.
    HEAPGLOT_RETURN_IF_ERROR(TryDeltas(pool));
  }
  do {
    HEAPGLOT_RETURN_IF_ERROR(TryDeltas(pool));
    HEAPGLOT_RETURN_IF_ERROR(pool.Finish());
  } while (!made_tasks_.empty());
  return {};
}

Status DeltaRun::FindTask(const DeltaChain& chain, Task* task) {
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const std::string& digest = chain[i];
    const Result<bool> is_settled = IsSettled(digest, chain[i - 1]);
    if (!is_settled.ok()) return is_settled.status();
    if (*is_settled && !task->digests.empty()) return {};
    if (*is_settled) continue;
    if (task->digests.empty()) {
      Result<DumpFiles> base = FindDump(directory_, chain[i - 1]);
      // Later dumps may have a base.
      if (!base.ok()) {
        if (error_.ok()) error_ = base.status();
        settled_.insert(digest);
        continue;
      }
      task->base = *std::move(base);
    }
    const bool fits = CanBeOn(task->base, digest, task->digests.size());
    if (!fits) settled_.insert(digest);
    if (!fits && !task->digests.empty()) return {};
    if (fits) task->digests.push_back(digest);
  }
  return {};
}

// Deltas of an earlier run may lead anywhere.
bool DeltaRun::CanBeOn(const DumpFiles& below, const std::string& digest,
                       std::size_t between) {
  return below.deltas() + between < kMaxDeltas &&
         std::ranges::find(below.digests, digest) == below.digests.end();
}

Result<bool> DeltaRun::IsSettled(const std::string& digest,
                                 const std::string& base) {
  if (settled_.contains(digest)) return true;
  const Result<std::string> found = FindBase(directory_, digest);
  if (!found.ok() && error_.ok()) error_ = found.status();
  if (found.ok() && found->empty() && !bases_.contains(digest)) return false;
  // Either a run was interrupted after it had made the delta, or something else
  // has put it there. It would have to be tried whether it fits; making it
  // again takes no longer.
  if (found.ok() && *found == base && IsWhole(directory_, digest)) return false;
  settled_.insert(digest);
  return true;
}

std::string DeltaRun::Work(const Task& task) const {
  std::string told;
  const Status status = WorkOrFail(task, &told);
  if (!status.ok()) told.append(1, kFailed).append(TellStatus(status));
  return told;
}

// Confines the process that reads the dumps of a task.
void DeltaRun::Confine(const Task& task, Sandbox& sandbox) const {
  LimitMemory(MemoryShare(in_.max_memory, workers_));
  for (const std::string& digest : task.digests)
    sandbox.AnnounceInput(DumpPath(directory_, digest));
}

Status DeltaRun::WorkOrFail(const Task& task, std::string* told) const {
  Sandbox sandbox(!in_.no_sandbox);
  Confine(task, sandbox);
  std::string blamed;
  Result<std::unique_ptr<ByteSource>> base =
      OpenDump(task.base, in_.limits, sandbox, &blamed);
  if (!base.ok()) return ErrorOfFile(base.status(), blamed);
  if (task.base.deltas() == 0) {
    const Result<bool> fits = Fits((*base)->bytes(), 0);
    if (fits.ok() && !*fits) {
      *told += kTooLarge;
      return {};
    }
    base = fits.ok() ? RawFormOf((*base)->bytes(), in_.limits, blamed)
                     : fits.status();
  }
  if (!base.ok()) return ErrorOfFile(base.status(), blamed);
  for (std::size_t i = 0; base.ok() && i < task.digests.size(); ++i) {
    blamed = DumpPath(directory_, task.digests[i]);
    base = MakeOne(task, i, (*base)->bytes(), told);
    // The next delta would have another base than planned.
    if (base.ok() && told->ends_with(kTooLarge)) return {};
  }
  return base.ok() ? Status() : ErrorOfFile(base.status(), blamed);
}

// Makes the delta with number `i` of the task. Returns the dump's raw form,
// unless it is reported as too large.
Result<std::unique_ptr<ByteSource>> DeltaRun::MakeOne(const Task& task,
                                                      std::size_t i,
                                                      std::string_view base,
                                                      std::string* told) const {
  const std::string path = DumpPath(directory_, task.digests[i]);
  const Result<std::unique_ptr<ByteSource>> whole =
      OpenStoredSource(path, in_.limits);
  if (!whole.ok()) return whole.status();
  const Result<bool> fits = Fits((*whole)->bytes(), base.size());
  if (!fits.ok()) return fits.status();
  if (!*fits) {
    *told += kTooLarge;
    return std::unique_ptr<ByteSource>();
  }
  Result<std::unique_ptr<ByteSource>> dump =
      RawFormOf((*whole)->bytes(), in_.limits, path);
  if (!dump.ok()) return dump;
  const std::string_view bytes = (*dump)->bytes();
  // The raw form has more than the contents.
  if (base.size() + bytes.size() > kMaxDeltaWindow) {
    *told += kTooLarge;
    return dump;
  }
  const DeltaHeader header = {.digest = task.digests[i],
                              .base = task.BaseOf(i),
                              .size = bytes.size(),
                              .sha256 = Sha256Of(bytes)};
  const Result<std::string> delta = MakeDelta(header, base, bytes);
  if (!delta.ok()) return delta.status();
  StoredFileSink sink(task.files[i].fd());
  HEAPGLOT_RETURN_IF_ERROR(sink.Write(*delta));
  *told += kMade;
  return dump;
}

// The worker that made the deltas may have been taken over by any of the dumps,
// and the deltas will be all that is left of the others. So no process that has
// read dumps other than the two of a delta decides about it.
Status DeltaRun::TryDeltas(WorkerPool& pool) {
  // While these are started, workers of other tasks may end.
  while (!made_tasks_.empty()) {
    const std::shared_ptr<Task> task = std::move(made_tasks_.back());
    made_tasks_.pop_back();
    const std::size_t made = CountMade(task->told, task->digests.size());
    task->tried.resize(made);
    task->untried = made;
    if (made == 0) HEAPGLOT_RETURN_IF_ERROR(Store(*task));
    for (std::size_t i = 0; i < made; ++i) {
      const auto work = [this, task, i] {
        const Status status = TryDelta(*task, i);
        return status.ok() ? std::string(1, kMade) : TellStatus(status);
      };
      const auto done = [this, task, i](const Result<std::string>& told) {
        if (!told.ok())
          task->tried[i] = told.status();
        else if (*told != std::string(1, kMade))
          task->tried[i] = ToldStatus(*told);
        return --task->untried == 0 ? Store(*task) : Status();
      };
      HEAPGLOT_RETURN_IF_ERROR(pool.Start(work, {task->files[i].fd()}, done));
    }
  }
  return {};
}

// Runs in a process of its own.
Status DeltaRun::TryDelta(const Task& task, std::size_t i) const {
  Sandbox sandbox(!in_.no_sandbox);
  Confine(task, sandbox);
  const std::string path = DumpPath(directory_, task.digests[i]);
  DumpFiles below = task.base;
  if (i != 0) {
    below = {.paths = {DumpPath(directory_, task.BaseOf(i))},
             .digests = {task.BaseOf(i)}};
  }
  std::string blamed;
  Result<std::unique_ptr<ByteSource>> base =
      OpenDump(below, in_.limits, sandbox, &blamed);
  if (base.ok() && below.deltas() == 0)
    base = RawFormOf((*base)->bytes(), in_.limits, blamed);
  // The base may have been moved, and this is the last time that the dump is
  // read. The bases of the other deltas are dumps that were checked before.
  const Status is_base = base.ok() && i == 0
                             ? CheckDigest(**base, task.BaseOf(i), in_.limits)
                             : base.status();
  if (!is_base.ok()) return ErrorOfFile(is_base, blamed);
  const Result<std::unique_ptr<ByteSource>> whole =
      OpenStoredSource(path, in_.limits);
  if (!whole.ok()) return ErrorOfFile(whole.status(), path);
  const Result<std::unique_ptr<ByteSource>> dump =
      RawFormOf((*whole)->bytes(), in_.limits, path);
  if (!dump.ok()) return ErrorOfFile(dump.status(), path);
  const Status named = CheckDigest(**dump, task.digests[i], in_.limits);
  if (!named.ok()) return ErrorOfFile(named, path);
  const Result<std::unique_ptr<ByteSource>> delta =
      ReadAgain(task.files[i].fd());
  if (!delta.ok()) return delta.status();
  const Result<DeltaHeader> header = DeltaHeader::Decode((*delta)->bytes());
  const Result<std::unique_ptr<ByteSource>> again =
      ApplyDelta((*base)->bytes(), (*delta)->bytes(), in_.limits, "(delta)");
  const bool is_right = again.ok() && header->digest == task.digests[i] &&
                        header->base == task.BaseOf(i) &&
                        (*again)->bytes() == (*dump)->bytes();
  if (is_right) return {};
  if (again.status().code() == Code::kLimit ||
      again.status().code() == Code::kOutput)
    return ErrorOfFile(again.status(), path);
  return {Code::kInternal,
          "a delta that was made does not give " + path + " back"};
}

Status DeltaRun::Store(Task& task) {
  const Result<std::string>& told = task.told;
  const std::size_t made = task.tried.size();
  for (std::size_t i = 0; i < task.digests.size(); ++i) {
    ++tried_;
    progress_.Update("making deltas", tried_, planned_);
    if (i < made && task.tried[i].ok()) {
      HEAPGLOT_RETURN_IF_ERROR(
          Replace(task.digests[i], task.BaseOf(i), task.files[i]));
      continue;
    }
    settled_.insert(task.digests[i]);
    if (i == made && told.ok() && i < told->size() && (*told)[i] == kTooLarge)
      return {};
    if (error_.ok()) error_ = i < made ? task.tried[i] : WhyFailed(told, i);
    return {};
  }
  return {};
}

Status DeltaRun::Replace(const std::string& digest, const std::string& base,
                         NewFile& file) {
  const std::string path = DeltaPath(directory_, digest);
  // The base may have changed since this was planned.
  const Result<DumpFiles> below = FindDump(directory_, base);
  if (!below.ok()) return below.status();
  if (!CanBeOn(*below, digest, 0)) {
    settled_.insert(digest);
    return {};
  }
  HEAPGLOT_RETURN_IF_ERROR(PublishDelta(file, path));
  const std::uint64_t before = SizeOf(DumpPath(directory_, digest));
  bytes_saved_ += before - std::min(before, SizeOf(path));
  ++made_;
  return Remove(DumpPath(directory_, digest));
}

// An existing delta stays if it is the same: at no time may both it and the new
// one be missing, because another run could then not tell what was begun.
Status DeltaRun::PublishDelta(NewFile& file, const std::string& path) {
  // Always durable: the dump that is removed afterwards was, too.
  Result<NewFile::Outcome> stored = file.Publish(path, true);
  if (stored.ok() && *stored == NewFile::Outcome::kWasThere) {
    const Result<bool> is_same = AreSameFiles(file.fd(), path);
    if (is_same.ok() && *is_same)
      return SyncDirectory(std::filesystem::path(path).parent_path());
    HEAPGLOT_RETURN_IF_ERROR(Remove(path));
    stored = file.Publish(path, true);
  }
  if (!stored.ok()) return stored.status();
  if (*stored == NewFile::Outcome::kStored) return {};
  return {Code::kOutput, "cannot create " + path + ": " + ErrnoText(EEXIST)};
}

// A damaged delta is useless if its dump was stored again.
Status DeltaRun::RemoveIfUseless(const std::string& digest,
                                 const Status& why) const {
  const bool is_damaged =
      why.code() == Code::kMalformed || why.code() == Code::kTruncated;
  return is_damaged && OpenStored(DumpPath(directory_, digest)).ok()
             ? Remove(DeltaPath(directory_, digest))
             : Status();
}

Status DeltaRun::Remove(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return {Code::kOutput, "cannot remove " + path + ": " + ErrnoText(errno)};
}

}  // namespace heapglot::tool
