// Threads for work that needs little stack.
#ifndef HEAPGLOT_CORE_SMALL_THREAD_H_
#define HEAPGLOT_CORE_SMALL_THREAD_H_

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <utility>

namespace heapglot {

// A thread with 512 KiB of stack. Those of std::thread take 8 MiB, which count
// as memory (RLIMIT_DATA).
class SmallThread {
 public:
  SmallThread() = default;
  ~SmallThread() { Join(); }
  SmallThread(const SmallThread&) = delete;
  SmallThread& operator=(const SmallThread&) = delete;

  // Call once. False if no thread can be started. No exception may leave `run`.
  bool Start(std::function<void()> run) {
    constexpr std::size_t kStack = std::size_t{512} << 10;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    run_ = std::move(run);
    const auto call = [](void* self) -> void* {
      static_cast<SmallThread*>(self)->run_();
      return nullptr;
    };
    is_running_ = pthread_attr_setstacksize(&attributes, kStack) == 0 &&
                  pthread_create(&thread_, &attributes, call, this) == 0;
    pthread_attr_destroy(&attributes);
    return is_running_;
  }

  // Whether it was started and not yet joined.
  bool is_running() const { return is_running_; }

  // Waits for its end. Harmless if it is not running.
  void Join() {
    if (std::exchange(is_running_, false)) pthread_join(thread_, nullptr);
  }

 private:
  std::function<void()> run_;
  pthread_t thread_ = {};
  bool is_running_ = false;
};

}  // namespace heapglot

#endif  // HEAPGLOT_CORE_SMALL_THREAD_H_
