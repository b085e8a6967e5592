#include "tools/manifest.h"

#include <fcntl.h>
#include <rapidjson/document.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/ir/checksum.h"
#include "core/out_of_memory.h"
#include "core/text/base64.h"
#include "core/text/utf.h"
#include "heapglot/bytes.h"
#include "tools/archive_dump.h"
#include "tools/archive_store.h"
#include "tools/loss_report.h"

namespace heapglot::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kComplete = "{\"complete\":true}";

// RapidJSON assumes that there is memory; this fails as everything else does.
struct JsonMemory {
  static void* Malloc(std::size_t size) {
    return size == 0 ? nullptr : ::operator new(size);
  }
  static void* Realloc(void* old, std::size_t old_size, std::size_t size) {
    void* const memory = Malloc(size);
    if (old != nullptr && memory != nullptr)
      std::memcpy(memory, old, std::min(old_size, size));
    Free(old);
    return memory;
  }
  static void Free(void* memory) { ::operator delete(memory); }
};

using JsonPool = rapidjson::MemoryPoolAllocator<JsonMemory>;
using JsonDocument =
    rapidjson::GenericDocument<rapidjson::UTF8<>, JsonPool, JsonMemory>;
using JsonValue = JsonDocument::ValueType;

constexpr char kSourceBytes[] = "source_base64";

