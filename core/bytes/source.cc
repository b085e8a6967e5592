#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "core/bytes/decompress.h"
#include "core/bytes/fd.h"
#include "core/bytes/temporary_file.h"
#include "heapglot/bytes.h"

namespace heapglot {
namespace {

constexpr std::size_t kSpoolMemory = std::size_t{16} << 20;
// Small inputs may well be zeros for the most part.
constexpr std::uint64_t kRatioFreeBytes = std::uint64_t{1} << 20;

// Pages that go away with the object.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  // Both: not ok() and errno if it fails.
  static Mapping OfFile(int fd, std::size_t size) {
    Mapping mapping(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0), size);
    if (mapping.ok()) madvise(mapping.data_, size, MADV_SEQUENTIAL);
    return mapping;
  }
  static Mapping OfMemory(std::size_t size) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    return {mmap(nullptr, size, PROT_READ | PROT_WRITE, kFlags, -1, 0), size};
  }

  bool ok() const { return data_ != nullptr; }
  char* data() const { return static_cast<char*>(data_); }

 private:
  Mapping(void* data, std::size_t size)
      : data_(data == MAP_FAILED ? nullptr : data), size_(size) {}

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// What a source holds.
struct Content {
  Mapping mapping;  // of at least `size` bytes; maybe none for an empty input
  std::size_t size = 0;
  bool is_file = false;  // pages can be given back and come again
  Compression compression = Compression::kNone;
};

class MappedSource final : public ByteSource {
 public:
  MappedSource(Content content, std::string name)
      : content_(std::move(content)), name_(std::move(name)) {}

  std::string_view bytes() const override {
    return content_.size == 0
               ? std::string_view("")
               : std::string_view(content_.mapping.data(), content_.size);
  }
  Compression compression() const override { return content_.compression; }
  const std::string& name() const override { return name_; }

  void Release(std::uint64_t begin, std::uint64_t end) const override {
    if (!content_.is_file) return;  // would lose the content
    end = std::min<std::uint64_t>(end, content_.size);
    // Whole pages only: what is beside them may be in use.
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (begin >= end) return;
    madvise(content_.mapping.data() + begin, end - begin, MADV_DONTNEED);
  }

 private:
  Content content_;
  std::string name_;
};

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

Status OutOfMemory() { return {Code::kLimit, "out of memory"}; }

// Keeps what is written to it: in memory while that suffices, then in a file
// that has no name.
class Spool {
 public:
  // Room for at least one more byte. Writes out what is there if need be.
  // Errors: kOutput, kLimit.
  Result<std::pair<char*, std::size_t>> Room() {
    if (!memory_.ok()) {
      memory_ = Mapping::OfMemory(kSpoolMemory);
      if (!memory_.ok()) return OutOfMemory();
    }
    if (used_ == capacity_) HEAPGLOT_RETURN_IF_ERROR(Flush());
    return std::pair(memory_.data() + used_, capacity_ - used_);
  }
  // The first `size` bytes of the room have been filled.
  void Commit(std::size_t size) {
    used_ += size;
    size_ += size;
  }
  std::uint64_t size() const { return size_; }
  // The first bytes. Valid until Room() is called.
  std::string_view head() const {
    return {memory_.data(), static_cast<std::size_t>(std::min<std::uint64_t>(
                                size_, ByteSource::kHeadBytes))};
  }

  Result<Content> Finish() {
    Content content;
    if (!std::in_range<std::size_t>(size_)) return OutOfMemory();
    content.size = static_cast<std::size_t>(size_);
    if (!file_.ok()) {
      content.mapping = std::move(memory_);
      return content;
    }
    HEAPGLOT_RETURN_IF_ERROR(Flush());
    content.mapping = Mapping::OfFile(file_.get(), content.size);
    if (!content.mapping.ok()) return OutOfMemory();
    content.is_file = true;
    return content;
  }

 private:
  Status Flush() {
    if (!file_.ok()) {
      Result<Fd> file = OpenTemporaryFile();
      if (!file.ok()) return file.status();
      file_ = *std::move(file);
    }
    if (!WriteAll(file_.get(), memory_.data(), used_))
      return TemporaryFileError(errno);
    used_ = 0;
    if (capacity_ != kIoBuffer) {  // from now on the memory is a mere buffer
      capacity_ = kIoBuffer;
      madvise(memory_.data(), kSpoolMemory, MADV_DONTNEED);
    }
    return {};
  }

