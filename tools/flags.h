// Flags that several verbs share, and how their values are checked.
#ifndef HEAPGLOT_TOOLS_FLAGS_H_
#define HEAPGLOT_TOOLS_FLAGS_H_

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapglot/bytes.h"
#include "heapglot/context.h"
#include "heapglot/convert.h"
#include "heapglot/format.h"
#include "tools/console.h"
#include "tools/progress.h"
#include "tools/sandbox.h"

namespace heapglot::tool {

// Of every verb that reads a dump.
struct InputFlags {
  std::string input;  // path or "-"
  std::string from;   // name of a reader; empty: detect
  std::string progress = "auto";
  bool strict = false;
  bool no_sandbox = false;
  std::uint64_t max_memory = 0;  // of the process, in bytes; 0: the default
  Limits limits = {.max_threads = 2};
};

// The flags are set when the command line is parsed, so they must outlive
// `command`.
void AddInputFlags(CLI::App& command, InputFlags& flags);
// The same without INPUT, for verbs that take several.
void AddReadFlags(CLI::App& command, InputFlags& flags);
// Only those that say how to read, not what: --strict, --progress, --no-sandbox
// and limits.
void AddReadingFlags(CLI::App& command, InputFlags& flags);
// --color, --log-format, -q, -v.
void AddConsoleFlags(CLI::App& command, ConsoleOptions& options);

// Accepts only these words; the error lists them and guesses what was meant.
CLI::Validator OneOf(std::vector<std::string_view> words);
// --unreachable: its words, and what they mean; nullopt for "".
CLI::Validator UnreachableWord();
std::optional<Unreachable> ParseUnreachable(std::string_view word);
// Turns "64M" into "67108864".
CLI::Validator SizeText();
// Accepts a plain number; CLI11 would turn "-1" into a very large one.
CLI::Validator CountText(std::uint64_t least = 0,
                         std::uint64_t most = ~std::uint64_t{0});

std::vector<std::string_view> WriterNames();
// Accepts only the names of readers.
CLI::Validator ReaderName();

// An input that is open and whose format is known.
struct OpenInput {
  std::unique_ptr<ByteSource> source;
  const ReaderInfo* format = nullptr;
};

// Opens the input that the flags name, limits the memory, enters the sandbox,
// and detects the format. `progress`, unless nullptr, shows how far that is,
// and then gets the size of the input.
Result<OpenInput> Open(const InputFlags& flags, Sandbox& sandbox,
                       const Console& console, Progress* progress);
// The same for a regular file that is open, and positioned at its start. The
// flags only give its name.
Result<OpenInput> OpenFd(int fd, const InputFlags& flags, Sandbox& sandbox,
                         const Console& console);

// By the extension of an output path.
Compression CompressionOf(std::string_view path);

// "a", "b" of "a b".
std::vector<std::string_view> Words(std::string_view list);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_FLAGS_H_
