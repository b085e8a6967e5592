#include "tools/normalize_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "tools/archive_dump.h"
#include "tools/delta_run.h"
#include "tools/json.h"
#include "tools/memory_limit.h"
#include "tools/same_file.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// What a worker reports, with each part after its length. The status is empty
// if it is ok.
std::string Pack(const NormalizedDump& dump) {
  std::string told;
  const std::string status =
      dump.status.ok() ? std::string() : TellStatus(dump.status);
  for (const std::string* part :
       {&dump.row, &dump.digest, &dump.exact, &status})
    told.append(std::to_string(part->size())).append(1, ':').append(*part);
  return told;
}

bool TakePart(std::string_view* told, std::string* part) {
  std::size_t size = 0;
  const auto [end, error] =
      std::from_chars(told->data(), told->data() + told->size(), size);
  if (error != std::errc()) return false;
  told->remove_prefix(static_cast<std::size_t>(end - told->data()));
  if (!told->starts_with(':') || told->size() - 1 < size) return false;
  *part = told->substr(1, size);
  told->remove_prefix(1 + size);
  return true;
}

// A worker may have been taken over by what it read: nothing in its report is
// trusted, and it must be about its own dump.
bool Unpack(std::string_view told, const std::string& path,
            NormalizedDump* dump) {
  std::string status;
  if (!TakePart(&told, &dump->row) || !TakePart(&told, &dump->digest) ||
      !TakePart(&told, &dump->exact) || !TakePart(&told, &status) ||
      !told.empty())
    return false;
  if (!status.empty()) dump->status = ToldStatus(status);
  ManifestRow row;
  if (dump->row.find('\n') != std::string::npos ||
      !ParseManifestRow(dump->row, &row) || row.source != path ||
      row.digest != dump->digest || row.exact != dump->exact)
    return false;
  const bool is_whole =
      IsDigest(dump->digest) && (dump->exact.empty() || IsDigest(dump->exact));
  return dump->status.ok() ? is_whole : dump->digest.empty();
}

// Whether a report may be written over what is there: nothing, or the report of
// an earlier run.
bool IsFreeForReport(const std::string& path) {
  constexpr std::string_view kReport = "{\n  \"tool\": \"heapglot\"";
  const Fd fd = OpenFile(path, O_RDONLY | O_NONBLOCK);
  if (!fd.ok()) return true;
  std::array<char, kReport.size()> begin = {};
  const ssize_t size = ReadAllAt(fd.get(), 0, begin.data(), begin.size());
  return size == 0 ||
         (size > 0 && std::string_view(begin.data(), static_cast<std::size_t>(
                                                         size)) == kReport);
}

// Directories of an archive that a run will create: if it leaves them empty, it
// removes them again.
std::vector<std::string> PartsThatAreNotThere(const std::string& archive) {
  std::vector<std::string> parts = {archive + "/dumps", archive};
  std::erase_if(parts, [](const std::string& part) {
    struct stat info;
    return lstat(part.c_str(), &info) == 0 || errno != ENOENT;
  });
  return parts;
}

}  // namespace

int NormalizeRun::Do() {
  const std::vector<std::string> made = PartsThatAreNotThere(flags_.directory);
  Status status = Prepare();
  const Status report = status.ok() ? OpenReport() : Status();
  if (status.ok() && report.ok()) status = Begin();
  if (!status.ok() || !report.ok())
    for (const std::string& part : made) (void)rmdir(part.c_str());
  if (!report.ok()) return console_.Fail(report, flags_.report);
  if (!status.ok()) return Fail(status);
  if (!flags_.merge) {
    status = NormalizeAll();
    if (!status.ok()) return Fail(status);
  }
  if (!flags_.dry_run && (flags_.merge || !flags_.shard)) {
    status = Merge();
    if (!status.ok()) return Fail(status);
  }
  progress_.Erase();
  SayWhatWasDone();
  // The archive is complete, whatever happens to the report.
  status = WriteReport();
  if (!status.ok()) return console_.Fail(status, flags_.report);
  return totals_.failed == 0 ? 0 : ExitCodeOfFailures();
}

