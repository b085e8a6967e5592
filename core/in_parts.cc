#include "core/in_parts.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "core/small_thread.h"

namespace heapglot {
namespace {

// Parts of work, which threads take one by one.
class Parts {
 public:
  using Use = std::function<void(std::size_t)>;

  Parts(std::size_t parts, const Use& work)
      : work_(work), is_done_(parts, false) {}

  // Works on parts as long as there are any.
  void Help() {
    while (WorkOnNext()) {
    }
  }

  // Works on parts until `part` is done; other threads may do it. False if
  // something was thrown.
  bool Await(std::size_t part) {
    while (!IsOver(part)) {
      if (WorkOnNext()) continue;
      std::unique_lock<std::mutex> lock(mutex_);
      done_.wait(lock, [&] { return is_done_[part] || thrown_ != nullptr; });
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return thrown_ == nullptr;
  }

  // Nobody takes another part after this.
  void End(std::exception_ptr thrown) {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_ = is_done_.size();
    if (thrown_ == nullptr) thrown_ = std::move(thrown);
  }

  // Call this when no other thread is at work.
  void ThrowAgain() const {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

 private:
  bool IsOver(std::size_t part) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_done_[part] || thrown_ != nullptr;
  }

  // False if there is no part left.
  bool WorkOnNext() {
    std::size_t part = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (next_ == is_done_.size()) return false;
      part = next_++;
    }
    try {
      work_(part);
    } catch (...) {
      End(std::current_exception());
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_done_[part] = true;
    }
    done_.notify_one();  // only one thread waits
    return true;
  }

  const Use& work_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t next_ = 0;
  std::vector<bool> is_done_;
  std::exception_ptr thrown_;  // the first one
};

}  // namespace

void InParts(unsigned threads, std::size_t parts,
             const std::function<void(std::size_t)>& work,
             const std::function<void(std::size_t)>& use) {
  if (threads <= 1 || parts <= 1) {
    for (std::size_t part = 0; part < parts; ++part) {
      work(part);
      if (use) use(part);
    }
    return;
  }
  Parts all(parts, work);
  {
    // The helpers end before `all` does, whatever is thrown.
    std::vector<SmallThread> helpers(std::min<std::size_t>(threads, parts) - 1);
    for (SmallThread& helper : helpers)
      if (!helper.Start([&all] { all.Help(); })) break;
    try {
      for (std::size_t part = 0; part < parts && all.Await(part); ++part)
        if (use) use(part);
    } catch (...) {
      all.End(std::current_exception());
    }
  }
  all.ThrowAgain();
}

}  // namespace heapglot
