#include "tools/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/json.h"
#include "tools/signals.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// Runs shorter than this show nothing.
constexpr std::chrono::milliseconds kPatience{400};
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::chrono::seconds kJsonInterval{1};  // these lines stay

bool Wanted(std::string_view when, const Console& console) {
  if (when != "auto") return when == "always";
  return !console.quiet() && !console.json() && isatty(STDERR_FILENO) != 0;
}

int StderrColumns() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : 80;
}

void WriteToStderr(std::string_view text) {
  // Failing to write a line is no reason to stop.
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

// "8 s", "3:07", "1:02:03".
std::string Duration(double seconds) {
  const auto whole = std::lround(std::min(seconds, 1e7));
  char text[48];
  if (whole < 60) {
    std::snprintf(text, sizeof text, "%u s", static_cast<unsigned>(whole));
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%u:%02u",
                  static_cast<unsigned>(whole / 60),
                  static_cast<unsigned>(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%u:%02u:%02u",
                  static_cast<unsigned>(whole / 3600),
                  static_cast<unsigned>(whole / 60 % 60),
                  static_cast<unsigned>(whole % 60));
  }
  return text;
}

}  // namespace

Progress::Progress(std::string_view when, const Console& console)
    : active_(Wanted(when, console)), json_(console.json()) {
  phase_start_ = Clock::now();
  next_ = phase_start_;
  if (when == "always") {
    Update("starting", 0, 0);
  } else {
    next_ += kPatience;
  }
}

Progress::~Progress() {
  for (Context* const context : watched_) context->progress = nullptr;
  Erase();
}

void Progress::Watch(Context* context,
                     std::optional<std::uint64_t> source_size) {
  if (!active_) return;
  context->progress = [this, source_size](std::string_view phase,
                                          std::uint64_t done,
                                          std::uint64_t total) {
    if (source_size) set_source_size(*source_size);
    Update(phase, done, total);
  };
  watched_.push_back(context);
}

std::function<void(std::string_view, std::uint64_t, std::uint64_t)>
Progress::Hook() {
  if (!active_) return nullptr;
  return [this](std::string_view phase, std::uint64_t done,
                std::uint64_t total) { Update(phase, done, total); };
}

void Progress::Update(std::string_view phase, std::uint64_t done,
                      std::uint64_t total) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  // A phase that starts again is the next pass over the input.
  if (phase != phase_ || done < done_) {
    pass_ = phase == phase_ ? pass_ + 1 : 1;
    phase_ = phase;
    phase_start_ = now;
  }
  done_ = done;
  total_ = total;
  if (now < next_) return;
  next_ = now + (json_ ? Clock::duration(kJsonInterval) : kInterval);
  if (json_) return WriteToStderr(JsonLine());
  const std::chrono::duration<double> elapsed = now - phase_start_;
  Draw(elapsed.count());
}

void Progress::Draw(double phase_seconds) {
  std::string line = Line(phase_seconds);
  // A line that wraps could not be overwritten.
  const auto room = static_cast<std::size_t>(std::max(StderrColumns() - 1, 1));
  if (line.size() > room) line.resize(room);
  WriteToStderr("\r" + line + "\033[K");
  shown_ = true;
  SetProgressShown(true);
}

std::string Progress::Line(double phase_seconds) const {
  std::string line = "heapglot: " + phase_;
  if (pass_ > 1) line += ", pass " + std::to_string(pass_);
  if (total_ == 0) return done_ == 0 ? line : line + ", " + HumanBytes(done_);
  const std::uint64_t done = std::min(done_, total_);
  const double part = static_cast<double>(done) / static_cast<double>(total_);
  line += PadLeft(std::to_string(static_cast<int>(part * 100)), 4) + " %";
  if (phase_seconds < 0.2 || done == 0) return line;
  const double rate = static_cast<double>(done) / phase_seconds;
  const auto whole_rate = static_cast<std::uint64_t>(rate);
  line += total_ == source_size_ ? ", " + HumanBytes(whole_rate) + "/s"
                                 : ", " + Thousands(whole_rate) + "/s";
  const double left = static_cast<double>(total_ - done) / rate;
  return line + ", " + Duration(left) + " left";
}

std::string Progress::JsonLine() const {
  Json json(Json::Layout::kOneLine);
  json.BeginObject();
  json.Add("level", "progress");
  json.Add("phase", phase_);
  json.Add("pass", std::uint64_t{pass_});
  json.Add("done", done_);
  if (total_ != 0) json.Add("total", total_);
  json.EndObject();
  return json.Take();
}

void Progress::Erase() {
  if (!shown_) return;
  WriteToStderr("\r\033[K");
  shown_ = false;
  SetProgressShown(false);
}

}  // namespace heapglot::tool
