#include "tools/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "heapglot/bytes.h"
#include "tools/json.h"
#include "tools/status_json.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// Bounds for a sensible page, whatever COLUMNS or the terminal say.
constexpr int kMinColumns = 60;
constexpr int kMaxColumns = 400;

constexpr std::string_view kPrefix = "heapglot: ";
// Keeps a note with the prefix below 512 bytes.
constexpr std::size_t kMaxNote = 490;

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// COLUMNS if set, else what the terminal on `descriptor` says; 80 if it is not
// a terminal.
int Columns(int descriptor) {
  const std::string_view wish = Environment("COLUMNS");
  int columns = 0;
  std::from_chars(wish.data(), wish.data() + wish.size(), columns);
  if (columns <= 0) {
    winsize size = {};
    const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0;
    columns = known && size.ws_col > 0 ? size.ws_col : 80;
  }
  return std::min(std::max(columns, kMinColumns), kMaxColumns);
}

// In one write, so that lines of two programs do not mix. Failures are not
// reported: there is no place for that.
void WriteLine(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

// The name of a failure for machines, as in README.md's table of exit codes.
std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kUsage:
      return "usage";
    case Code::kMalformed:
      return "malformed";
    case Code::kTruncated:
      return "truncated";
    case Code::kLimit:
      return "limit";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kLossy:
      return "lossy";
    case Code::kOutput:
      return "output";
    case Code::kInput:
      return "input";
    case Code::kCancelled:
    case Code::kInternal:
      break;
  }
  return "internal";
}

std::string JsonLine(std::string_view level, const Status& status,
                     std::string_view file, std::uint64_t more) {
  Json json(Json::Layout::kOneLine);
  json.BeginObject();
  json.Add("level", level);
  if (level == "error") json.Add("code", CodeName(status.code()));
  if (!file.empty()) json.Add("file", EscapeForTerminal(file, 4096));
  AddWhere(status.where(), json);
  json.Add("message", EscapeForTerminal(status.message(), 500));
  if (level == "warning") json.Add("count", more + 1);
  json.EndObject();
  std::string line = json.Take();
  line.pop_back();
  return line;
}

}  // namespace

std::string JsonErrorLine(const Status& status, std::string_view file) {
  return JsonLine("error", status, file, 0) + "\n";
}

int Console::Fail(const Status& status, std::string_view file) const {
  // The reader has seen enough (`| head`): as silent as dying of SIGPIPE.
  if (IsBrokenPipe(status)) return 128 + SIGPIPE;
  Say("error", status, file);
  return ExitCode(status.code());
}

int Console::Usage(std::string_view verb, std::string_view message) const {
  Say("error", Status(Code::kUsage, std::string(message)), {});
  if (!json()) {
    const std::string command =
        verb.empty() ? "heapglot" : "heapglot " + std::string(verb);
    WriteLine("Try '" + command + " --help'.");
  }
  return ExitCode(Code::kUsage);
}

void Console::Warn(const std::vector<Finding>& findings,
                   std::string_view file) const {
  if (quiet()) return;
  for (const Finding& finding : findings) {
    Say("warning", Status(Code::kMalformed, finding.message, finding.where),
        file, finding.count - 1);
  }
}

void Console::Note(std::string_view text) const {
  if (quiet()) return;
  if (json()) {
    return WriteLine(
        JsonLine("info", Status(Code::kInternal, std::string(text)), {}, 0));
  }
  WriteLine(std::string(kPrefix) + std::string(text));
}

std::size_t Console::NoteRoom() const {
  if (isatty(STDERR_FILENO) == 0) return kMaxNote;
  return static_cast<std::size_t>(Columns(STDERR_FILENO)) - kPrefix.size();
}

void Console::NoteJson(std::string_view line) const {
  while (line.ends_with('\n')) line.remove_suffix(1);
  if (!quiet() && json()) WriteLine(std::string(line));
}

void Console::Say(std::string_view level, const Status& status,
                  std::string_view file, std::uint64_t more) const {
  if (json()) return WriteLine(JsonLine(level, status, file, more));
  if (level == "error") {
    return WriteLine(std::string(kPrefix) + status.ToString(file));
  }
  std::string message = std::string(level) + ": " + status.message();
  if (more > 0) message += " (and " + Thousands(more) + " more like it)";
  const Status whole(status.code(), message, status.where());
  WriteLine(std::string(kPrefix) + whole.ToString(file));
}

int Console::Print(std::string_view text) const {
  const ByteSink::FileOptions options = {.no_terminal = false};
  Result<std::unique_ptr<ByteSink>> sink = ByteSink::Create("-", options);
  Status status = sink.status();
  if (sink.ok()) status = (*sink)->Write(text);
  if (status.ok()) status = (*sink)->Close();
  return status.ok() ? 0 : Fail(status, "standard output");
}

bool Console::StdoutHasColor() const {
  if (options_.color == "always") return true;
  if (options_.color == "never") return false;
  return isatty(STDOUT_FILENO) != 0 && Environment("NO_COLOR").empty() &&
         !Environment("TERM").empty() && Environment("TERM") != "dumb";
}

bool StdoutIsUtf8() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  // The first that is set decides (locale(7)).
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = Environment(name);
    if (value.empty()) continue;
    for (const std::string_view charset : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(charset) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

int StdoutColumns() { return Columns(STDOUT_FILENO); }

}  // namespace heapglot::tool