// Before anything is read: a mistake here should not cost the time of a run.
Status NormalizeRun::Prepare() {
  if (!flags_.merge && flags_.inputs.empty())
    return {Code::kUsage, "INPUT is required"};
  if (flags_.merge && !flags_.inputs.empty())
    return {Code::kUsage, "--merge-manifests takes no INPUT"};
  if (flags_.directory == "-")
    return {Code::kUsage, "an archive is a directory: -o - cannot be one"};
  HEAPGLOT_RETURN_IF_ERROR(CheckReportPath());
  if (flags_.merge) return {};
  // The report may be in the archive.
  if (!flags_.dry_run)
    HEAPGLOT_RETURN_IF_ERROR(MakeDirectories(flags_.directory + "/dumps"));
  return ListDumps();
}

// Called once the report is open, which happens only after the inputs are
// listed: otherwise, it would be among them.
Status NormalizeRun::Begin() {
  if (flags_.merge) return {};
  totals_.inputs = inputs_.size();
  for (const NormalizeInput& input : inputs_) bytes_total_ += input.size;
  progress_.set_source_size(bytes_total_);
  if (flags_.resume) {
    Result<ManifestRows> done = ReadArchiveRows(flags_.directory);
    if (!done.ok()) return done.status();
    done_ = *std::move(done);
  }
  if (flags_.dry_run) return {};
  Result<ManifestPart> part =
      ManifestPart::Create(flags_.directory, flags_.shard.value_or(Shard()));
  if (!part.ok()) return part.status();
  part_.emplace(*std::move(part));
  return {};
}

Status NormalizeRun::CheckReportPath() const {
  if (flags_.report.empty() ||
      !SameFile(flags_.report, ManifestPath(flags_.directory)))
    return {};
  return {Code::kUsage,
          "--report and the manifest of the archive are the "
          "same: '" +
              flags_.report + "'"};
}

Status NormalizeRun::ListDumps() {
  Result<NormalizeInputs> inputs = ListInputs(flags_.inputs, flags_.directory);
  if (!inputs.ok()) return inputs.status();
  inputs_ = std::move(inputs->files);
  NoteLinks(inputs->links);
  if (IsThere(flags_.report)) {
    const auto is_report = [this](const NormalizeInput& input) {
      return SameFile(flags_.report, input.path);
    };
    const bool is_input = std::erase_if(inputs_, is_report) != 0;
    if (is_input && !IsFreeForReport(flags_.report)) {
      return {Code::kUsage,
              "--report and an INPUT are the same: '" + flags_.report + "'"};
    }
  }
  if (flags_.shard) {
    std::erase_if(inputs_, [this](const NormalizeInput& input) {
      return !flags_.shard->Has(input.path);
    });
  }
  return {};
}

// Links may lead in circles, and to what is there anyway. Users who want what
// is behind one can name it.
void NormalizeRun::NoteLinks(const std::vector<std::string>& links) const {
  if (links.empty()) return;
  const std::size_t others = links.size() - 1;
  std::string line = "links to directories are not followed: " +
                     EscapeForTerminal(links[0], 400);
  if (others != 0) line += " and " + Thousands(others) + " more";
  console_.Note(line);
}

Status NormalizeRun::OpenReport() {
  if (flags_.report.empty()) return {};
  Result<std::unique_ptr<ByteSink>> report =
      ByteSink::Create(flags_.report, {.replace = true, .no_terminal = false});
  if (!report.ok()) return report.status();
  report_ = *std::move(report);
  return {};
}

Status NormalizeRun::Merge() {
  std::vector<std::string> missing;
  DeltaRun deltas(flags_.directory, flags_.in, progress_);
  const auto arrange = [&](const ManifestRows& rows) {
    return flags_.delta ? deltas.Do(rows) : Status();
  };
  const Status merged = MergeManifest(flags_.directory, arrange, &missing);
  totals_.deltas = deltas.made();
  totals_.bytes_saved = deltas.bytes_saved();
  HEAPGLOT_RETURN_IF_ERROR(merged);
  if (missing.empty()) return {};
  const std::vector<std::string_view> names(missing.begin(), missing.end());
  const std::string message =
      "these shards are not complete, run them with --resume: " +
      Enumerate(names, "and");
  if (flags_.merge) return {Code::kTruncated, message};
  progress_.Erase();
  if (flags_.delta) console_.Note("no deltas are made: " + message);
  return {};
}

