#include "core/bytes/decompress.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace heapglot {
namespace {

Status ErrorAt(const RawInput& in, Code code, std::string message) {
  return {code, std::move(message), Where::Byte(in.offset())};
}

Status GzipEndsTooEarly(const RawInput& in) {
  return ErrorAt(in, Code::kTruncated, "gzip: the data ends too early");
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

// The header of a gzip member, RFC 1952. The function of ISA-L for it forgets
// the flags if its input ends within the header.
class GzipHeader {
 public:
  // Consumes it.
  Status Read(RawInput& in) {
    crc_ = 0;
    HEAPGLOT_RETURN_IF_ERROR(in.FillTo(kFixedPart));
    const std::string_view fixed = in.available().substr(0, kFixedPart);
    if (fixed.size() > kMethod && fixed[kMethod] != kDeflate)
      return ErrorAt(in, Code::kMalformed, "gzip: unknown compression method");
    const unsigned flags =
        fixed.size() > kFlags ? static_cast<unsigned char>(fixed[kFlags]) : 0;
    if ((flags & kReserved) != 0)
      return ErrorAt(in, Code::kMalformed, "gzip: unknown header flags");
    HEAPGLOT_RETURN_IF_ERROR(Skip(in, kFixedPart));
    if ((flags & kExtra) != 0) HEAPGLOT_RETURN_IF_ERROR(SkipExtra(in));
    if ((flags & kName) != 0) HEAPGLOT_RETURN_IF_ERROR(SkipText(in));
    if ((flags & kComment) != 0) HEAPGLOT_RETURN_IF_ERROR(SkipText(in));
    return (flags & kCrc) != 0 ? CheckCrc(in) : Status();
  }

 private:
  static constexpr std::size_t kFixedPart = 10;
  static constexpr std::size_t kMethod = 2;
  static constexpr std::size_t kFlags = 3;
  static constexpr char kDeflate = 8;
  enum Flag : unsigned {
    kCrc = 2,
    kExtra = 4,
    kName = 8,
    kComment = 16,
    kReserved = 0xE0
  };

  // Consumes `size` bytes, size <= kIoBuffer.
  Status Skip(RawInput& in, std::size_t size) {
    HEAPGLOT_RETURN_IF_ERROR(in.FillTo(size));
    const std::string_view data = in.available().substr(0, size);
    crc_ =
        crc32_z(crc_, reinterpret_cast<const Bytef*>(data.data()), data.size());
    in.Consume(data.size());
    return data.size() == size ? Status() : GzipEndsTooEarly(in);
  }

  // Reads a number of 16 bits without consuming it.
  static Result<unsigned> Peek16(RawInput& in) {
    HEAPGLOT_RETURN_IF_ERROR(in.FillTo(2));
    const std::string_view data = in.available();
    if (data.size() < 2) {
      in.Consume(data.size());
      return GzipEndsTooEarly(in);
    }
    return static_cast<unsigned char>(data[0]) |
           static_cast<unsigned>(static_cast<unsigned char>(data[1])) << 8;
  }

  Status SkipExtra(RawInput& in) {
    const Result<unsigned> size = Peek16(in);
    return size.ok() ? Skip(in, 2 + *size) : size.status();
  }

  // Skips a text, which ends in 0.
  Status SkipText(RawInput& in) {
    while (true) {
      HEAPGLOT_RETURN_IF_ERROR(in.FillTo(1));
      const std::string_view data = in.available();
      if (data.empty()) return GzipEndsTooEarly(in);
      const std::size_t end = data.find('\0');
      if (end != std::string_view::npos) return Skip(in, end + 1);
      HEAPGLOT_RETURN_IF_ERROR(Skip(in, data.size()));
    }
  }

  Status CheckCrc(RawInput& in) const {
    const Result<unsigned> crc = Peek16(in);
    if (!crc.ok()) return crc.status();
    if (*crc != (crc_ & 0xFFFF))
      return ErrorAt(in, Code::kMalformed,
                     "gzip: wrong checksum of the header");
    in.Consume(2);
    return {};
  }

  uLong crc_ = 0;
};

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(std::unique_ptr<Inflater> inflater)
      : inflater_(std::move(inflater)) {}

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
  // May produce nothing without being at the end.
  Result<std::size_t> Inflate(RawInput& in, char* out, std::size_t size) {
    HEAPGLOT_RETURN_IF_ERROR(in.FillTo(1));
    const std::string_view data = in.available();
    const Inflater::Step step = inflater_->Inflate(data, out, size);
    in.Consume(step.consumed);
    if (step.error != nullptr)
      return ErrorAt(in, Code::kMalformed, std::string("gzip: ") + step.error);
    between_members_ = step.finished;
    if (data.empty() && step.produced == 0 && !between_members_)
      return GzipEndsTooEarly(in);
    return step.produced;
  }

  // Handles what comes after a member, or at the start.
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
      HEAPGLOT_RETURN_IF_ERROR(GzipHeader().Read(in));
      inflater_->Reset();
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
    return ErrorAt(
        in, Code::kMalformed,
        "gzip: something that is no gzip follows the compressed data");
  }

  const std::unique_ptr<Inflater> inflater_;
  bool between_members_ = true;
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
      // is, so its place is known only to within a block.
      ZSTD_inBuffer from = {.src = data.data(),
                            .size = std::min(data.size(), next_size_),
                            .pos = 0};
      const std::size_t answer = ZSTD_decompressStream(stream_, &to, &from);
      if (ZSTD_isError(answer) != 0) return Failed(in, answer);
      in.Consume(from.pos);
      between_frames_ = answer == 0;
      next_size_ = std::max(answer, kFrameStart);
      if (data.empty() && to.pos == 0) {
        return ErrorAt(in, Code::kTruncated, "zstd: the data ends too early");
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
    return ErrorAt(in, memory ? Code::kLimit : Code::kMalformed,
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
  constexpr std::string_view kGzip = "\x1f\x8b\x08";
  constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
  // An input that ends within its magic number is left to the decoder, which
  // says so.
  const auto begins = [head](std::string_view magic) {
    return !head.empty() &&
           head.substr(0, magic.size()) == magic.substr(0, head.size());
  };
  if (begins(kGzip)) return Compression::kGzip;
  if (begins(kZstd)) return Compression::kZstd;
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
      return MakeGzipDecoder(MakeInflater());
    case Compression::kZstd:
      return std::make_unique<ZstdDecoder>();
    case Compression::kNone:
      break;
  }
  return std::make_unique<CopyDecoder>();
}

std::unique_ptr<Decoder> MakeGzipDecoder(std::unique_ptr<Inflater> inflater) {
  return std::make_unique<GzipDecoder>(std::move(inflater));
}

}  // namespace heapglot