std::string Text(const JsonValue& row, const char* key) {
  const auto found = row.FindMember(key);
  if (found == row.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

std::uint64_t Number(const JsonValue& row, const char* key) {
  const auto found = row.FindMember(key);
  const bool is_number = found != row.MemberEnd() && found->value.IsUint64();
  return is_number ? found->value.GetUint64() : 0;
}

struct Part {
  fs::path path;
  fs::file_time_type written;
  Shard shard;
  bool is_complete = false;
  ManifestRows rows;

  // Whether it was written earlier.
  bool operator<(const Part& other) const {
    return std::tie(written, path) < std::tie(other.written, other.path);
  }
};

Status InputError(const std::string& path, int error) {
  return {Code::kInput, "cannot read " + path + ": " + ErrnoText(error)};
}

Result<std::string> ReadText(const std::string& path) {
  const Result<Fd> fd = OpenStored(path);
  if (!fd.ok())
    return Status(Code::kInput,
                  "cannot read " + path + ": " + fd.status().message());
  std::string text;
  std::string buffer(kIoBuffer, '\0');
  for (;;) {
    const ssize_t size = ReadSome(fd->get(), buffer.data(), buffer.size());
    if (size < 0) return InputError(path, errno);
    if (size == 0) return text;
    text.append(buffer, 0, static_cast<std::size_t>(size));
  }
}

// Takes the first line of `text`, without its newline; nothing if it has none.
std::optional<std::string_view> TakeLine(std::string_view* text) {
  const std::size_t end = text->find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end + 1);
  return line;
}

// Anything after the last newline was cut off.
Status ReadPart(const std::string& path, ManifestRows* rows,
                bool* is_complete) {
  const Result<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  std::string_view rest = *text;
  while (const std::optional<std::string_view> line = TakeLine(&rest)) {
    *is_complete = *is_complete || *line == kComplete;
    ManifestRow row;
    if (ParseManifestRow(*line, &row)) (*rows)[row.source] = std::move(row);
  }
  return {};
}

// The manifest got its name when it was complete: a line that is not a row has
// been damaged since, and would be missing in the next manifest.
Status ReadWholeManifest(const std::string& path, ManifestRows* rows) {
  const Result<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  std::string_view rest = *text;
  std::uint64_t number = 1;
  const auto damaged = [&](const std::string& what) {
    return Status(Code::kMalformed,
                  path + " is damaged: line " + std::to_string(number) + what);
  };
  for (; const std::optional<std::string_view> line = TakeLine(&rest);
       ++number) {
    ManifestRow row;
    if (!ParseManifestRow(*line, &row)) return damaged(" is not a row");
    (*rows)[row.source] = std::move(row);
  }
  return rest.empty() ? Status() : damaged(" was cut");
}

// Whether the archive has the dump of a row.
bool HasDump(const std::string& directory, const ManifestRow& row) {
  return row.ok() && (IsThere(DumpPath(directory, row.digest)) ||
                      IsThere(DeltaPath(directory, row.digest)));
}

// Adds rows that were written later. They show what a source is now, unless it
// could not be read for a reason that is not its own: people find a stored dump
// by its row.
void Join(const std::string& directory, const ManifestRows& later,
          ManifestRows* rows) {
  for (const auto& [source, row] : later) {
    const auto [found, is_new] = rows->emplace(source, row);
    ManifestRow& known = found->second;
    if (is_new) continue;
    const bool stays = row.may_be_retried() && !known.may_be_retried() &&
                       (!known.ok() || HasDump(directory, known));
    if (!stays) known = row;
  }
}

// "3-of-8.", and whatever follows.
bool ParsePartName(const std::string& name, Shard* shard) {
  constexpr std::string_view kOf = "-of-";
  const char* const end = name.data() + name.size();
  const auto index = std::from_chars(name.data(), end, shard->index);
  if (index.ec != std::errc() ||
      !std::string_view(index.ptr, end).starts_with(kOf))
    return false;
  const auto count = std::from_chars(index.ptr + kOf.size(), end, shard->count);
  return count.ec == std::errc() && count.ptr != end && *count.ptr == '.';
}

// In the order in which they were written.
Result<std::vector<Part>> ReadParts(const std::string& directory) {
  std::vector<Part> parts;
  std::error_code error;
  for (fs::directory_iterator at(PartsPath(directory), error), end;
       !error && at != end; at.increment(error)) {
    Part part;
    part.path = at->path();
    if (!ParsePartName(part.path.filename(), &part.shard)) continue;
    std::error_code ignored;
    part.written = fs::last_write_time(part.path, ignored);
    const Status status = ReadPart(part.path, &part.rows, &part.is_complete);
    // Another run has just merged it.
    if (!status.ok() && !fs::exists(part.path, ignored) && !ignored) continue;
    if (!status.ok()) return status;
    parts.push_back(std::move(part));
  }
  // Parts that cannot be read must not count as absent.
  if (error == std::errc::not_enough_memory) return OutOfMemory();
  if (error && error != std::errc::no_such_file_or_directory)
    return InputError(PartsPath(directory), error.value());
  std::sort(parts.begin(), parts.end());
  return parts;
}

// While it is held, no part is finished and no other run merges any. Errors:
// kOutput.
Result<Fd> Lock(const std::string& directory) {
  Fd lock = OpenFile(directory, O_RDONLY | O_DIRECTORY);
  if (lock.ok() &&
      RetryOnSignal([&] { return flock(lock.get(), LOCK_EX); }) == 0)
    return lock;
  return Status(Code::kOutput,
                "cannot lock " + directory + ": " + ErrnoText(errno));
}

// All that is known, from the manifest and the parts. A manifest has everything
// from the parts that existed when it was written; those of them that are still
// left have nothing new.
Result<ManifestRows> JoinAll(const std::string& directory,
                             const std::vector<Part>& parts) {
  const std::string path = ManifestPath(directory);
  std::error_code unknown;
  const bool is_there = fs::exists(path, unknown);
  // Otherwise everything in it would be lost.
  if (unknown) return InputError(path, unknown.value());
  ManifestRows manifest;
  fs::file_time_type written;
  if (is_there) {
    HEAPGLOT_RETURN_IF_ERROR(ReadWholeManifest(path, &manifest));
    written = fs::last_write_time(path, unknown);
    if (unknown) return InputError(path, unknown.value());
  }
  const auto later = std::find_if(
      parts.begin(), parts.end(),
      [&](const Part& part) { return !is_there || part.written >= written; });
  ManifestRows rows;
  for (auto part = parts.begin(); part != later; ++part)
    Join(directory, part->rows, &rows);
  Join(directory, manifest, &rows);
  for (auto part = later; part != parts.end(); ++part)
    Join(directory, part->rows, &rows);
  return rows;
}

// In the folder of parts, under one name for all writers: what a killed run has
// left is overwritten by the next, and nothing else is ever left in the
// archive.
std::string NextManifestPath(const std::string& directory) {
  return PartsPath(directory) + "/manifest";
}

// Must be called while the archive is locked. Errors: kOutput.
Status WriteManifest(const std::string& directory, const ManifestRows& rows) {
  HEAPGLOT_RETURN_IF_ERROR(MakeDirectories(PartsPath(directory)));
  const std::string next = NextManifestPath(directory);
  const auto failed = [&] {
    return Status(Code::kOutput,
                  "cannot write " + next + ": " + ErrnoText(errno));
  };
  // O_NONBLOCK: a FIFO may have no reader.
  Fd fd = OpenFile(next, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0644);
  if (!fd.ok()) return failed();
  std::string text;
  for (const auto& [source, row] : rows) {
    text += row.line + "\n";
    if (text.size() < kIoBuffer) continue;
    if (!WriteAll(fd.get(), text.data(), text.size())) return failed();
    text.clear();
  }
  if (!WriteAll(fd.get(), text.data(), text.size()) || !SyncToDisk(fd.get()) ||
      fd.Close() != 0 ||
      rename(next.c_str(), ManifestPath(directory).c_str()) != 0)
    return failed();
  // Before the parts are removed that it is made from.
  return SyncDirectory(directory);
}

// Writes into the row what its dump is a delta from, or that it is whole: what
// is there, not what was planned.
Status SetBase(const std::string& directory, ManifestRow* row) {
  constexpr std::string_view kBase = R"(,"base":")";  // the last keys of a row
  const std::size_t old = row->line.rfind(kBase);
  if (old != std::string::npos) row->line.replace(old, std::string::npos, "}");
  if (!row->ok() || IsThere(DumpPath(directory, row->digest))) return {};
  const Result<std::string> base = FindBase(directory, row->digest);
  if (!base.ok()) return base.status();
  if (base->empty()) return {};
  std::error_code unknown;
  const std::string path = DeltaPath(directory, row->digest);
  const std::uintmax_t size = fs::file_size(path, unknown);
  if (unknown) return InputError(path, unknown.value());
  row->line.pop_back();
  row->line.append(kBase).append(*base) +=
      R"(","delta_size":)" + std::to_string(size) + "}";
  return {};
}

