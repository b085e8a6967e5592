#include "core/bytes/compressed_sink.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "core/bytes/background_sink.h"
#include "core/bytes/fd.h"
#include "core/out_of_memory.h"

namespace heapglot {
namespace {

// What the compressors share: order, errors, and the buffer between them and
// the inner sink.
class CompressedSink : public ByteSink {
 public:
  explicit CompressedSink(std::unique_ptr<ByteSink> inner)
      : inner_(std::move(inner)),
        buffer_(std::make_unique_for_overwrite<char[]>(kIoBuffer)) {}

  Status Write(std::string_view bytes) final {
    if (closed_) return {Code::kInternal, "write to a closed sink"};
    if (!status_.ok()) return status_;
    position_ += bytes.size();
    return status_ = Feed(bytes, /*last=*/false);
  }

  Status Prepare() final {
    if (is_whole_ || !status_.ok()) return status_;
    status_ = Feed({}, /*last=*/true);
    is_whole_ = status_.ok();
    if (status_.ok()) status_ = inner_->Prepare();
    return status_;
  }

  Status Close() final {
    if (closed_ || !status_.ok()) return status_;
    HEAPGLOT_RETURN_IF_ERROR(Prepare());
    status_ = inner_->Close();
    closed_ = status_.ok();
    return status_;
  }

  std::uint64_t position() const final { return position_; }
  bool is_all_or_nothing() const final { return inner_->is_all_or_nothing(); }

 protected:
  // Compresses `bytes` into buffer() and passes that on with Emit(). `last`
  // completes the compressed data.
  virtual Status Feed(std::string_view bytes, bool last) = 0;

  char* buffer() { return buffer_.get(); }
  Status Emit(std::size_t size) {
    return size == 0 ? Status() : inner_->Write({buffer(), size});
  }

 private:
  std::unique_ptr<ByteSink> inner_;
  std::unique_ptr<char[]> buffer_;
  std::uint64_t position_ = 0;
  Status status_;
  bool is_whole_ = false;
  bool closed_ = false;
};

class GzipSink final : public CompressedSink {
 public:
  GzipSink(std::unique_ptr<ByteSink> inner, std::unique_ptr<Deflater> deflater)
      : CompressedSink(std::move(inner)), deflater_(std::move(deflater)) {}

 private:
  // What ISA-L writes depends on how the bytes are cut into calls, so
  // WriteInBackground() has cut them into blocks of one size.
  Status Feed(std::string_view bytes, bool last) override {
    std::size_t size;
    do {
      size = deflater_->Deflate(&bytes, last, buffer(), kIoBuffer);
      HEAPGLOT_RETURN_IF_ERROR(Emit(size));
    } while (size == kIoBuffer);
    if (bytes.empty()) return {};
    return {Code::kInternal, "gzip: what came was not taken"};
  }

  const std::unique_ptr<Deflater> deflater_;
};

class ZstdSink final : public CompressedSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> inner)
      : CompressedSink(std::move(inner)), context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    // Compared to level 3, it makes dumps of V8, ndjson and logs 5 to 20 %
    // smaller and those of Dart 10 % larger, all in two thirds of the time.
    constexpr int kLevel = 1;
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ZstdSink(const ZstdSink&) = delete;
  ZstdSink& operator=(const ZstdSink&) = delete;
  ~ZstdSink() override { ZSTD_freeCCtx(context_); }

 private:
  Status Feed(std::string_view bytes, bool last) override {
    ZSTD_inBuffer from = {.src = bytes.data(), .size = bytes.size(), .pos = 0};
    std::size_t left;  // in zstd's own buffers, when completing
    do {
      ZSTD_outBuffer to = {.dst = buffer(), .size = kIoBuffer, .pos = 0};
      left = ZSTD_compressStream2(context_, &to, &from,
                                  last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
        return OutOfMemory();
      if (ZSTD_isError(left) != 0) {
        return {Code::kInternal,
                std::string("zstd: ") + ZSTD_getErrorName(left)};
      }
      HEAPGLOT_RETURN_IF_ERROR(Emit(to.pos));
    } while (from.pos != from.size || (last && left != 0));
    return {};
  }

  ZSTD_CCtx* context_;
};

}  // namespace

std::string_view ToString(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return "gzip";
    case Compression::kZstd:
      return "zstd";
    case Compression::kNone:
      break;
  }
  return "none";
}

std::unique_ptr<ByteSink> Compress(std::unique_ptr<ByteSink> inner,
                                   Compression compression, unsigned threads) {
  switch (compression) {
    case Compression::kGzip:
      return PackGzip(std::move(inner), MakeDeflater(), threads);
    case Compression::kZstd:
      return WriteInBackground(std::make_unique<ZstdSink>(std::move(inner)),
                               threads);
    case Compression::kNone:
      break;
  }
  return inner;
}

std::unique_ptr<ByteSink> PackGzip(std::unique_ptr<ByteSink> inner,
                                   std::unique_ptr<Deflater> deflater,
                                   unsigned threads) {
  return WriteInBackground(
      std::make_unique<GzipSink>(std::move(inner), std::move(deflater)),
      threads);
}

}  // namespace heapglot
