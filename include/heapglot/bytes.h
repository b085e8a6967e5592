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

// A whole input, decompressed and readable at random, so that a reader can go
// over it as often as the writer's passes need.
//
// A plain file is mapped. Everything else (pipe, gzip, zstd) is spooled once:
// up to 16 MiB in memory, above that in an unlinked temporary file that is
// mapped. Memory: what the kernel keeps of the mapping, and one buffer.
class HEAPGLOT_API ByteSource {
 public:
  virtual ~ByteSource() = default;

  // The content. Valid as long as the source is.
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
  // Asks for the bytes from `begin` up to `end`, which will be read soon, all at
  // once: cheaper than for each as it is read.
  virtual void Fetch(std::uint64_t begin, std::uint64_t end) const {
    (void)begin;
    (void)end;
  }
  // The descriptor of a file that bytes() is of, from its start on, or -1: for
  // ByteSink::Copy().
  virtual int file() const { return -1; }

  struct OpenOptions {
    // Called when the input is open and nothing of it has been read: from now
    // on there is hostile data in the process. May be empty.
    std::function<void()> opened = nullptr;
    // Sees the first kHeadBytes of the decompressed input (fewer only if that
    // is all) before anything more is read; Open() returns its error. So an
    // endless device or a bomb that is no dump ends at once.
    std::function<Status(std::string_view head)> check_head;
    // For an input that is read into memory or a temporary file, because it is
    // compressed ("unpacking") or cannot be mapped, as pipes ("reading"): called
    // after each piece, of less than a MiB, with how many of how many bytes of it
    // have been read; `total` is 0 where nobody knows. Open() returns its error, so
    // that Context::Proceed() does for it. May be empty.
    std::function<Status(std::string_view phase, std::uint64_t done,
                         std::uint64_t total)>
        proceed = nullptr;
  };
  static constexpr std::size_t kHeadBytes = 512;

  // Opens the file `path`, or standard input for "-". Data that is compressed
  // twice is decompressed once.
  // Errors: kInput (with the system's reason; directories are refused);
  // kLimit when compressed data of more than 1 MiB is more than
  // limits.max_ratio times its compressed size, when what must be spooled is
  // more than limits.max_decompressed, or when memory runs out; kMalformed or
  // kTruncated, with the place in the compressed data, when that is damaged;
  // kOutput when the temporary file cannot be written.
  static Result<std::unique_ptr<ByteSource>> Open(const std::string& path,
                                                  const Limits& limits);
  static Result<std::unique_ptr<ByteSource>> Open(const std::string& path,
                                                  const Limits& limits,
                                                  const OpenOptions& options);
  // A source over bytes that the caller keeps alive.
  static std::unique_ptr<ByteSource> FromMemory(std::string_view bytes,
                                                std::string name = "(memory)");
};

// What one thread leaves to another one that would otherwise wait. Thread-safe.
class HEAPGLOT_API SpareWork {
 public:
  // Whether there is some that nobody is at. A look, without waiting.
  virtual bool HasSome() const = 0;
  // Does a piece of it, if there is one. What goes wrong the one hears who has
  // left it.
  virtual void DoSome() = 0;

 protected:
  ~SpareWork() = default;
};

// A place for output. Not thread-safe. Errors are sticky: after the first one
// every call returns it. The program must ignore SIGPIPE and SIGXFSZ, or they
// end it before the error does.
class HEAPGLOT_API ByteSink {
 public:
  // Without Close() the output is abandoned: nothing is left behind.
  virtual ~ByteSink() = default;

  virtual Status Write(std::string_view bytes) = 0;
  // Writes all of `source`. From file to file the kernel copies; a file system
  // that can let both share the data does not even do that.
  virtual Status Copy(const ByteSource& source);
  // Does all of Close() that can be done before the output is visible: what was
  // written is on the disk. Nothing may be written afterwards. For outputs that have
  // to appear together. A sink that passes on what it gets must pass this on.
  virtual Status Prepare() { return {}; }
  // Makes the output visible, whole. Nothing may be written afterwards;
  // closing once more is harmless.
  virtual Status Close() = 0;
  // Bytes written so far, before compression.
  virtual std::uint64_t position() const = 0;
  // Whether nobody sees any of it without Close(). `false` is never wrong, but a
  // conversion may take longer then.
  virtual bool is_all_or_nothing() const { return false; }

  // For a writer that would have to read the dump twice to write two parts of its
  // format one after the other. A sink for the second one, which is written along
  // with the first; TakeAhead(), once, puts it behind what was written so far.
  // nullptr: both have to be written in order. That is never wrong, and for what
  // is to be kept, usual.
  virtual ByteSink* Ahead() { return nullptr; }
  virtual Status TakeAhead() { return {}; }

  // Asks the sink to leave to others what they can do for it, from now on and as
  // long as it is open: an error then comes with one of the next calls. nullptr:
  // there is nothing of that kind.
  virtual SpareWork* Share() { return nullptr; }

  struct FileOptions {
    Compression compression = Compression::kNone;
    bool replace = false;      // an existing file may be replaced
    bool no_terminal = true;   // binary output: refuse a terminal
    unsigned max_threads = 1;  // with more, one compresses
    // Close() returns when the name, too, will be there after a power cut. If
    // that cannot be had, it fails, with the whole output in place.
    bool durable = false;
    // Called when all is written, right before the file gets its name: what
    // happens from here on has to go with a file that is there.
    void (*before_rename)() = nullptr;
  };
  // A file that appears under `path` at Close() or not at all: a temporary file
  // beside it, flushed and renamed; the mode of a file that it replaces is
  // kept, its other hard links, owner and extended attributes are not. A
  // symbolic link is followed, also one that leads to nothing yet. "-" and
  // /dev/stdout are standard output; that, other descriptors and what is no
  // regular file (FIFO, device) are written directly.
  // Errors: kOutput; kUsage when a terminal is refused.
  static Result<std::unique_ptr<ByteSink>> Create(const std::string& path,
                                                  const FileOptions& options);
  // Appends to `*out`, which the caller keeps alive.
  static std::unique_ptr<ByteSink> ToString(std::string* out);
};

// Whether a sink failed because nobody reads the pipe that it writes to.
HEAPGLOT_API bool IsBrokenPipe(const Status& status);

}  // namespace heapglot

#endif  // HEAPGLOT_BYTES_H_
