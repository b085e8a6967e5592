// Leftovers that are a dump as it was, made while it is still being read.
#ifndef HEAPGLOT_CORE_LEFTOVERS_EARLY_LEFTOVERS_H_
#define HEAPGLOT_CORE_LEFTOVERS_EARLY_LEFTOVERS_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/small_thread.h"
#include "heapglot/bytes.h"
#include "heapglot/format.h"

namespace heapglot {

// A heapir with all of `source` in it (core/image/source_only.h), but with an
// empty header: what the dump is, and what the leftovers go with, is known only
// later. It is made in a thread of its own, into a temporary file.
//
// Memory: 2 MiB and a stack; on disk as much as they take.
class EarlyLeftovers {
 public:
  // A smaller source is not worth a thread.
  static constexpr std::uint64_t kLeastSource = std::uint64_t{256} << 10;

  // `ir` writes heapir. Gives up if the leftovers are larger than `max_size`
  // bytes. `source` and `ir` must outlive this.
  EarlyLeftovers(const ByteSource& source, const WriterInfo& ir,
                 std::uint64_t max_size)
      : source_(source), ir_(ir), max_size_(max_size) {}
  // Does not wait until they are complete.
  ~EarlyLeftovers() { is_over_ = true; }
  EarlyLeftovers(const EarlyLeftovers&) = delete;
  EarlyLeftovers& operator=(const EarlyLeftovers&) = delete;

  // Call once. If no thread can be started, Finish() returns nullptr.
  void Start();

  // Waits until they are complete. nullptr if they could not be made: whatever
  // the reason was (no memory, no space on the disk), the caller can still try
  // to do without what is made here.
  const ByteSource* Finish();

 private:
  class Sink;

  Status Make();

  const ByteSource& source_;
  const WriterInfo& ir_;
  const std::uint64_t max_size_;
  std::atomic<bool> is_over_ = false;
  std::unique_ptr<ByteSource> heapir_;
  SmallThread thread_;  // ends before what it uses
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_LEFTOVERS_EARLY_LEFTOVERS_H_