Status NormalizeRun::NormalizeAll() {
  std::vector<const NormalizeInput*> open;
  for (const NormalizeInput& input : inputs_) {
    const Result<bool> skipped = Skip(input);
    if (!skipped.ok()) return skipped.status();
    if (!*skipped) open.push_back(&input);
  }
  // The largest first, so that the last ones, when other workers are idle, are
  // short.
  std::stable_sort(open.begin(), open.end(),
                   [](const NormalizeInput* a, const NormalizeInput* b) {
                     return a->size > b->size;
                   });
  const std::uint64_t wanted = flags_.in.limits.max_threads;
  const std::size_t workers = WorkerPool::Fitting(wanted, open.size());
  WorkerPool pool(workers);
  NormalizeOptions options;
  options.in = flags_.in;
  options.in.progress = "never";
  options.top = flags_.top;
  options.verify = flags_.verify && !flags_.dry_run;
  // A dump that is alone may also use the other processors.
  options.in.limits.max_threads = open.size() < wanted ? 2 : 1;
  options.in.max_memory = MemoryShare(options.in.max_memory, workers);
  for (const NormalizeInput* const input : open) {
    options.in.input = input->path;
    HEAPGLOT_RETURN_IF_ERROR(Start(pool, *input, options));
  }
  HEAPGLOT_RETURN_IF_ERROR(pool.Finish());
  return part_ ? part_->Finish() : Status();
}

Status NormalizeRun::Start(WorkerPool& pool, const NormalizeInput& input,
                           const NormalizeOptions& options) {
  const auto files = std::make_shared<Files>();
  // Open it only once: next time the path may be another file. O_NONBLOCK: a
  // FIFO may have no writer.
  const Fd source = OpenFile(input.path, O_RDONLY | O_NONBLOCK);
  if (!source.ok()) {
    return Store(input, *files,
                 Status(Code::kInput, "cannot open: " + ErrnoText(errno)));
  }
  for (NewFile* const file :
       {&files->dump, flags_.exact ? &files->exact : nullptr}) {
    if (flags_.dry_run || file == nullptr) continue;
    Result<NewFile> made = NewFile::Create(flags_.directory);
    if (!made.ok()) return made.status();
    *file = *std::move(made);
  }
  const NormalizeFiles open = {.source = source.get(),
                               .dump = files->dump.fd(),
                               .exact = files->exact.fd()};
  return pool.Start(
      [&] { return Pack(NormalizeDump(options, open, console_)); },
      {open.source, open.dump, open.exact},
      [this, &input, files](const Result<std::string>& told) {
        return Store(input, *files, told);
      });
}

// Whether there is a row that is as good as a new one would be.
Result<bool> NormalizeRun::Skip(const NormalizeInput& input) {
  const auto found = done_.find(input.path);
  if (found == done_.end()) return false;
  const ManifestRow& row = found->second;
  // The run stops there again, and says why.
  if (!row.ok() && flags_.fail_fast) return false;
  const bool is_there =
      !row.ok() ||
      (FindDump(flags_.directory, row.digest).ok() &&
       (!flags_.exact || (!row.exact.empty() &&
                          IsThere(ExactPath(flags_.directory, row.exact)))));
  if (row.may_be_retried() || row.size != input.size || !is_there) return false;
  if (!row.ok()) {
    ++totals_.failed;
    totals_.exit_codes.insert(row.exit_code);
    totals_.failures[input.path] = row.exit_code;
  }
  ++totals_.skipped;
  bytes_total_ -= input.size;
  HEAPGLOT_RETURN_IF_ERROR(AddRow(row.line));
  return true;
}

