#include <zlib.h>

#include <new>

#include "core/bytes/deflate.h"

namespace heapglot {
namespace {

// 2^15 bytes of window; a gzip header and trailer.
constexpr int kGzipWindow = 15 + 16;

Bytef* BytesOf(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

class ZlibInflater final : public Inflater {
 public:
  ZlibInflater() {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ZlibInflater(const ZlibInflater&) = delete;
  ZlibInflater& operator=(const ZlibInflater&) = delete;
  ~ZlibInflater() override { inflateEnd(&stream_); }

  void Reset() override {
    inflateReset(&stream_);
    // The caller has read the header. zlib gets another one, since it checks
    // the trailer only then.
    constexpr std::string_view kHeader("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    Inflate(kHeader, nullptr, 0);
  }

  Step Inflate(std::string_view in, char* out, std::size_t size) override {
    stream_.next_in = BytesOf(in);
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out != nullptr ? out : &none_);
    stream_.avail_out = static_cast<uInt>(size);
    const int answer = inflate(&stream_, Z_NO_FLUSH);
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    return {.consumed = in.size() - stream_.avail_in,
            .produced = size - stream_.avail_out,
            .finished = answer == Z_STREAM_END,
            .error = ErrorOf(answer)};
  }

 private:
  const char* ErrorOf(int answer) const {
    // Z_BUF_ERROR: there is nothing to do without more input.
    if (answer == Z_OK || answer == Z_STREAM_END || answer == Z_BUF_ERROR)
      return nullptr;
    const std::string_view said = stream_.msg != nullptr ? stream_.msg : "";
    if (said.find("too far back") != std::string_view::npos)
      return "a distance is too far back";
    if (said.starts_with("incorrect ")) return "wrong checksum or length";
    if (said == "invalid literal/length code" ||
        said == "invalid distance code")
      return "invalid code";
    return "invalid block";
  }

  z_stream stream_ = {};
  char none_ = 0;
};

class ZlibDeflater final : public Deflater {
 public:
  ZlibDeflater() {
    constexpr int kMemory = 8;  // zlib's default
    if (deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ZlibDeflater(const ZlibDeflater&) = delete;
  ZlibDeflater& operator=(const ZlibDeflater&) = delete;
  ~ZlibDeflater() override { deflateEnd(&stream_); }

  std::size_t Deflate(std::string_view* in, bool last, char* out,
                      std::size_t size) override {
    stream_.next_in = BytesOf(*in);
    stream_.avail_in = static_cast<uInt>(in->size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    // Its only error is a call that has nothing to do.
    deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
    in->remove_prefix(in->size() - stream_.avail_in);
    return size - stream_.avail_out;
  }

 private:
  z_stream stream_ = {};
};

}  // namespace

std::unique_ptr<Inflater> MakeZlibInflater() {
  return std::make_unique<ZlibInflater>();
}

std::unique_ptr<Deflater> MakeZlibDeflater() {
  return std::make_unique<ZlibDeflater>();
}

}  // namespace heapglot
