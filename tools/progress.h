// Shows how far the work is.
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

// A line on stderr that overwrites itself: phase and pass, percent, rate, time
// left; for a pipe, phase and size. Erased at the end. Appears only after a
// moment, unless it is wanted "always".
//
// If messages are JSON, and it is wanted "always", prints an object per line,
// now and then: level "progress", phase, pass, done, and total if known.
class Progress {
 public:
  // `when`: auto (only on a terminal, and not if messages are JSON or turned
  // off), always, never.
  Progress(std::string_view when, const Console& console);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool active() const { return active_; }
  // A phase with this total counts bytes; others count units without a name.
  void set_source_size(std::uint64_t bytes) { source_size_ = bytes; }

  // Shows what the work on `context` reports, as long as this exists; `context`
  // must outlive it. `source_size`, if given, is the size of the source
  // meanwhile.
  void Watch(Context* context, std::optional<std::uint64_t> source_size = {});
  // The same for work without a Context; this must outlive its use. Empty if
  // not active().
  std::function<void(std::string_view phase, std::uint64_t done,
                     std::uint64_t total)>
  Hook();

  // `done` of `total`; if `total` is 0, it is unknown, and `done` is in bytes.
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
  unsigned pass_ = 1;  // number of the pass in this phase
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  Clock::time_point phase_start_;
  Clock::time_point next_;  // not drawn before this
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_PROGRESS_H_
