// Collects small writes into large ones.
#ifndef HEAPGLOT_CORE_BYTES_BUFFERED_OUT_H_
#define HEAPGLOT_CORE_BYTES_BUFFERED_OUT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/text/format_uint.h"
#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot {

// Errors are sticky: after an error of the sink nothing more is written, and
// status() returns it. Callers check that now and then, and at the end.
class BufferedOut {
 public:
  explicit BufferedOut(ByteSink& sink)
      : sink_(sink), buffer_(std::make_unique<char[]>(kSize)) {}

  // Room for `size` bytes (at most kMaxReserve). Fill it from the returned
  // address on, then call Commit() with the end of what was written.
  char* Reserve(std::size_t size) {
    if (kSize - used_ < size) [[unlikely]]
      Flush();
    return buffer_.get() + used_;
  }
  void Commit(const char* end) {
    used_ = static_cast<std::size_t>(end - buffer_.get());
  }
  static constexpr std::size_t kMaxReserve = 4096;

  void Write(std::string_view bytes) {
    if (bytes.size() > kSize - used_) {
      Flush();
      if (bytes.size() > kSize) {
        if (status_.ok()) status_ = sink_.Write(bytes);
        return;
      }
    }
    std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void Write(char byte) {
    *Reserve(1) = byte;
    ++used_;
  }
  void WriteUint(std::uint64_t value) {
    Commit(FormatUint(value, Reserve(kMaxUintDigits + 4)));
  }

  void Flush() {
    if (status_.ok()) status_ = sink_.Write({buffer_.get(), used_});
    used_ = 0;
  }
  const Status& status() const { return status_; }

 private:
  static constexpr std::size_t kSize = std::size_t{64} << 10;

  ByteSink& sink_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  Status status_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_BYTES_BUFFERED_OUT_H_
