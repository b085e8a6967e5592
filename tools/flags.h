// Flags that several verbs have, and how their values are checked.
#ifndef HEAPGLOT_TOOLS_FLAGS_H_
#define HEAPGLOT_TOOLS_FLAGS_H_

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/format.h"
#include "tools/console.h"
#include "tools/progress.h"
#include "tools/sandbox.h"

namespace heapglot::tool {

// Of every verb that reads a dump.
struct InputFlags {
  std::string input;  // path or "-"
  std::string from;   // name of a reader; empty: the content decides
  std::string progress = "auto";
  bool strict = false;
  bool no_sandbox = false;
  std::uint64_t max_memory = 0;  // of the process, in bytes; 0: by default
  Limits limits = {.max_threads = 2};
};

// The flags are written when the command line is parsed, so they must outlive
// `command`.
void AddInputFlags(CLI::App& command, InputFlags& flags);
// The same without INPUT, for verbs that take several.
void AddReadFlags(CLI::App& command, InputFlags& flags);
// Of them those that say how to read, not what: --strict, --progress,
// --no-sandbox and limits.
void AddReadingFlags(CLI::App& command, InputFlags& flags);
// --color, --log-format, -q, -v.
void AddConsoleFlags(CLI::App& command, ConsoleOptions& options);

// Accepts these words only; the message of the refusal lists them and guesses
// what was meant.
CLI::Validator OneOf(std::vector<std::string_view> words);
// Turns "64M" into "67108864".
CLI::Validator SizeText();
// Accepts a plain number; CLI11 would turn "-1" into a very large one.
CLI::Validator CountText(std::uint64_t least = 0,
                         std::uint64_t most = ~std::uint64_t{0});

std::vector<std::string_view> WriterNames();
// The names of readers only.
CLI::Validator ReaderName();

// An input that is open and whose format is known.
struct OpenInput {
  std::unique_ptr<ByteSource> source;
  const ReaderInfo* format = nullptr;
};

// Opens the input that the flags name, limits the memory, goes into the sandbox,
// and finds out the format. `progress`, unless nullptr, says how far that is, and
// knows the size of the input then.
Result<OpenInput> Open(const InputFlags& flags, Sandbox& sandbox,
                       const Console& console, Progress* progress);
// The same of a regular file that is open, and stands at its start. The flags
// only say what it is called.
Result<OpenInput> OpenFd(int fd, const InputFlags& flags, Sandbox& sandbox,
                         const Console& console);

// By the extension of an output.
Compression CompressionOf(std::string_view path);

// "a", "b" of "a b".
std::vector<std::string_view> Words(std::string_view list);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_FLAGS_H_
