// Text that is written before its turn.
#ifndef HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WAITING_H_
#define HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WAITING_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/bytes/buffered_out.h"
#include "core/bytes/spill_buffer.h"
#include "heapglot/bytes.h"
#include "heapglot/status.h"

namespace heapglot::heapsnapshot {

// Memory: 1 MiB; more goes to a temporary file.
class WaitingText {
 public:
  // To write into.
  BufferedOut& out() { return out_; }

  // Writes all that was written to `to`. Errors: those of the temporary file;
  // `to` keeps its own.
  Status MoveTo(BufferedOut& to) {
    out_.Flush();
    HEAPGLOT_RETURN_IF_ERROR(out_.status());
    constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
    for (std::uint64_t at = 0; at < buffer_.size();) {
      const std::string_view piece =
          buffer_.View(at, std::min(kPiece, buffer_.size() - at));
      HEAPGLOT_RETURN_IF_ERROR(buffer_.status());
      to.Write(piece);
      at += piece.size();
    }
    return {};
  }

 private:
  class SpillSink : public ByteSink {
   public:
    explicit SpillSink(SpillBuffer& out) : out_(out) {}

    Status Write(std::string_view bytes) override {
      out_.Write(bytes);
      return out_.status();
    }
    Status Close() override { return out_.status(); }
    std::uint64_t position() const override { return out_.size(); }

   private:
    SpillBuffer& out_;
  };

  SpillBuffer buffer_{std::size_t{1} << 20};
  SpillSink sink_{buffer_};
  BufferedOut out_{sink_};
};

}  // namespace heapglot::heapsnapshot

#endif  // HEAPGLOT_WRITERS_HEAPSNAPSHOT_HEAPSNAPSHOT_WAITING_H_