Status NormalizeRun::Store(const NormalizeInput& input, Files& files,
                           const Result<std::string>& told) {
  NormalizedDump dump;
  if (!told.ok()) {
    dump.status = told.status();
    dump.row = ErrorRow(input.path, dump.status);
  } else if (!Unpack(*told, input.path, &dump)) {
    dump = {};
    dump.status = {Code::kInternal, "the process that read it told nonsense"};
    dump.row = ErrorRow(input.path, dump.status);
  }
  bytes_done_ += input.size;
  progress_.Update("normalizing", bytes_done_, bytes_total_);
  totals_.bytes_read += input.size;
  if (dump.status.ok()) dump.status = Publish(dump, files);
  // If the archive cannot be written, that is not the dump's fault.
  if (dump.status.code() == Code::kOutput) return dump.status;
  // The dump was read, but the file that is already there could not be checked:
  // that stays, and does not get a row of this dump.
  if (!dump.status.ok() && !dump.digest.empty())
    dump.row = ErrorRow(input.path, dump.status);
  // Only now: whatever has a row is stored.
  HEAPGLOT_RETURN_IF_ERROR(AddRow(dump.row));
  if (dump.status.ok()) return {};
  AddFailure(input.path, dump.status);
  if (!flags_.fail_fast) return {};
  return {Code::kCancelled, "stopped at the first failure"};
}

Status NormalizeRun::Publish(const NormalizedDump& dump, Files& files) {
  if (flags_.dry_run) {
    CountDump(digests_.insert(dump.digest).second);
    return {};
  }
  const std::string path = DumpPath(flags_.directory, dump.digest);
  bool is_new = false;
  // If its delta is damaged, or a base is missing, this is the only copy.
  if (IsThere(path) || !FindDump(flags_.directory, dump.digest).ok())
    HEAPGLOT_RETURN_IF_ERROR(PublishOne(files.dump, path, false, &is_new));
  if (!dump.exact.empty()) {
    bool ignored = false;
    HEAPGLOT_RETURN_IF_ERROR(PublishOne(
        files.exact, ExactPath(flags_.directory, dump.exact), true, &ignored));
  }
  CountDump(is_new);
  return {};
}

void NormalizeRun::CountDump(bool is_new) {
  ++(is_new ? totals_.stored : totals_.duplicates);
}

Status NormalizeRun::PublishOne(NewFile& file, const std::string& path,
                                bool is_exact, bool* is_new) {
  const Result<NewFile::Outcome> outcome = file.Publish(path, flags_.durable);
  if (!outcome.ok()) return outcome.status();
  *is_new = *outcome == NewFile::Outcome::kStored;
  if (*is_new) {
    std::error_code ignored;
    totals_.bytes_stored += std::filesystem::file_size(path, ignored);
  }
  if (*is_new) return {};
  if (flags_.verify) return Check(file, path, is_exact);
  // Nothing about the existing file is checked, except that it is a regular
  // file.
  if (!IsBlocked(path)) return {};
  return {Code::kInput, path + " exists already and is not a regular file"};
}

// Compares what is already there with what has been made now.
Status NormalizeRun::Check(const NewFile& file, const std::string& path,
                           bool is_exact) const {
  const auto unknown = [&path](const Status& why) {
    // Room for temporary files does not concern the archive.
    const Code code = why.code() == Code::kOutput ? Code::kInput : why.code();
    return Status(code, path + " exists already and could not be checked: " +
                            why.ToString());
  };
  const Result<bool> same = AreSameFiles(file.fd(), path);
  if (!same.ok()) return unknown(same.status());
  if (*same) return {};
  // It may have been made by another version of heapglot or libzstd.
  const Result<std::string> held = NameOf(path, is_exact);
  if (held.ok() && *held == std::filesystem::path(path).stem()) return {};
  // Only its content can show that it is damaged.
  const Code code = held.status().code();
  if (!held.ok() && code != Code::kMalformed && code != Code::kTruncated)
    return unknown(held.status());
  return {Code::kOutput,
          path + " is damaged: it should be the same as what was made now"};
}

