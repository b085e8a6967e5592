#ifdef HEAPGLOT_HAS_ISAL

#include <isa-l/igzip_lib.h>

#include <cstdint>

#include "core/bytes/deflate.h"

namespace heapglot {
namespace {

class IsalInflater final : public Inflater {
 public:
  void Reset() override {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP_NO_HDR_VER;
  }

  Step Inflate(std::string_view in, char* out, std::size_t size) override {
    state_.next_in =
        reinterpret_cast<std::uint8_t*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<std::uint32_t>(in.size());
    state_.next_out = reinterpret_cast<std::uint8_t*>(out);
    state_.avail_out = static_cast<std::uint32_t>(size);
    const int answer = isal_inflate(&state_);
    // If a distance is too far back, `avail_in` is wrong.
    return {.consumed = static_cast<std::size_t>(
                reinterpret_cast<const char*>(state_.next_in) - in.data()),
            .produced = size - state_.avail_out,
            .finished = state_.block_state == ISAL_BLOCK_FINISH,
            .error = ErrorOf(answer)};
  }

 private:
  static const char* ErrorOf(int answer) {
    switch (answer) {
      case ISAL_DECOMP_OK:
        return nullptr;
      case ISAL_INVALID_BLOCK:
        return "invalid block";
      case ISAL_INVALID_SYMBOL:
        return "invalid code";
      case ISAL_INVALID_LOOKBACK:
        return "a distance is too far back";
      case ISAL_INCORRECT_CHECKSUM:
        return "wrong checksum or length";
      default:
        return "damaged data";
    }
  }

  // All of it is initialized, so that a damaged file cannot refer to stale
  // data.
  inflate_state state_ = {};
};

class IsalDeflater final : public Deflater {
 public:
  IsalDeflater() : tables_(std::make_unique<std::uint8_t[]>(kTablesSize)) {
    isal_deflate_init(&stream_);  // no time, no name
    stream_.level = kLevel;
    stream_.level_buf = tables_.get();
    stream_.level_buf_size = kTablesSize;
    stream_.gzip_flag = IGZIP_GZIP;
  }

  std::size_t Deflate(std::string_view* in, bool last, char* out,
                      std::size_t size) override {
    stream_.next_in =
        reinterpret_cast<std::uint8_t*>(const_cast<char*>(in->data()));
    stream_.avail_in = static_cast<std::uint32_t>(in->size());
    stream_.end_of_stream = last ? 1 : 0;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = static_cast<std::uint32_t>(size);
    // Its only errors are wrong levels and flags.
    isal_deflate(&stream_);
    in->remove_prefix(in->size() - stream_.avail_in);
    return size - stream_.avail_out;
  }

 private:
  // As fast as level 1. What level 3 writes depends on the processor.
  static constexpr std::uint32_t kLevel = 2;
  static constexpr std::uint32_t kTablesSize = ISAL_DEF_LVL2_DEFAULT;

  std::unique_ptr<std::uint8_t[]> tables_;
  isal_zstream stream_ = {};
};

}  // namespace

std::unique_ptr<Inflater> MakeIsalInflater() {
  return std::make_unique<IsalInflater>();
}

std::unique_ptr<Deflater> MakeIsalDeflater() {
  return std::make_unique<IsalDeflater>();
}

}  // namespace heapglot

#endif  // HEAPGLOT_HAS_ISAL
