// A sink that remembers how it was used.
#ifndef HEAPGLOT_TESTS_CORE_LOG_SINK_H_
#define HEAPGLOT_TESTS_CORE_LOG_SINK_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "heapglot/bytes.h"

namespace heapglot {

// What a sink has seen.
struct Log {
  std::string content;
  std::thread::id writer;
  std::thread::id closer;
  int writes = 0;
  bool closed = false;
};

// Keeps what it gets; `on_write` is asked first.
class LogSink final : public ByteSink {
 public:
  explicit LogSink(Log& log, std::function<Status(int)> on_write = {})
      : log_(log), on_write_(std::move(on_write)) {}
  Status Write(std::string_view bytes) override {
    ++log_.writes;
    log_.writer = std::this_thread::get_id();
    if (on_write_) {
      if (Status status = on_write_(log_.writes); !status.ok()) return status;
    }
    log_.content += bytes;
    return {};
  }
  Status Close() override {
    log_.closed = true;
    log_.closer = std::this_thread::get_id();
    return {};
  }
  std::uint64_t position() const override { return log_.content.size(); }

 private:
  Log& log_;
  std::function<Status(int)> on_write_;
};

inline std::string Content(std::size_t size) {
  std::string content;
  while (content.size() < size) content += std::to_string(content.size()) + ",";
  content.resize(size);
  return content;
}

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_CORE_LOG_SINK_H_
