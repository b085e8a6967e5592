#include "core/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "core/no_exceptions.h"
#include "core/small_thread.h"

namespace heapglot {
namespace {

// Dumps of no more chunks than this are not worth a thread.
constexpr int kFewChunks = 4;

// How many chunks may wait if they are small.
constexpr std::size_t kSmallChunks = 16;

// Passes chunks to a thread. Whichever side has to wait does so until there are
// several slots to fill, or to take: waking a thread takes nearly as long as a
// chunk.
class QueueSink : public ChunkSink {
 public:
  QueueSink(ChunkSink& out, const Ahead& ahead)
      : out_(out),
        ahead_(ahead),
        some_(ahead.chunks / 2 + 1),
        slots_(std::max(ahead.chunks, kSmallChunks)) {
    for (pb::Chunk& slot : slots_) free_.push_back(&slot);
  }
  ~QueueSink() override { (void)End(); }
  QueueSink(const QueueSink&) = delete;
  QueueSink& operator=(const QueueSink&) = delete;

  Status Accept(const pb::Chunk& chunk) override {
    if (is_ended_) return status_;
    if (!UsesThread()) return out_.Accept(chunk);
    pb::Chunk* const slot = WaitForSlot(chunk.SpaceUsedLong());
    if (slot == nullptr) return End();
    slot->CopyFrom(chunk);
    HandOver(slot);
    return {};
  }

  Status AcceptOwned(pb::Chunk& chunk) override {
    if (is_ended_) return status_;
    if (!UsesThread()) return out_.Accept(chunk);
    pb::Chunk* const slot = WaitForSlot(chunk.SpaceUsedLong());
    if (slot == nullptr) return End();
    slot->Swap(&chunk);
    HandOver(slot);
    return {};
  }

  // Ends the queue; it takes no more chunks. Returns the error of `out`, if
  // any.
  Status End() {
    if (!thread_.is_running()) return status_;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ended_ = true;
    }
    filled_some_.notify_one();
    thread_.Join();
    return status_;
  }

 private:
  // False for the first few chunks.
  bool UsesThread() {
    return thread_.is_running() || (++accepted_ > kFewChunks && Start());
  }

  // False if no thread can be started; then it goes without one.
  bool Start() {
    if (thread_.Start([this] { Run(); })) return true;
    accepted_ = 0;  // later, there may be room for it
    return false;
  }

  // `slot`, which came from WaitForSlot(), has a chunk now.
  void HandOver(pb::Chunk* slot) {
    bool wakes = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      filled_.push_back({slot, slot_bytes_});
      bytes_ += slot_bytes_;
      wakes = taker_waits_ && filled_.size() >= some_;
    }
    // Not under the lock: the other thread would have to wait for it.
    if (wakes) filled_some_.notify_one();
  }

  // A slot for a chunk of `bytes` bytes; nullptr if `out` has failed.
  pb::Chunk* WaitForSlot(std::size_t bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (IsFull(bytes) && !has_failed_) {
      if (HasSpareWork()) {
        lock.unlock();
        ahead_.spare_work->DoSome();
        lock.lock();
        continue;
      }
      filler_waits_ = true;
      taken_some_.wait(lock, [this, bytes] {
        return (HasRoom() && !IsFull(bytes)) || has_failed_;
      });
      filler_waits_ = false;
    }
    if (has_failed_) return nullptr;
    slot_bytes_ = bytes;
    // The one used last, so that the others stay as small as they are.
    pb::Chunk* const slot = free_.back();
    free_.pop_back();
    return slot;
  }

  bool IsFull(std::size_t bytes) const {
    return free_.empty() ||
           (filled_.size() >= ahead_.chunks && bytes_ + bytes > ahead_.bytes);
  }
  // Whether there is room for several chunks: of any size, or small ones.
  bool HasRoom() const {
    return filled_.size() + some_ <= ahead_.chunks ||
           (filled_.size() <= kSmallChunks / 2 && bytes_ <= ahead_.bytes / 2);
  }

  // The next chunk; nullptr if there will be none.
  const pb::Chunk* WaitForChunk() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (filled_.empty() && !is_ended_) {
      taker_waits_ = true;
      filled_some_.wait(
          lock, [this] { return filled_.size() >= some_ || is_ended_; });
      taker_waits_ = false;
    }
    return filled_.empty() ? nullptr : filled_.front().slot;
  }

  void Run() {
    while (const pb::Chunk* const chunk = WaitForChunk()) {
      Status status = WithoutExceptions([&] { return out_.Accept(*chunk); });
      const bool has_failed = !status.ok();
      bool wakes = false;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        bytes_ -= filled_.front().bytes;
        free_.push_back(filled_.front().slot);
        filled_.pop_front();
        has_failed_ = has_failed;
        if (has_failed) status_ = std::move(status);
        wakes = filler_waits_ && (HasRoom() || has_failed);
      }
      if (wakes) taken_some_.notify_one();
      if (has_failed) return;
    }
  }

  bool HasSpareWork() const {
    return ahead_.spare_work != nullptr && ahead_.spare_work->HasSome();
  }

  struct Filled {
    pb::Chunk* slot;
    std::size_t bytes;
  };

  ChunkSink& out_;
  int accepted_ = 0;
  SmallThread thread_;
  const Ahead ahead_;
  // How many chunks are worth waking the thread that waits for them.
  const std::size_t some_;
  std::vector<pb::Chunk> slots_;
  std::size_t slot_bytes_ = 0;  // of the slot being filled

  std::mutex mutex_;
  std::condition_variable filled_some_, taken_some_;
  bool taker_waits_ = false;
  bool filler_waits_ = false;
  std::vector<pb::Chunk*> free_;
  std::deque<Filled> filled_;  // `out` is taking the first one, or will
  std::size_t bytes_ = 0;      // of filled_
  bool is_ended_ = false;
  bool has_failed_ = false;
  Status status_;
};

}  // namespace

Status ReadAhead(Reader& reader, ChunkSet wanted, ChunkSink& out,
                 unsigned threads, const Ahead& ahead) {
  if (threads <= 1) return reader.Read(wanted, out);
  QueueSink queue(out, ahead);
  const Status read = reader.Read(wanted, queue);
  // What `out` refused came before anything that could not be read.
  const Status taken = queue.End();
  return taken.ok() ? read : taken;
}

}  // namespace heapglot
