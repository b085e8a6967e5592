#include "core/bytes/decompress.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace heapglot {
namespace {

Status At(const RawInput& in, Code code, std::string message) {
  return {code, std::move(message), Where::Byte(in.offset())};
}

class CopyDecoder final : public Decoder {
 public:
  Result<std::size_t> Read(RawInput& in, char* out, std::size_t size) override {
    HEAPGLOT_RETURN_IF_ERROR(in.FillTo(1));
    const std::size_t count = std::min(size, in.available().size());
    std::memcpy(out, in.available().data(), count);
    in.Consume(count);
    return count;
  }
};

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() {
    constexpr int kGzip = 16;  // as inflateInit2() has it
    if (inflateInit2(&stream_, MAX_WBITS + kGzip) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() override { inflateEnd(&stream_); }

  Result<std::size_t> Read(RawInput& in, char* out, std::size_t size) override {
    std::size_t produced = 0;
    while (produced == 0 && !done_) {
      if (between_members_) {
        HEAPGLOT_RETURN_IF_ERROR(NextMember(in));
      } else {
        Result<std::size_t> count = Inflate(in, out, size);
        if (!count.ok()) return count;
        produced = *count;
      }
    }
    return produced;
  }

 private:
  // One call of inflate(). May produce nothing without being at the end.
  Result<std::size_t> Inflate(RawInput& in, char* out, std::size_t size) {
    HEAPGLOT_RETURN_IF_ERROR(in.FillTo(1));
    const std::string_view data = in.available();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    const int answer = inflate(&stream_, Z_NO_FLUSH);
    in.Consume(data.size() - stream_.avail_in);
    const std::size_t produced = size - stream_.avail_out;
    switch (answer) {
      case Z_STREAM_END:
        between_members_ = true;
        return produced;
      case Z_OK:
      case Z_BUF_ERROR:
        if (data.empty() && produced == 0) {
          return At(in, Code::kTruncated, "gzip: the data ends too early");
        }
        return produced;
      case Z_MEM_ERROR:
        return At(in, Code::kLimit, "gzip: out of memory");
      default:
        return At(in, Code::kMalformed,
                  std::string("gzip: ") +
                      (stream_.msg != nullptr ? stream_.msg : "damaged data"));
    }
  }

  // Decides what comes after a member.
  Status NextMember(RawInput& in) {
    HEAPGLOT_RETURN_IF_ERROR(in.FillTo(2));
    const std::string_view next = in.available();
    constexpr std::string_view kMagic = "\x1f\x8b";
    if (next.empty()) {
      done_ = true;
    } else if (next.front() == '\0') {
      HEAPGLOT_RETURN_IF_ERROR(SkipZeros(in));
      done_ = true;
    } else if (next.starts_with(kMagic.substr(0, next.size()))) {
      inflateReset(&stream_);
      between_members_ = false;
    } else {
      return NoMember(in);
    }
    return {};
  }

  static Status SkipZeros(RawInput& in) {
    while (true) {
      HEAPGLOT_RETURN_IF_ERROR(in.FillTo(1));
      const std::string_view data = in.available();
      if (data.empty()) return {};
      in.Consume(std::min(data.find_first_not_of('\0'), data.size()));
      if (!in.available().empty()) return NoMember(in);
    }
  }

  static Status NoMember(const RawInput& in) {
    return At(in, Code::kMalformed,
              "gzip: something that is no gzip follows the compressed data");
  }

  z_stream stream_ = {};
  bool between_members_ = false;
  bool done_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    next_size_ = ZSTD_initDStream(stream_);
  }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  Result<std::size_t> Read(RawInput& in, char* out, std::size_t size) override {
    ZSTD_outBuffer to = {.dst = out, .size = size, .pos = 0};
    while (to.pos == 0) {
      HEAPGLOT_RETURN_IF_ERROR(in.FillTo(1));
      const std::string_view data = in.available();
      if (data.empty() && between_frames_) return std::size_t{0};
      // No more than the next block: an error does not say where in `from` it
      // is, and so it is known to within a block.
      ZSTD_inBuffer from = {.src = data.data(),
                            .size = std::min(data.size(), next_size_),
                            .pos = 0};
      const std::size_t answer = ZSTD_decompressStream(stream_, &to, &from);
      if (ZSTD_isError(answer) != 0) return Failed(in, answer);
      in.Consume(from.pos);
      between_frames_ = answer == 0;
      next_size_ = std::max(answer, kFrameStart);
      if (data.empty() && to.pos == 0) {
        return At(in, Code::kTruncated, "zstd: the data ends too early");
      }
    }
    return to.pos;
  }

 private:
  static constexpr std::size_t kFrameStart = 5;  // magic and a byte of header

  static Status Failed(const RawInput& in, std::size_t answer) {
    const ZSTD_ErrorCode error = ZSTD_getErrorCode(answer);
    const bool memory = error == ZSTD_error_memory_allocation ||
                        error == ZSTD_error_frameParameter_windowTooLarge;
    return At(in, memory ? Code::kLimit : Code::kMalformed,
              std::string("zstd: ") + ZSTD_getErrorName(answer));
  }

  ZSTD_DStream* stream_;
  std::size_t next_size_;
  bool between_frames_ = true;
};

}  // namespace

RawInput::RawInput(int fd)
    : fd_(fd), buffer_(std::make_unique_for_overwrite<char[]>(kIoBuffer)) {}

Status RawInput::Fill() {
  if (at_end_) return {};
  if (begin_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const ssize_t count = ReadSome(fd_, buffer_.get() + end_, kIoBuffer - end_);
  if (count < 0) {
    return {Code::kInput, ErrnoText(errno), Where::Byte(offset_ + end_)};
  }
  at_end_ = count == 0;
  end_ += static_cast<std::size_t>(count);
  return {};
}

Status RawInput::FillTo(std::size_t size) {
  while (available().size() < size && !at_end_) {
    HEAPGLOT_RETURN_IF_ERROR(Fill());
  }
  return {};
}

Compression DetectCompression(std::string_view head) {
  if (head.starts_with("\x1f\x8b\x08")) return Compression::kGzip;
  if (head.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  // A skippable frame: user data before zstd data (pzstd, seekable zstd).
  if (head.size() >= kCompressionMagic && (head[0] & 0xF0) == 0x50 &&
      head.substr(1).starts_with("\x2a\x4d\x18")) {
    return Compression::kZstd;
  }
  return Compression::kNone;
}

std::unique_ptr<Decoder> MakeDecoder(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return std::make_unique<GzipDecoder>();
    case Compression::kZstd:
      return std::make_unique<ZstdDecoder>();
    case Compression::kNone:
      break;
  }
  return std::make_unique<CopyDecoder>();
}

}  // namespace heapglot
