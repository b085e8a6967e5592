#include "tools/flags.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "core/bytes/open_source.h"
#include "tools/delta_file.h"
#include "tools/memory_limit.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

std::vector<std::string_view> ReaderNames() {
  std::vector<std::string_view> names;
  for (const ReaderInfo* reader : Readers()) names.push_back(reader->name);
  return names;
}

// Whether an input may never end, such as /dev/zero.
bool IsDevice(const std::string& path) {
  struct stat info;
  const int error =
      path == "-" ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info);
  return error == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode));
}

// The error for a delta of an archive that is given as a dump.
Status DeltaAlone(std::string_view head) {
  const Result<DeltaHeader> header = DeltaHeader::Decode(head);
  if (!header.ok()) return header.status();
  return {Code::kUnsupported,
          "this is a delta between dumps of an archive: `heapglot restore "
          "ARCHIVE " +
              header->digest + " -o FILE` gives the dump"};
}

using Opener = std::function<Result<std::unique_ptr<ByteSource>>(
    const ByteSource::OpenOptions& options)>;

Result<OpenInput> OpenWith(const Opener& open, bool is_device,
                           const InputFlags& flags, Sandbox& sandbox,
                           const Console& console, Progress* progress) {
  LimitMemory(flags.max_memory);
  OpenInput input;
  const auto opened = [&] {
    LoadDisplayWidths();
    if (sandbox.Enter() && console.verbose() && !sandbox.problem().empty())
      console.Note("the sandbox is not complete: " + sandbox.problem());
  };
  const auto check_head = [&](std::string_view head) -> Status {
    if (IsDelta(head)) return DeltaAlone(head);
    if (!flags.from.empty()) {
      input.format = FindReader(flags.from);
      // The user is right, or the reader says what is wrong. But the reader
      // sees the input only when all of it has been read.
      if (!is_device || input.format->sniff(head) != Sniff::kNo) return {};
      return {Code::kMalformed, "this is not " + flags.from, Where::Byte(0)};
    }
    const Result<const ReaderInfo*> identified = Identify(head);
    if (!identified.ok()) return identified.status();
    input.format = *identified;
    return {};
  };
  ByteSource::OpenOptions options = {.opened = opened,
                                     .check_head = check_head};
  if (progress != nullptr && progress->active()) {
    options.proceed = [progress](std::string_view phase, std::uint64_t done,
                                 std::uint64_t total) -> Status {
      progress->set_source_size(total);
      progress->Update(phase, done, total);
      return {};
    };
  }
  Result<std::unique_ptr<ByteSource>> source = open(options);
  if (!source.ok()) return source.status();
  input.source = *std::move(source);
  if (progress != nullptr)
    progress->set_source_size(input.source->bytes().size());
  return input;
}

}  // namespace

CLI::Validator OneOf(std::vector<std::string_view> words) {
  std::string description;
  for (const std::string_view word : words) {
    if (!description.empty()) description += '|';
    description += word;
  }
  const auto check = [words = std::move(words)](const std::string& value) {
    for (const std::string_view word : words) {
      if (word == value) return std::string();
    }
    std::string message = "'" + EscapeForTerminal(value) + "' is unknown, ";
    const std::string_view guess = Closest(value, words);
    if (!guess.empty()) {
      return message + "did you mean '" + std::string(guess) + "'?";
    }
    return message + "known: " + Enumerate(words, "and");
  };
  return {check, description};
}

CLI::Validator SizeText() {
  const auto check = [](std::string& value) {
    const std::optional<std::uint64_t> size = ParseSize(value);
    if (!size) {
      return "'" + EscapeForTerminal(value) +
             "' is not a size, expected a number like 4096, 64M or 1.5G";
    }
    value = std::to_string(*size);
    return std::string();
  };
  return {check, "SIZE"};
}

CLI::Validator CountText(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](const std::string& value) {
    std::uint64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    const bool is_number = error == std::errc() && rest == end;
    if (is_number && number >= least && number <= most) return std::string();
    return "'" + EscapeForTerminal(value) + "' is not a number from " +
           std::to_string(least) + " to " +
           (most == ~std::uint64_t{0} ? "2^64-1" : std::to_string(most));
  };
  return {check, "N"};
}

std::vector<std::string_view> WriterNames() {
  std::vector<std::string_view> names;
  for (const WriterInfo* writer : Writers()) names.push_back(writer->name);
  return names;
}

CLI::Validator UnreachableWord() { return OneOf({"keep", "root", "drop"}); }

std::optional<Unreachable> ParseUnreachable(std::string_view word) {
  if (word.empty()) return std::nullopt;
  if (word == "root") return Unreachable::kRoot;
  if (word == "drop") return Unreachable::kDrop;
  return Unreachable::kKeep;
}

