#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "core/bytes/decompress.h"
#include "core/bytes/fd.h"
#include "core/bytes/open_source.h"
#include "core/bytes/spool.h"
#include "core/out_of_memory.h"
#include "heapglot/bytes.h"

namespace heapglot {

// Sizes and positions of inputs are std::size_t in many places.
static_assert(sizeof(std::size_t) >= 8, "heapglot needs 64 bits");

namespace {

// Small inputs may well be mostly zeros.
constexpr std::uint64_t kRatioFreeBytes = std::uint64_t{1} << 20;

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string_view bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}
  std::string_view bytes() const override { return bytes_; }
  Compression compression() const override { return Compression::kNone; }
  const std::string& name() const override { return name_; }

 private:
  std::string_view bytes_;
  std::string name_;
};

Status CheckHead(std::string_view head,
                 const ByteSource::OpenOptions& options) {
  return options.check_head ? options.check_head(head) : Status();
}

// Checks `size`, the number of bytes unpacked from `in` so far, against the
// limits.
Status CheckSize(std::uint64_t size, const RawInput& in,
                 Compression compression, const Limits& limits) {
  const Where where = Where::Byte(in.offset());
  if (size > limits.max_decompressed) {
    return {Code::kLimit,
            "the input is larger than " +
                std::to_string(limits.max_decompressed) +
                " bytes (--max-unpacked)",
            where};
  }
  if (compression == Compression::kNone || size <= kRatioFreeBytes) return {};
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t allowed =
      in.offset() != 0 && limits.max_ratio > kMax / in.offset()
          ? kMax
          : limits.max_ratio * in.offset();
  if (size <= allowed) return {};
  return {
      Code::kLimit,
      std::string(ToString(compression)) + ": the data unpacks to more than " +
          std::to_string(limits.max_ratio) + " times its size (--max-ratio)",
      where};
}

// Reads all of `in`, which has `total` bytes if that is not 0, into a spool.
Result<SpooledContent> SpoolAll(RawInput& in, std::uint64_t total,
                                Compression compression, const Limits& limits,
                                const ByteSource::OpenOptions& options) {
  const std::unique_ptr<Decoder> decoder = MakeDecoder(compression);
  const std::string_view phase =
      compression == Compression::kNone ? "reading" : "unpacking";
  Spool spool;
  bool head_checked = false;
  while (true) {
    const auto room = spool.Room();
    if (!room.ok()) return room.status();
    const auto [out, size] = *room;
    const auto count = decoder->Read(in, out, std::min(size, kIoBuffer));
    if (!count.ok()) return count.status();
    spool.Commit(*count);
    const bool at_end = *count == 0;
    if (!head_checked && (at_end || spool.size() >= ByteSource::kHeadBytes)) {
      HEAPGLOT_RETURN_IF_ERROR(CheckHead(spool.head(), options));
      head_checked = true;
    }
    HEAPGLOT_RETURN_IF_ERROR(CheckSize(spool.size(), in, compression, limits));
    if (options.proceed)
      HEAPGLOT_RETURN_IF_ERROR(options.proceed(phase, in.offset(), total));
    if (at_end) return spool.Finish();
  }
}

// The whole of an uncompressed file, mapped. No mapping, and no error, if it
// has to be read instead.
Result<SpooledContent> MapFile(int fd, const struct stat& info,
                               const ByteSource::OpenOptions& options) {
  SpooledContent content;
  // Files in /proc have size 0, and content all the same. Standard input may
  // have been read from before.
  if (!S_ISREG(info.st_mode) || info.st_size <= 0) return content;
  if (lseek(fd, 0, SEEK_CUR) != 0) return content;
  if (!std::in_range<std::size_t>(info.st_size)) return OutOfMemory();
  char head[kCompressionMagic];
  const ssize_t count =
      RetryOnSignal([&] { return pread(fd, head, sizeof head, 0); });
  if (count < 0) return Status(Code::kInput, ErrnoText(errno), Where::Byte(0));
  const std::string_view magic(head, static_cast<std::size_t>(count));
  if (DetectCompression(magic) != Compression::kNone) return content;
  content.size = static_cast<std::size_t>(info.st_size);
  content.is_file = true;
  content.mapping = Mapping::OfFile(fd, content.size);
  if (!content.mapping.ok()) {
    if (errno == ENOMEM) return OutOfMemory();
    return SpooledContent();  // a file system that cannot map
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckHead(
      {content.mapping.data(), std::min(content.size, ByteSource::kHeadBytes)},
      options));
  return content;
}

Result<SpooledContent> Load(int fd, const Limits& limits,
                            const ByteSource::OpenOptions& options) {
  struct stat info;
  if (fstat(fd, &info) != 0) return Status(Code::kInput, ErrnoText(errno));
  if (S_ISDIR(info.st_mode)) return Status(Code::kInput, ErrnoText(EISDIR));
  Result<SpooledContent> mapped = MapFile(fd, info, options);
  if (!mapped.ok() || mapped->mapping.ok()) return mapped;

  RawInput in(fd);
  HEAPGLOT_RETURN_IF_ERROR(in.FillTo(kCompressionMagic));
  const Compression compression = DetectCompression(in.available());
  const auto total =
      S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  Result<SpooledContent> content =
      SpoolAll(in, total, compression, limits, options);
  if (content.ok()) content->compression = compression;
  return content;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenSource(
    Fd fd, const std::string& name, const Limits& limits,
    const ByteSource::OpenOptions& options) try {
  if (!fd.ok()) return Status(Code::kInput, ErrnoText(errno));
  if (options.opened) options.opened();
  Result<SpooledContent> content = Load(fd.get(), limits, options);
  if (!content.ok()) return content.status();
  // What was spooled is in memory, or in a file of its own.
  if (content->is_file && !content->file.ok()) content->file = std::move(fd);
  return MakeSource(*std::move(content), name);
} catch (const std::bad_alloc&) {
  return OutOfMemory();
}

Result<std::unique_ptr<ByteSource>> ByteSource::Open(
    const std::string& path, const Limits& limits, const OpenOptions& options) {
  return OpenSource(
      path == "-" ? Duplicate(STDIN_FILENO) : OpenFile(path, O_RDONLY), path,
      limits, options);
}

Result<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path,
                                                     const Limits& limits) {
  return Open(path, limits, OpenOptions());
}

std::unique_ptr<ByteSource> ByteSource::FromMemory(std::string_view bytes,
                                                   std::string name) {
  return std::make_unique<MemorySource>(bytes, std::move(name));
}

}  // namespace heapglot
