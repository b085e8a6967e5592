#include "tools/archive_dump.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/bytes/fd.h"
#include "core/bytes/open_source.h"
#include "core/bytes/sha256.h"
#include "core/bytes/zstd_delta.h"
#include "core/canonical/canonical_reader.h"
#include "core/canonical/stream_digest.h"
#include "core/out_of_memory.h"
#include "tools/archive_store.h"

namespace heapglot::tool {
namespace {

Result<DeltaHeader> ReadHeader(const std::string& path,
                               const std::string& digest) {
  const auto failed = [&path](const std::string& why) {
    return Status(Code::kInput, "cannot read " + path + ": " + why);
  };
  const Result<Fd> fd = OpenStored(path);
  if (!fd.ok()) return failed(fd.status().message());
  std::array<char, DeltaHeader::kBytes> bytes;
  std::size_t size = 0;
  for (ssize_t more = 1; more != 0 && size < bytes.size();) {
    more = ReadSome(fd->get(), bytes.data() + size, bytes.size() - size);
    if (more < 0) return failed(ErrnoText(errno));
    size += static_cast<std::size_t>(more);
  }
  Result<DeltaHeader> header = DeltaHeader::Decode({bytes.data(), size});
  if (!header.ok())
    return Status(header.status().code(),
                  path + ": " + header.status().message());
  if (header->digest == digest) return header;
  return Status(Code::kMalformed,
                path + " is the delta of another dump, " + header->digest);
}

Status NoDump(const std::string& directory, const std::string& digest,
              const std::string& needed_by) {
  for (const std::string& path :
       {DumpPath(directory, digest), DeltaPath(directory, digest)}) {
    if (IsBlocked(path))
      return {Code::kInput, "cannot read " + path + ": is not a regular file"};
  }
  std::string message = "dump " + digest + " is missing";
  if (!needed_by.empty()) message += ", of which " + needed_by + " is a delta";
  return {Code::kInput, message};
}

}  // namespace

Result<DumpFiles> FindDump(const std::string& directory,
                           const std::string& digest) {
  DumpFiles files;
  std::string at = digest;
  std::string needed_by;
  for (;;) {
    std::string path = DumpPath(directory, at);
    const bool is_whole = IsThere(path);
    if (!is_whole) path = DeltaPath(directory, at);
    if (!is_whole && !IsThere(path)) return NoDump(directory, at, needed_by);
    if (std::ranges::find(files.digests, at) != files.digests.end())
      return Status(Code::kMalformed,
                    "the deltas that make dump " + digest + " go in circles");
    files.paths.push_back(path);
    files.digests.push_back(at);
    if (is_whole) break;
    if (files.paths.size() > kMaxDeltas) {
      return Status(Code::kLimit, "dump " + digest + " takes more than " +
                                      std::to_string(kMaxDeltas) + " deltas");
    }
    Result<DeltaHeader> header = ReadHeader(path, at);
    if (!header.ok()) return header.status();
    needed_by = std::exchange(at, header->base);
  }
  std::ranges::reverse(files.paths);
  std::ranges::reverse(files.digests);
  return files;
}

Result<std::string> FindBase(const std::string& directory,
                             const std::string& digest) {
  const std::string path = DeltaPath(directory, digest);
  if (!IsThere(path) && !IsBlocked(path)) return std::string();
  Result<DeltaHeader> header = ReadHeader(path, digest);
  if (!header.ok()) return header.status();
  return header->base;
}

Result<std::vector<std::string>> ListDeltas(const std::string& directory) {
  namespace fs = std::filesystem;
  constexpr std::string_view kExtension = ".delta";
  std::vector<std::string> digests;
  std::error_code error;
  fs::recursive_directory_iterator at(DumpsPath(directory), error);
  for (; !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    const std::string digest = at->path().stem();
    if (at->path().extension() == kExtension && IsDigest(digest) &&
        at->path() == DeltaPath(directory, digest) && !IsBlocked(at->path()))
      digests.push_back(digest);
  }
  if (error == std::errc::not_enough_memory) return OutOfMemory();
  if (error && error != std::errc::no_such_file_or_directory)
    return Status(Code::kInput, "cannot read " + DumpsPath(directory) + ": " +
                                    error.message());
  return digests;
}

Result<std::unique_ptr<ByteSource>> OpenStoredSource(
    const std::string& path, const Limits& limits,
    const ByteSource::OpenOptions& options) {
  Result<Fd> file = OpenStored(path);
  if (!file.ok()) return file.status();
  return OpenSource(*std::move(file), path, limits, options);
}

Result<std::unique_ptr<ByteSource>> OpenDump(const DumpFiles& files,
                                             const Limits& limits,
                                             Sandbox& sandbox,
                                             std::string* blamed) {
  for (const std::string& path : files.paths) sandbox.AnnounceInput(path);
  *blamed = files.paths.front();
  Result<std::unique_ptr<ByteSource>> dump = OpenStoredSource(
      files.paths.front(), limits,
      {.opened = [&sandbox] { sandbox.Enter(); }, .check_head = nullptr});
  if (!dump.ok() || files.deltas() == 0) return dump;
  // No delta has a larger base.
  Limits of_base = limits;
  of_base.max_decompressed = std::min(limits.max_decompressed, kMaxDeltaWindow);
  dump = RawFormOf((*dump)->bytes(), of_base, files.paths.front());
  for (std::size_t i = 1; dump.ok() && i < files.paths.size(); ++i) {
    *blamed = files.paths[i];
    const Result<std::unique_ptr<ByteSource>> delta =
        OpenStoredSource(files.paths[i], limits);
    if (!delta.ok()) return delta.status();
    dump =
        ApplyDelta((*dump)->bytes(), (*delta)->bytes(), limits, files.paths[i]);
  }
  return dump;
}

Result<std::string> CanonicalDigest(const ByteSource& source,
                                    const Limits& limits) {
  Context context;
  context.limits = limits;
  const std::unique_ptr<Reader> reader = IrReader().make(source, context);
  StreamDigest digest;
  HEAPGLOT_RETURN_IF_ERROR(
      MakeCanonicalReader(*reader, context)->Read(ChunkSet::All(), digest));
  return Hex(digest.Finish());
}

Status CheckDigest(const ByteSource& source, const std::string& digest,
                   const Limits& limits) {
  const Result<std::string> given = CanonicalDigest(source, limits);
  if (!given.ok()) return given.status();
  if (*given == digest) return {};
  return {Code::kMalformed, "it holds the dump " + *given};
}

Status ErrorOfFile(const Status& status, std::string_view blamed) {
  return {status.code(), status.ToString(blamed)};
}

}  // namespace heapglot::tool