  Mapping memory_;
  std::size_t used_ = 0;
  std::size_t capacity_ = kSpoolMemory;
  std::uint64_t size_ = 0;
  Fd file_;
};

Status CheckHead(std::string_view head,
                 const ByteSource::OpenOptions& options) {
  return options.check_head ? options.check_head(head) : Status();
}

// Whether `size` bytes from `compressed` compressed ones are all right.
Status CheckSize(std::uint64_t size, const RawInput& in,
                 Compression compression, const Limits& limits) {
  const Where where = Where::Byte(in.offset());
  if (size > limits.max_decompressed) {
    return {Code::kLimit,
            "the input is larger than " +
                std::to_string(limits.max_decompressed) + " bytes",
            where};
  }
  if (compression == Compression::kNone || size <= kRatioFreeBytes) return {};
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t allowed =
      in.offset() != 0 && limits.max_ratio > kMax / in.offset()
          ? kMax
          : limits.max_ratio * in.offset();
  if (size <= allowed) return {};
  return {Code::kLimit,
          std::string(ToString(compression)) +
              ": the data unpacks to more than " +
              std::to_string(limits.max_ratio) + " times its size",
          where};
}

// Reads all of `in` into a spool.
Result<Content> SpoolAll(RawInput& in, Compression compression,
                         const Limits& limits,
                         const ByteSource::OpenOptions& options) {
  const std::unique_ptr<Decoder> decoder = MakeDecoder(compression);
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
    if (at_end) return spool.Finish();
  }
}

// The whole of an uncompressed file, mapped. No mapping, and no error, if the
// file has to be read instead.
Result<Content> MapFile(int fd, const struct stat& info,
                        const ByteSource::OpenOptions& options) {
  Content content;
  // Files of /proc have no size, and yet something in them. Standard input may
  // have been read from before.
  if (!S_ISREG(info.st_mode) || info.st_size <= 0) return content;
  if (lseek(fd, 0, SEEK_CUR) != 0) return content;
  if (!std::in_range<std::size_t>(info.st_size)) return OutOfMemory();
  char head[kCompressionMagic];
  const ssize_t count = pread(fd, head, sizeof head, 0);
  if (count < 0) return Status(Code::kInput, ErrnoText(errno), Where::Byte(0));
  const std::string_view magic(head, static_cast<std::size_t>(count));
  if (DetectCompression(magic) != Compression::kNone) return content;
  content.size = static_cast<std::size_t>(info.st_size);
  content.is_file = true;
  content.mapping = Mapping::OfFile(fd, content.size);
  if (!content.mapping.ok()) {
    if (errno == ENOMEM) return OutOfMemory();
    return Content();  // a file system that cannot map
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckHead(
      {content.mapping.data(), std::min(content.size, ByteSource::kHeadBytes)},
      options));
  return content;
}

Result<Content> Load(int fd, const Limits& limits,
                     const ByteSource::OpenOptions& options) {
  struct stat info;
  if (fstat(fd, &info) != 0) return Status(Code::kInput, ErrnoText(errno));
  if (S_ISDIR(info.st_mode)) return Status(Code::kInput, ErrnoText(EISDIR));
  Result<Content> mapped = MapFile(fd, info, options);
  if (!mapped.ok() || mapped->mapping.ok()) return mapped;

  RawInput in(fd);
  HEAPGLOT_RETURN_IF_ERROR(in.FillTo(kCompressionMagic));
  const Compression compression = DetectCompression(in.available());
  Result<Content> content = SpoolAll(in, compression, limits, options);
  if (content.ok()) content->compression = compression;
  return content;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> ByteSource::Open(
    const std::string& path, const Limits& limits,
    const OpenOptions& options) try {
  const Fd fd =
      path == "-" ? Duplicate(STDIN_FILENO) : OpenFile(path, O_RDONLY);
  if (!fd.ok()) return Status(Code::kInput, ErrnoText(errno));
  Result<Content> content = Load(fd.get(), limits, options);
  if (!content.ok()) return content.status();
  return std::unique_ptr<ByteSource>(
      std::make_unique<MappedSource>(*std::move(content), path));
} catch (const std::bad_alloc&) {
  return OutOfMemory();
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
