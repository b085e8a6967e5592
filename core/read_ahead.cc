#include "core/read_ahead.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "core/no_exceptions.h"
#include "core/small_thread.h"

namespace heapglot {
namespace {

// Chunks of a small dump, for which no thread is worth it.
constexpr int kFewChunks = 4;

// Hands chunks on to a thread. Who has to wait does so until there are several
// to be filled, or taken: starting a thread again takes nearly as long as a chunk.
class QueueSink : public ChunkSink {
 public:
  QueueSink(ChunkSink& out, std::size_t slots)
      : out_(out), some_(slots / 2 + 1), slots_(slots) {}
  ~QueueSink() override { (void)End(); }
  QueueSink(const QueueSink&) = delete;
  QueueSink& operator=(const QueueSink&) = delete;

  Status Accept(const pb::Chunk& chunk) override {
    if (!UsesThread()) return out_.Accept(chunk);
    pb::Chunk* const slot = WaitForSlot();
    if (slot == nullptr) return End();
    slot->CopyFrom(chunk);
    HandOver();
    return {};
  }

  Status AcceptOwned(pb::Chunk& chunk) override {
    if (!UsesThread()) return out_.Accept(chunk);
    pb::Chunk* const slot = WaitForSlot();
    if (slot == nullptr) return End();
    slot->Swap(&chunk);
    HandOver();
    return {};
  }

  // Nothing more will come. What `out` has failed with, if it has.
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
  // Not for the first few chunks.
  bool UsesThread() {
    return thread_.is_running() || (++accepted_ > kFewChunks && Start());
  }

  // False if there can be no thread: then it goes without.
  bool Start() {
    if (thread_.Start([this] { Run(); })) return true;
    accepted_ = 0;  // there may be more room later
    return false;
  }

  // The slot that was waited for has a chunk now.
  void HandOver() {
    bool wakes = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++filled_;
      wakes = taker_waits_ && filled_ - taken_ >= some_;
    }
    // Not before: it would have to wait for the lock.
    if (wakes) filled_some_.notify_one();
  }

  // nullptr if `out` has failed.
  pb::Chunk* WaitForSlot() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (filled_ - taken_ == slots_.size() && !has_failed_) {
      filler_waits_ = true;
      taken_some_.wait(lock, [this] {
        return slots_.size() - (filled_ - taken_) >= some_ || has_failed_;
      });
      filler_waits_ = false;
    }
    return has_failed_ ? nullptr : &slots_[filled_ % slots_.size()];
  }

  // nullptr if there will be none.
  const pb::Chunk* WaitForChunk() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (taken_ == filled_ && !is_ended_) {
      taker_waits_ = true;
      filled_some_.wait(
          lock, [this] { return filled_ - taken_ >= some_ || is_ended_; });
      taker_waits_ = false;
    }
    return taken_ < filled_ ? &slots_[taken_ % slots_.size()] : nullptr;
  }

  void Run() {
    while (const pb::Chunk* const chunk = WaitForChunk()) {
      Status status = WithoutExceptions([&] { return out_.Accept(*chunk); });
      const bool has_failed = !status.ok();
      bool wakes = false;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++taken_;
        has_failed_ = has_failed;
        if (has_failed) status_ = std::move(status);
        wakes = filler_waits_ &&
                (slots_.size() - (filled_ - taken_) >= some_ || has_failed);
      }
      if (wakes) taken_some_.notify_one();
      if (has_failed) return;
    }
  }

  ChunkSink& out_;
  int accepted_ = 0;
  SmallThread thread_;

  // As many as are worth waking who waits for them.
  const std::size_t some_;

  std::mutex mutex_;
  std::condition_variable filled_some_, taken_some_;
  bool taker_waits_ = false;
  bool filler_waits_ = false;
  // Chunk number i is in slot i % their number.
  std::vector<pb::Chunk> slots_;
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;  // `out` is through with them
  bool is_ended_ = false;
  bool has_failed_ = false;
  Status status_;
};

}  // namespace

Status ReadAhead(Reader& reader, ChunkSet wanted, ChunkSink& out,
                 unsigned threads, std::size_t chunks) {
  if (threads <= 1) return reader.Read(wanted, out);
  QueueSink queue(out, chunks);
  const Status read = reader.Read(wanted, queue);
  // What `out` could not take came before anything that could not be read.
  const Status taken = queue.End();
  return taken.ok() ? read : taken;
}

}  // namespace heapglot
