// An output that should be the same as an input.
#ifndef HEAPGLOT_CORE_ROUNDTRIP_COMPARE_SPOOL_H_
#define HEAPGLOT_CORE_ROUNDTRIP_COMPARE_SPOOL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/bytes/spool.h"
#include "core/bytes/trail.h"
#include "heapglot/bytes.h"

namespace heapglot {

// Compares what is written to it with `expected`. As long as both are the same,
// nothing is kept; from the first difference on, everything is, as in a
// SpoolSink.
class CompareSpool : public ByteSink {
 public:
  // `expected` must outlive this.
  explicit CompareSpool(const ByteSource& expected)
      : expected_(expected), trail_(expected) {}

  Status Write(std::string_view bytes) override;
  Status Close() override;
  std::uint64_t position() const override { return position_; }

  // After Close(): the offset of the first byte that differs, which may be the
  // end of either; nullopt if the bytes are the same.
  std::optional<std::uint64_t> difference() const { return difference_; }
  // After Close(), if there is a difference: what was written. Call once.
  Result<std::unique_ptr<ByteSource>> TakeSource(std::string name) {
    return spool_.TakeSource(std::move(name));
  }

 private:
  // Notes that the output differs at `offset`. Keeps what came before.
  Status Differ(std::uint64_t offset);

  const ByteSource& expected_;
  Trail trail_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> difference_;
  SpoolSink spool_;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_ROUNDTRIP_COMPARE_SPOOL_H_
