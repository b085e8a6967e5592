#include "core/bytes/background_sink.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "core/bytes/fd.h"
#include "core/no_exceptions.h"
#include "core/small_thread.h"

namespace heapglot {
namespace {

// A thread that writes one block at a time.
class BlockWriter {
 public:
  explicit BlockWriter(ByteSink& sink) : sink_(sink) {}
  ~BlockWriter() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  // False if no thread can be started.
  bool Start() {
    return thread_.Start([this] { Run(); });
  }

  // Waits until all is written. Returns the first error.
  Status Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !block_; });
    return status_;
  }

  // `block` must stay valid until the next Wait(), which must come before the
  // next Write().
  void Write(std::string_view block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    block_ = block;
    changed_.notify_all();
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return block_ || is_over_; });
      if (!block_) return;
      const std::string_view block = *block_;
      lock.unlock();
      Status status = WithoutExceptions([&] { return sink_.Write(block); });
      lock.lock();
      status_ = std::move(status);
      block_.reset();
      changed_.notify_all();
    }
  }

  ByteSink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string_view> block_;  // to be written
  Status status_;
  bool is_over_ = false;
  SmallThread thread_;  // ends before what it uses
};

class BackgroundSink final : public ByteSink {
 public:
  BackgroundSink(std::unique_ptr<ByteSink> inner, unsigned threads)
      : inner_(std::move(inner)),
        is_started_(threads <= 1),
        filling_(std::make_unique_for_overwrite<char[]>(kIoBuffer)) {}

  Status Write(std::string_view bytes) override {
    if (!status_.ok()) return status_;
    if (is_prepared_) return {Code::kInternal, "write to a closed sink"};
    position_ += bytes.size();
    while (!bytes.empty()) {
      if (size_ == kIoBuffer) {
        status_ = HandOver();
        if (!status_.ok()) return status_;
      }
      const std::size_t size = std::min(bytes.size(), kIoBuffer - size_);
      std::memcpy(filling_.get() + size_, bytes.data(), size);
      size_ += size;
      bytes.remove_prefix(size);
    }
    return {};
  }

  Status Prepare() override {
    if (is_prepared_ || !status_.ok()) return status_;
    status_ = Finish();
    is_prepared_ = status_.ok();
    return status_;
  }

  Status Close() override {
    if (closed_ || !status_.ok()) return status_;
    HEAPGLOT_RETURN_IF_ERROR(Prepare());
    status_ = inner_->Close();
    closed_ = status_.ok();
    return status_;
  }

  std::uint64_t position() const override { return position_; }
  bool is_all_or_nothing() const override {
    return inner_->is_all_or_nothing();
  }

 private:
  // Passes on what was filled.
  Status HandOver() {
    if (!is_started_) Start();
    const std::string_view block(filling_.get(), size_);
    if (!writer_) {
      size_ = 0;
      return inner_->Write(block);
    }
    HEAPGLOT_RETURN_IF_ERROR(writer_->Wait());
    writer_->Write(block);
    std::swap(filling_, writing_);
    size_ = 0;
    return {};
  }

  void Start() {
    is_started_ = true;
    writing_.reset(new (std::nothrow) char[kIoBuffer]);
    if (writing_ == nullptr) return;
    writer_.emplace(*inner_);
    if (!writer_->Start()) writer_.reset();
  }

  Status Finish() {
    if (writer_) HEAPGLOT_RETURN_IF_ERROR(writer_->Wait());
    writer_.reset();
    if (size_ != 0)
      HEAPGLOT_RETURN_IF_ERROR(inner_->Write({filling_.get(), size_}));
    size_ = 0;
    return inner_->Prepare();
  }

  std::unique_ptr<ByteSink> inner_;
  bool is_started_;  // or must not be
  std::unique_ptr<char[]> filling_;
  std::size_t size_ = 0;  // of what is in filling_
  std::unique_ptr<char[]> writing_;
  std::uint64_t position_ = 0;
  Status status_;
  bool is_prepared_ = false;  // nothing more is written
  bool closed_ = false;
  std::optional<BlockWriter> writer_;  // ends before what it uses
};

}  // namespace

std::unique_ptr<ByteSink> WriteInBackground(std::unique_ptr<ByteSink> inner,
                                            unsigned threads) {
  return std::make_unique<BackgroundSink>(std::move(inner), threads);
}

}  // namespace heapglot
