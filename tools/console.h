// The output of the command: data to stdout, everything else to stderr.
#ifndef HEAPGLOT_TOOLS_CONSOLE_H_
#define HEAPGLOT_TOOLS_CONSOLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "heapglot/context.h"
#include "heapglot/status.h"

namespace heapglot::tool {

// How the user wants messages.
struct ConsoleOptions {
  std::string color = "auto";       // auto, always, never
  std::string log_format = "text";  // text, json: one object per line
  bool quiet = false;               // errors only
  bool verbose = false;
};

// Every message is one line that begins with "heapglot: ".
class Console {
 public:
  explicit Console(const ConsoleOptions& options) : options_(options) {}

  bool quiet() const { return options_.quiet; }
  bool verbose() const { return options_.verbose; }

  // Reports a failure, and returns its exit code. `file` is what the failure is
  // about. A broken pipe is not reported.
  int Fail(const Status& status, std::string_view file) const;
  // The same for a mistake on the command line. `verb` says which help to read,
  // and may be empty.
  int Usage(std::string_view verb, std::string_view message) const;
  // Reports oddities that the reader could handle. Nothing if quiet.
  void Warn(const std::vector<Finding>& findings, std::string_view file) const;
  // Reports what was done, in a line of prose; in JSON mode {"level": "info",
  // "message": it}. Nothing if quiet.
  void Note(std::string_view text) const;
  // Bytes of a note that fit into one line of the terminal on stderr; 490 if
  // stderr is not a terminal.
  std::size_t NoteRoom() const;
  // JSON mode only: prints a line made by the caller. Nothing if quiet.
  void NoteJson(std::string_view line) const;
  bool json() const { return options_.log_format == "json"; }

  // Writes data to stdout. Returns the exit code.
  int Print(std::string_view text) const;

  // Whether to colour what goes to stdout (--color, NO_COLOR, TERM).
  bool StdoutHasColor() const;

 private:
  void Say(std::string_view level, const Status& status, std::string_view file,
           std::uint64_t more = 0) const;

  const ConsoleOptions& options_;
};

// What Fail() writes with --log-format json, including the newline.
std::string JsonErrorLine(const Status& status, std::string_view file);

// Whether stdout is a terminal in a UTF-8 locale: other output must not depend
// on the locale.
bool StdoutIsUtf8();

// Columns of the terminal on stdout: COLUMNS if set, else what the terminal
// says; 80 if it is not a terminal.
int StdoutColumns();

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_CONSOLE_H_
