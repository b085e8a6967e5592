#include "core/bytes/shareable_sink.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/bytes/fd.h"
#include "core/no_exceptions.h"

namespace heapglot {
namespace {

constexpr std::size_t kBlocks = 4;

class ShareableSink final : public ByteSink, private SpareWork {
 public:
  explicit ShareableSink(std::unique_ptr<ByteSink> inner)
      : inner_(std::move(inner)) {}

  SpareWork* Share() override {
    is_shared_ = true;
    return this;
  }

  Status Write(std::string_view bytes) override {
    if (is_prepared_) return inner_->Write(bytes);  // which refuses
    if (!failed_.ok()) return failed_;
    position_ += bytes.size();
    if (!is_shared_) return inner_->Write(bytes);
    while (!bytes.empty()) {
      std::unique_ptr<char[]>& block = blocks_[filled_ % kBlocks];
      if (block == nullptr)
        block = std::make_unique_for_overwrite<char[]>(kIoBuffer);
      const std::size_t size = std::min(bytes.size(), kIoBuffer - used_);
      std::memcpy(block.get() + used_, bytes.data(), size);
      used_ += size;
      bytes.remove_prefix(size);
      if (used_ == kIoBuffer) HEAPGLOT_RETURN_IF_ERROR(HandOver());
    }
    return {};
  }

  Status Copy(const ByteSource& source) override {
    HEAPGLOT_RETURN_IF_ERROR(WriteAll());
    HEAPGLOT_RETURN_IF_ERROR(inner_->Copy(source));
    position_ += source.bytes().size();
    return {};
  }

  Status Prepare() override {
    HEAPGLOT_RETURN_IF_ERROR(WriteAll());
    is_prepared_ = true;
    return inner_->Prepare();
  }

  Status Close() override {
    HEAPGLOT_RETURN_IF_ERROR(Prepare());
    return inner_->Close();
  }

  std::uint64_t position() const override { return position_; }
  bool is_all_or_nothing() const override {
    return inner_->is_all_or_nothing();
  }

 private:
  bool HasSome() const override {
    return has_some_.load(std::memory_order_relaxed);
  }
  void DoSome() override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (CanWrite()) WriteOldest(lock);
  }

  // The block is full: offers it for writing, and makes sure that there is room
  // for another one.
  Status HandOver() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++filled_;
    used_ = 0;
    has_some_.store(CanWrite(), std::memory_order_relaxed);
    return failed_ = WriteDownTo(kBlocks - 1, lock);
  }

  Status WriteAll() {
    std::unique_lock<std::mutex> lock(mutex_);
    failed_ = WriteDownTo(0, lock);
    if (!failed_.ok() || used_ == 0) return failed_;
    const char* const last = blocks_[filled_ % kBlocks].get();
    status_ = inner_->Write({last, std::exchange(used_, 0)});
    return failed_ = status_;
  }

  // Writes until no more than `most` blocks wait.
  Status WriteDownTo(std::size_t most, std::unique_lock<std::mutex>& lock) {
    while (status_.ok() && filled_ - written_ > most) {
      if (is_writing_)
        written_one_.wait(lock, [this] { return !is_writing_; });
      else
        WriteOldest(lock);
    }
    return status_;
  }

  bool CanWrite() const {
    return !is_writing_ && written_ != filled_ && status_.ok();
  }

  // Releases the lock while it writes.
  void WriteOldest(std::unique_lock<std::mutex>& lock) {
    is_writing_ = true;
    has_some_.store(false, std::memory_order_relaxed);
    const std::string_view block(blocks_[written_ % kBlocks].get(), kIoBuffer);
    lock.unlock();
    Status status = WithoutExceptions([&] { return inner_->Write(block); });
    lock.lock();
    is_writing_ = false;
    ++written_;
    status_ = std::move(status);
    has_some_.store(CanWrite(), std::memory_order_relaxed);
    written_one_.notify_one();
  }

  // For the thread that owns this sink.
  const std::unique_ptr<ByteSink> inner_;
  bool is_shared_ = false;
  bool is_prepared_ = false;
  std::uint64_t position_ = 0;
  std::size_t used_ = 0;  // of the block that is being filled

  // A ring: a block belongs to that thread until it is full, then to the one
  // that writes it.
  std::array<std::unique_ptr<char[]>, kBlocks> blocks_;
  std::atomic<bool> has_some_ = false;

  std::mutex mutex_;  // guards what follows
  std::condition_variable written_one_;
  std::uint64_t filled_ = 0;  // blocks so far; changed by that thread only
  std::uint64_t written_ = 0;
  bool is_writing_ = false;
  Status status_;

  Status failed_;  // what the thread that fills blocks knows of status_
};

}  // namespace

std::unique_ptr<ByteSink> MakeShareable(std::unique_ptr<ByteSink> inner) {
  return std::make_unique<ShareableSink>(std::move(inner));
}

}  // namespace heapglot