// The sets of shards, by their number of shards, that have an incomplete shard.
// Of the parts of a shard, the last one counts: it is about all current inputs.
// A run without shards stands for itself, whatever others do.
std::set<std::uint64_t> IncompleteSets(const std::vector<Part>& parts,
                                       std::vector<std::string>* missing) {
  std::map<std::uint64_t, std::set<std::uint64_t>> complete;
  for (const Part& part : parts) {
    const Shard& shard = part.shard;
    std::set<std::uint64_t>& shards = complete[shard.count];
    if (part.is_complete)
      shards.insert(shard.index);
    else if (shard.count > 1)
      shards.erase(shard.index);
  }
  std::set<std::uint64_t> incomplete;
  for (const auto& [count, shards] : complete) {
    if (shards.size() == count) continue;
    incomplete.insert(count);
    constexpr std::size_t kMost = 100;
    for (std::uint64_t i = 1; i <= count && missing->size() < kMost; ++i) {
      if (!shards.contains(i))
        missing->push_back(std::to_string(i) + "/" + std::to_string(count));
    }
  }
  return incomplete;
}

}  // namespace

bool ManifestRow::may_be_retried() const {
  return exit_code == ExitCode(Code::kInternal) ||
         exit_code == ExitCode(Code::kLimit) ||
         exit_code == ExitCode(Code::kInput) ||
         exit_code == ExitCode(Code::kOutput);
}

void AddSource(std::string_view path, Json* json) {
  json->Add("source", path);
  if (ClassifyUtf8(path) == pb::UTF8) return;
  std::string bytes;
  AppendBase64(path, &bytes);
  json->Add(kSourceBytes, bytes);
}

bool ParseManifestRow(std::string_view line, ManifestRow* row) {
  JsonDocument document;
  document.Parse<rapidjson::kParseIterativeFlag>(line.data(), line.size());
  if (document.HasParseError() || !document.IsObject()) return false;
  const JsonValue& json = document;
  row->line = line;
  row->source = Text(json, "source");
  if (const std::string bytes = Text(json, kSourceBytes); !bytes.empty()) {
    row->source.clear();
    if (!AppendFromBase64(bytes, &row->source)) return false;
  }
  row->sha256 = Text(json, "sha256");
  row->format = Text(json, "format");
  row->dialect = Text(json, "dialect");
  row->digest = Text(json, "digest");
  row->exact = Text(json, "exact");
  row->size = Number(json, "size");
  row->nodes = Number(json, "nodes");
  row->type_count = Number(json, "types");
  const auto error = json.FindMember("error");
  if (error != json.MemberEnd() && error->value.IsObject())
    row->exit_code = static_cast<int>(Number(error->value, "exit_code"));
  const auto types = json.FindMember("top_types");
  if (types != json.MemberEnd() && types->value.IsArray()) {
    for (const JsonValue& type : types->value.GetArray())
      if (type.IsObject()) row->types.push_back(Text(type, "name"));
  }
  const auto is_digest_or_none = [](const std::string& text) {
    return text.empty() || IsDigest(text);
  };
  return !row->source.empty() && is_digest_or_none(row->digest) &&
         is_digest_or_none(row->exact);
}