CLI::Validator ReaderName() { return OneOf(ReaderNames()); }

void AddInputFlags(CLI::App& command, InputFlags& flags) {
  command.add_option("INPUT", flags.input, "the dump; - is standard input")
      ->required();
  AddReadFlags(command, flags);
}

void AddReadFlags(CLI::App& command, InputFlags& flags) {
  command
      .add_option("--from", flags.from,
                  "input format; default: detected from the content")
      ->check(ReaderName())
      ->option_text("FORMAT");
  AddReadingFlags(command, flags);
}

void AddReadingFlags(CLI::App& command, InputFlags& flags) {
  command.add_flag("--strict", flags.strict,
                   "treat warnings about the input as errors");
  command
      .add_option(
          "--progress", flags.progress,
          "show progress: auto (default, on a terminal),\nalways, never")
      ->check(OneOf({"auto", "always", "never"}))
      ->option_text("WHEN");
  command
      .add_option("-j,--threads", flags.limits.max_threads,
                  "threads for one dump: 1 or 2 (default, maximum)")
      ->check(CountText(1, std::numeric_limits<unsigned>::max()))
      ->option_text("N");
  command.add_flag("--no-sandbox", flags.no_sandbox,
                   "run without the seccomp and Landlock sandbox");
  const std::string limits = "Limits";
  command
      .add_option("--max-memory", flags.max_memory,
                  "most memory, in bytes (3/4 of machine or cgroup)")
      ->transform(SizeText())
      ->option_text("SIZE")
      ->group(limits);
  command
      .add_option("--max-string", flags.limits.max_string,
                  "longest string, in bytes (1G)")
      ->transform(SizeText())
      ->option_text("SIZE")
      ->group(limits);
  command
      .add_option("--max-depth", flags.limits.max_depth,
                  "deepest nesting (10000)")
      ->check(CountText())
      ->option_text("N")
      ->group(limits);
  command
      .add_option("--max-records", flags.limits.max_records,
                  "most nodes and edges, or lines of text (1T)")
      ->transform(SizeText())
      ->option_text("N")
      ->group(limits);
  command
      .add_option("--max-ratio", flags.limits.max_ratio,
                  "most bytes unpacked per compressed byte (1000)")
      ->check(CountText())
      ->option_text("N")
      ->group(limits);
  command
      .add_option("--max-unpacked", flags.limits.max_decompressed,
                  "most bytes unpacked, or read from a pipe (64G)")
      ->transform(SizeText())
      ->option_text("SIZE")
      ->group(limits);
}

void AddConsoleFlags(CLI::App& command, ConsoleOptions& options) {
  const std::string group = "Messages";
  CLI::Option* quiet =
      command.add_flag("-q,--quiet", options.quiet, "print errors only");
  quiet->group(group);
  command.add_flag("-v,--verbose", options.verbose, "print more detail")
      ->excludes(quiet)
      ->group(group);
  command
      .add_option("--color", options.color,
                  "use color: auto (default, on a terminal unless\n"
                  "NO_COLOR is set), always, never")
      ->check(OneOf({"auto", "always", "never"}))
      ->option_text("WHEN")
      ->group(group);
  command
      .add_option("--log-format", options.log_format,
                  "text (default), or json (one object per line)")
      ->check(OneOf({"text", "json"}))
      ->option_text("FORMAT")
      ->group(group);
}

Result<OpenInput> Open(const InputFlags& flags, Sandbox& sandbox,
                       const Console& console, Progress* progress) {
  const auto open = [&flags](const ByteSource::OpenOptions& options) {
    return ByteSource::Open(flags.input, flags.limits, options);
  };
  return OpenWith(open, IsDevice(flags.input), flags, sandbox, console,
                  progress);
}

Result<OpenInput> OpenFd(int fd, const InputFlags& flags, Sandbox& sandbox,
                         const Console& console) {
  const auto open = [fd, &flags](const ByteSource::OpenOptions& options) {
    return OpenSource(Duplicate(fd), flags.input, flags.limits, options);
  };
  return OpenWith(open, false, flags, sandbox, console, nullptr);
}

Compression CompressionOf(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::kGzip;
  if (path.ends_with(".zst")) return Compression::kZstd;
  return Compression::kNone;
}

std::vector<std::string_view> Words(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t space = list.find(' ');
    if (space != 0) words.push_back(list.substr(0, space));
    if (space == std::string_view::npos) break;
    list.remove_prefix(space + 1);
  }
  return words;
}

}  // namespace heapglot::tool
