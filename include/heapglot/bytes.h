// Where bytes come from and where they go.
#ifndef HEAPGLOT_BYTES_H_
#define HEAPGLOT_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "heapglot/context.h"
#include "heapglot/export.h"
#include "heapglot/status.h"

namespace heapglot {

enum class Compression { kNone, kGzip, kZstd };

// "none", "gzip" or "zstd".
HEAPGLOT_API std::string_view ToString(Compression compression);

// A whole input, decompressed and with random access, so that a reader can read
// it as often as the writer's passes need.
//
// A plain file is mapped. Everything else (pipe, gzip, zstd) is spooled once:
// up to 16 MiB in memory, more than that in an unlinked temporary file that is
// mapped. Memory: what the kernel keeps of the mapping, and one buffer.
class HEAPGLOT_API ByteSource {
 public:
  virtual ~ByteSource() = default;

  // The content. Valid as long as the source exists.
  virtual std::string_view bytes() const = 0;
  virtual Compression compression() const = 0;
  // For messages: the path as given, "-" for standard input.
  virtual const std::string& name() const = 0;

  // Tells the kernel that the bytes from `begin` up to `end` will not be needed
  // soon. They can still be read.
  virtual void Release(std::uint64_t begin, std::uint64_t end) const {
    (void)begin;
    (void)end;
  }
  // Asks for the bytes from `begin` up to `end`, which will be read soon, all
  // at once, which is cheaper than fetching each as it is read.
  virtual void Fetch(std::uint64_t begin, std::uint64_t end) const {
    (void)begin;
    (void)end;
  }
  // The descriptor of the file whose content, from its start on, is bytes(), or
  // -1. For ByteSink::Copy().
  virtual int file() const { return -1; }

  struct OpenOptions {
    // Called when the input is open but nothing of it has been read: from then
    // on, there may be hostile data in the process. May be empty.
    std::function<void()> opened = nullptr;
    // Gets the first kHeadBytes of the decompressed input (fewer only if that
    // is all) before anything more is read; Open() returns its error. This
    // stops an endless device, or a bomb that is not a dump, at once.
    std::function<Status(std::string_view head)> check_head;
    // For an input that is read into memory or a temporary file, because it is
    // compressed ("unpacking") or, like a pipe, cannot be mapped ("reading"):
    // called after each piece (of less than a MiB); `done` of the `total` bytes
    // of the input have been read, and `total` is 0 if it is not known. Open()
    // returns its error, so Context::Proceed() can be used. May be empty.
    std::function<Status(std::string_view phase, std::uint64_t done,
                         std::uint64_t total)>
        proceed = nullptr;
  };
  static constexpr std::size_t kHeadBytes = 512;

  // Opens the file `path`, or standard input for "-". Data that is compressed
  // twice is decompressed once.
  // Errors: kInput (with the system's reason; directories are refused);
  // kLimit if the data unpacks to more than 1 MiB and to more than
  // limits.max_ratio times its compressed size, if what must be spooled is
  // larger than limits.max_decompressed, or if memory runs out; kMalformed or
  // kTruncated, with the place in the compressed data, if that is damaged;
  // kOutput if the temporary file cannot be written.
  static Result<std::unique_ptr<ByteSource>> Open(const std::string& path,
                                                  const Limits& limits);
  static Result<std::unique_ptr<ByteSource>> Open(const std::string& path,
                                                  const Limits& limits,
                                                  const OpenOptions& options);
  // A source over bytes that the caller keeps alive.
  static std::unique_ptr<ByteSource> FromMemory(std::string_view bytes,
                                                std::string name = "(memory)");
};

// Work that one thread leaves to another, which would otherwise wait.
// Thread-safe.
class HEAPGLOT_API SpareWork {
 public:
  // Whether there is work that nobody is doing. Does not wait.
  virtual bool HasSome() const = 0;
  // Does one piece of it, if there is any. The thread that left the work gets
  // its errors.
  virtual void DoSome() = 0;

 protected:
  ~SpareWork() = default;
};

// A place for output. Not thread-safe. Errors are sticky: after the first
// error, every call returns it. The program must ignore SIGPIPE and SIGXFSZ;
// otherwise these end it before it gets the error.
class HEAPGLOT_API ByteSink {
 public:
  // Without Close() the output is abandoned: nothing is left behind.
  virtual ~ByteSink() = default;

  virtual Status Write(std::string_view bytes) = 0;
  // Writes all of `source`. From file to file, the kernel copies the data, or
  // lets both files share it if the file system can.
  virtual Status Copy(const ByteSource& source);
  // Does everything of Close() that can be done before the output is visible:
  // afterwards, what was written is on the disk. Nothing may be written after
  // it. For outputs that have to appear together. A sink that passes on what it
  // gets must pass this on, too.
  virtual Status Prepare() { return {}; }
  // Makes the output visible, whole. Nothing may be written afterwards;
  // closing once more is harmless.
  virtual Status Close() = 0;
  // Bytes written so far, before compression.
  virtual std::uint64_t position() const = 0;
  // Whether nobody sees any of the output before Close(). `false` is never
  // wrong, but a conversion may then take longer.
  virtual bool is_all_or_nothing() const { return false; }

  // For a writer that would have to read the dump twice to write two parts of
  // its format one after the other: a sink for the second part, which is
  // written along with the first. TakeAhead(), called once, appends it to what
  // was written so far. nullptr: both parts have to be written in order. That
  // is never wrong, and is usual for output that is to be kept.
  virtual ByteSink* Ahead() { return nullptr; }
  virtual Status TakeAhead() { return {}; }

  // Asks the sink to leave work to others where it can, from now on and as long
  // as it is open; errors of that work come with one of the next calls.
  // nullptr: the sink has no such work.
  virtual SpareWork* Share() { return nullptr; }

  struct FileOptions {
    Compression compression = Compression::kNone;
    bool replace = false;      // an existing file may be replaced
    bool no_terminal = true;   // binary output: refuse a terminal
    unsigned max_threads = 1;  // with more, one compresses
    // Close() returns only when the file and its name will survive a power cut.
    // If that cannot be done, it fails, with the whole output in place.
    bool durable = false;
    // Called when all is written, right before the file gets its name: whatever
    // happens from then on has to reckon with a file that is there.
    void (*before_rename)() = nullptr;
  };
  // A file that appears under `path` at Close(), or not at all: a temporary
  // file is written beside it, flushed and renamed. The mode of a file that it
  // replaces is kept; its other hard links, owner and extended attributes are
  // not. A symbolic link is followed, even if it leads to nothing yet. "-" and
  // /dev/stdout are standard output. Standard output, other descriptors, and
  // anything that is not a regular file (FIFO, device) are written directly.
  // Errors: kOutput; kUsage if a terminal is refused.
  static Result<std::unique_ptr<ByteSink>> Create(const std::string& path,
                                                  const FileOptions& options);
  // Appends to `*out`, which the caller keeps alive.
  static std::unique_ptr<ByteSink> ToString(std::string* out);
};

// Whether a sink failed because nobody reads from the pipe that it writes to.
HEAPGLOT_API bool IsBrokenPipe(const Status& status);

}  // namespace heapglot

#endif  // HEAPGLOT_BYTES_H_