void AddLosses(const ManifestRow& row, LossReport* losses) {
  JsonDocument document;
  document.Parse<rapidjson::kParseIterativeFlag>(row.line.data(),
                                                 row.line.size());
  if (document.HasParseError() || !document.IsObject()) return;
  const JsonValue& json = document;
  const auto found = json.FindMember("loss");
  if (found == json.MemberEnd() || !found->value.IsArray()) return;
  for (const JsonValue& loss : found->value.GetArray()) {
    if (!loss.IsObject()) continue;
    losses->Add(Text(loss, "code"), ParseLossClass(Text(loss, "class")),
                Number(loss, "count"), "in the dump of the archive already");
  }
}

bool Shard::Has(std::string_view path) const {
  return Checksum(path) % count == index - 1;
}

Result<ManifestPart> ManifestPart::Create(const std::string& directory,
                                          const Shard& shard) {
  const std::string parts = PartsPath(directory);
  constexpr int kAttempts = 10'000;
  for (int i = 0; i < kAttempts; ++i) {
    // Another run may remove the directory after merging.
    HEAPGLOT_RETURN_IF_ERROR(MakeDirectories(parts));
    const std::string path =
        parts + "/" + shard.name() + "." + std::to_string(i) + ".ndjson";
    Fd fd = OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0644);
    if (fd.ok()) return ManifestPart(directory, shard, std::move(fd));
    if (errno != EEXIST && errno != ENOENT) break;
  }
  return Status(Code::kOutput,
                "cannot create a file in " + parts + ": " + ErrnoText(errno));
}

Status ManifestPart::Write(const std::string& text) {
  if (WriteAll(fd_.get(), text.data(), text.size())) return {};
  return {Code::kOutput, "cannot write the manifest: " + ErrnoText(errno)};
}

Status ManifestPart::Add(const ManifestRow& row) {
  const std::string line = row.line + "\n";
  text_ += line;
  return Write(line);
}

Status ManifestPart::Finish() {
  const Result<Fd> lock = Lock(directory_);
  if (!lock.ok()) return lock.status();
  text_ += std::string(kComplete) + "\n";
  struct stat info;
  if (fstat(fd_.get(), &info) == 0 && info.st_nlink != 0)
    return Write(std::string(kComplete) + "\n");
  Result<ManifestPart> again = Create(directory_, shard_);
  if (!again.ok()) return again.status();
  return again->Write(text_);
}

Result<ManifestRows> ReadManifest(const std::string& directory) {
  ManifestRows rows;
  HEAPGLOT_RETURN_IF_ERROR(ReadWholeManifest(ManifestPath(directory), &rows));
  return rows;
}

Result<ManifestRows> ReadArchiveRows(const std::string& directory) {
  const Result<std::vector<Part>> parts = ReadParts(directory);
  return parts.ok() ? JoinAll(directory, *parts) : parts.status();
}

Status MergeManifest(const std::string& directory,
                     const std::function<Status(const ManifestRows&)>& arrange,
                     std::vector<std::string>* missing) {
  const Result<Fd> lock = Lock(directory);
  if (!lock.ok()) return lock.status();
  const Result<std::vector<Part>> parts = ReadParts(directory);
  if (!parts.ok()) return parts.status();
  // If nothing was done, there is nothing to merge: the name was mistyped.
  if (parts->empty())
    HEAPGLOT_RETURN_IF_ERROR(ReadManifest(directory).status());
  const std::set<std::uint64_t> incomplete = IncompleteSets(*parts, missing);
  Result<ManifestRows> known = JoinAll(directory, *parts);
  if (!known.ok()) return known.status();
  ManifestRows& rows = *known;
  Status arranged = arrange && incomplete.empty() ? arrange(rows) : Status();
  // A damaged delta is reported at the end: the others are done anyway, and
  // what repairs it must be noted, too.
  for (auto& [source, row] : rows) {
    const Status based = SetBase(directory, &row);
    if (arranged.ok()) arranged = based;
  }
  HEAPGLOT_RETURN_IF_ERROR(WriteManifest(directory, rows));
  for (const Part& part : *parts) {
    if (!incomplete.contains(part.shard.count) &&
        unlink(part.path.c_str()) != 0 && errno != ENOENT)
      return {Code::kOutput,
              "cannot remove " + part.path.string() + ": " + ErrnoText(errno)};
  }
  rmdir(PartsPath(directory).c_str());  // stays if others are working
  return arranged;
}

}  // namespace heapglot::tool
