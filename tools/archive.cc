// heapglot archive: what is in an archive.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/archive_store.h"
#include "tools/flags.h"
#include "tools/manifest.h"
#include "tools/text.h"
#include "tools/type_search.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kArchiveExamples[] =
    R"(Examples:
  heapglot normalize dumps/ -o archive
  heapglot archive list archive
  heapglot archive find archive --type LeakyWidget --min-size 64M
  heapglot archive find archive --failed --json

Exit code 10 if find finds nothing. --type searches the classes in the manifest,
and opens dumps that have more classes than are listed there.)";

constexpr char kList[] = "list";
constexpr char kFind[] = "find";

struct ArchiveFlags {
  InputFlags in;
  std::string action;
  std::string directory;
  bool json = false;
  // For find; all that are given must hold.
  std::string type;
  std::string format;
  std::string digest;
  std::string source;
  std::uint64_t min_size = 0;
  std::uint64_t max_size = ~std::uint64_t{0};
  bool failed = false;
};

bool HasCondition(const ArchiveFlags& flags) {
  const ArchiveFlags none;
  return flags.failed || flags.min_size != none.min_size ||
         flags.max_size != none.max_size ||
         !(flags.type + flags.format + flags.digest + flags.source).empty();
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool ListsType(const ManifestRow& row, const std::string& text) {
  return std::ranges::any_of(
      row.types, [&](const std::string& type) { return Contains(type, text); });
}

// Everything but the type.
bool Matches(const ManifestRow& row, const ArchiveFlags& flags) {
  return Contains(row.source, flags.source) &&
         (flags.format.empty() || row.format == flags.format) &&
         (flags.digest.empty() || row.HasDigest(flags.digest)) &&
         (!flags.failed || !row.ok()) && row.size >= flags.min_size &&
         row.size <= flags.max_size;
}

// "ab12cd34ef56  heapsnapshot  1.2 MiB  12,345 nodes  dumps/a.heapsnapshot".
std::string RowLine(const ManifestRow& row) {
  constexpr std::size_t kDigits = 12;
  constexpr int kFormat = 13;
  constexpr int kSize = 10;
  constexpr int kNodes = 13;
  std::string line = row.ok() ? row.digest.substr(0, kDigits)
                              : FitLeft("exit " + std::to_string(row.exit_code),
                                        kDigits, false);
  line += "  " + FitLeft(EscapeForTerminal(row.format), kFormat, false);
  line += PadLeft(HumanBytes(row.size), kSize);
  line += PadLeft(row.ok() ? Thousands(row.nodes) : "-", kNodes);
  return line + "  " + EscapeForTerminal(row.source) + "\n";
}

// The dumps that must be searched: they may have the type, but not among the
// largest.
std::set<std::string> DumpsToSearch(const ManifestRows& rows,
                                    const ArchiveFlags& flags) {
  std::set<std::string> digests;
  for (const auto& [source, row] : rows) {
    if (row.ok() && row.types.size() < row.type_count && Matches(row, flags) &&
        !ListsType(row, flags.type))
      digests.insert(row.digest);
  }
  return digests;
}

int Print(const ArchiveFlags& flags, const Console& console) {
  if (flags.action == kList && HasCondition(flags)) {
    return console.Usage("archive",
                         "list lists all dumps: only find takes conditions");
  }
  const Result<ManifestRows> rows = ReadManifest(flags.directory);
  if (!rows.ok()) return console.Fail(rows.status(), flags.directory);
  TypeSearch search(flags.directory, flags.type, flags.in, console);
  Result<std::set<std::string>> found = std::set<std::string>();
  if (!flags.type.empty()) found = search.Find(DumpsToSearch(*rows, flags));
  if (!found.ok()) return console.Fail(found.status(), flags.directory);
  std::string text;
  bool is_empty = true;
  for (const auto& [source, row] : *rows) {
    const bool has_type = flags.type.empty() || ListsType(row, flags.type) ||
                          found->contains(row.digest);
    if (!has_type || !Matches(row, flags)) continue;
    if (is_empty && !flags.json) {
      text = "digest        format              size        nodes  source\n";
    }
    is_empty = false;
    text += flags.json ? row.line + "\n" : RowLine(row);
  }
  if (const int exit_code = console.Print(text); exit_code != 0)
    return exit_code;
  if (search.exit_code() != 0) return search.exit_code();
  return flags.action == kFind && is_empty ? kExitDifferent : 0;
}

void AddFindFlags(CLI::App& command, ArchiveFlags& flags) {
  const std::string group = "Options of find";
  command.add_option("--type", flags.type, "has a class with TEXT in its name")
      ->option_text("TEXT")
      ->group(group);
  command.add_option("--format", flags.format, "is in this format")
      ->check(ReaderName())
      ->option_text("FORMAT")
      ->group(group);
  command
      .add_option("--digest", flags.digest, "digest or SHA-256 begins with HEX")
      ->option_text("HEX")
      ->group(group);
  command.add_option("--source", flags.source, "has TEXT in its path")
      ->option_text("TEXT")
      ->group(group);
  command
      .add_option("--min-size", flags.min_size, "file has at least SIZE bytes")
      ->transform(SizeText())
      ->option_text("SIZE")
      ->group(group);
  command
      .add_option("--max-size", flags.max_size, "file has at most SIZE bytes")
      ->transform(SizeText())
      ->option_text("SIZE")
      ->group(group);
  command.add_flag("--failed", flags.failed, "could not be read")->group(group);
}

}  // namespace

Verb AddArchive(CLI::App& app) {
  const auto flags = std::make_shared<ArchiveFlags>();
  CLI::App* command = app.add_subcommand(
      "archive", "Lists or searches the dumps in an archive.");
  command
      ->add_option("ACTION", flags->action,
                   "list: all dumps; find: the dumps that match all\n"
                   "options of find")
      ->required()
      ->check(OneOf({kList, kFind}));
  command->add_option("DIR", flags->directory, "the archive")->required();
  command->add_flag("--json", flags->json,
                    "print the rows of the manifest as JSON");
  AddFindFlags(*command, *flags);
  AddReadingFlags(*command, flags->in);
  command->footer(kArchiveExamples);
  return {command, [flags](const Console& console) {
            flags->directory = ArchivePath(flags->directory);
            return Print(*flags, console);
          }};
}

}  // namespace heapglot::tool
