// What says how far the work is.
#ifndef HEAPGLOT_TOOLS_PROGRESS_H_
#define HEAPGLOT_TOOLS_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/context.h"
#include "tools/console.h"

namespace heapglot::tool {

// One line on stderr that overwrites itself: phase and pass, percent, rate, time
// left; of a pipe phase and size.
// Erased at the end. Waits a moment before it shows up at all, unless it is
// there "always".
//
// Where messages are JSON, and it is there "always", an object a line, now and
// then: level "progress", phase, pass, done, and total if that is known.
class Progress {
 public:
  // `when`: auto (only on a terminal, where nothing speaks against it: messages in
  // JSON, or none), always, never.
  Progress(std::string_view when, const Console& console);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool active() const { return active_; }
  // A phase whose total is this counts in bytes; others in units of no name.
  void set_source_size(std::uint64_t bytes) { source_size_ = bytes; }

  // Shows what the work on `context` tells, as long as this is there; `context`
  // must outlive it. With a size the bytes of the source are so many meanwhile.
  void Watch(Context* context, std::optional<std::uint64_t> source_size = {});
  // The same for what has no Context; this must outlive its use. Empty if not
  // active().
  std::function<void(std::string_view phase, std::uint64_t done,
                     std::uint64_t total)>
  Hook();

  // `done` of `total`; of 0, which is nobody knows how many, bytes.
  void Update(std::string_view phase, std::uint64_t done, std::uint64_t total);
  void Erase();

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(double phase_seconds);
  std::string Line(double phase_seconds) const;
  std::string JsonLine() const;

  bool active_;
  const bool json_;
  std::vector<Context*> watched_;
  bool shown_ = false;
  std::uint64_t source_size_ = 0;
  std::string phase_;
  unsigned pass_ = 1;  // over the same, in this phase
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  Clock::time_point phase_start_;
  Clock::time_point next_;  // not drawn before
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_PROGRESS_H_