// The name that an existing file should have, according to its content.
Result<std::string> NormalizeRun::NameOf(const std::string& path,
                                         bool is_exact) const {
  NormalizeOptions options;
  options.in = flags_.in;
  Result<std::string> name = std::string();
  WorkerPool pool(1);
  HEAPGLOT_RETURN_IF_ERROR(pool.Start(
      [&] {
        const Result<std::string> held =
            NameOfStored(options, path, is_exact, console_);
        return held.ok() ? *held : TellStatus(held.status());
      },
      {},
      [&name](Result<std::string> told) {
        name = std::move(told);
        return Status();
      }));
  HEAPGLOT_RETURN_IF_ERROR(pool.Finish());
  return name.ok() && !IsDigest(*name) ? ToldStatus(*name) : name;
}

Status NormalizeRun::AddRow(const std::string& line) {
  if (!part_) return {};
  ManifestRow row;
  row.line = line;
  return part_->Add(row);
}

void NormalizeRun::AddFailure(const std::string& path, const Status& status) {
  ++totals_.failed;
  totals_.exit_codes.insert(ExitCode(status.code()));
  totals_.failures[path] = ExitCode(status.code());
  progress_.Erase();
  (void)console_.Fail(status, path);
}

void NormalizeRun::SayWhatWasDone() const {
  const std::string made = "made " + Thousands(totals_.deltas) +
                           (totals_.deltas == 1 ? " delta" : " deltas") +
                           ", saving " + HumanBytes(totals_.bytes_saved);
  if (flags_.merge && totals_.deltas != 0) console_.Note(made);
  if (flags_.merge) return;
  std::string line = "inputs: " + Thousands(totals_.inputs) +
                     ", stored: " + Thousands(totals_.stored) +
                     ", duplicates: " + Thousands(totals_.duplicates);
  if (totals_.skipped != 0)
    line += ", done before: " + Thousands(totals_.skipped);
  if (totals_.failed != 0) line += ", failed: " + Thousands(totals_.failed);
  line += "; read " + HumanBytes(totals_.bytes_read);
  if (!flags_.dry_run) line += ", wrote " + HumanBytes(totals_.bytes_stored);
  if (totals_.deltas != 0) line += "; " + made;
  console_.Note(line);
}

Status NormalizeRun::WriteReport() const {
  if (report_ == nullptr) return {};
  Json json;
  json.BeginObject();
  json.Add("tool", "heapglot");
  json.Add("version", HEAPGLOT_VERSION);
  json.Add("inputs", totals_.inputs);
  json.Add("stored", totals_.stored);
  json.Add("duplicates", totals_.duplicates);
  json.Add("skipped", totals_.skipped);
  json.Add("failed", totals_.failed);
  json.Add("bytes_read", totals_.bytes_read);
  json.Add("bytes_stored", totals_.bytes_stored);
  json.Add("deltas", totals_.deltas);
  json.Add("bytes_saved", totals_.bytes_saved);
  json.Key("failures");
  json.BeginArray();
  for (const auto& [source, exit_code] : totals_.failures) {
    json.BeginObject();
    AddSource(source, &json);
    json.Add("exit_code", static_cast<std::uint64_t>(exit_code));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  HEAPGLOT_RETURN_IF_ERROR(report_->Write(json.Take()));
  return report_->Close();
}

// That of the only input, or that of all inputs; otherwise the code for an
// archive that lacks some.
int NormalizeRun::ExitCodeOfFailures() const {
  const bool have_all_failed = totals_.failed == totals_.inputs;
  if ((have_all_failed || flags_.fail_fast) && totals_.exit_codes.size() == 1)
    return *totals_.exit_codes.begin();
  return ExitCode(Code::kMalformed);
}

int NormalizeRun::Fail(const Status& status) {
  progress_.Erase();
  if (status.code() == Code::kCancelled) {  // the reason has been reported
    SayWhatWasDone();
    return ExitCodeOfFailures();
  }
  if (status.code() == Code::kUsage)
    return console_.Usage("normalize", status.message());
  return console_.Fail(status, flags_.directory);
}

}  // namespace heapglot::tool
