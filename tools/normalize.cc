// heapglot normalize: many dumps into an archive.
#include <charconv>
#include <memory>
#include <string>

#include "tools/archive_store.h"
#include "tools/flags.h"
#include "tools/normalize_run.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kNormalizeExamples[] =
    R"(Examples:
  heapglot normalize dumps/ -o archive
  heapglot normalize 'dumps/*.heapsnapshot' -o archive --resume -j 8
  find dumps -name '*.dartheap' -print0 | heapglot normalize - -o archive
  heapglot normalize dumps/ -o shared --shard 1/2
  heapglot normalize dumps/ -o shared --shard 2/2
  heapglot normalize --merge-manifests -o shared
  heapglot normalize dumps/ -o archive --delta

Equal dumps are stored once. If a dump cannot be read, the manifest says why,
and the exit code is 3.)";

// "3/8".
bool ParseShard(const std::string& text, Shard* shard) {
  const char* const end = text.data() + text.size();
  const auto [slash, index_error] =
      std::from_chars(text.data(), end, shard->index);
  if (index_error != std::errc() || slash == end || *slash != '/') return false;
  const auto [rest, count_error] =
      std::from_chars(slash + 1, end, shard->count);
  return count_error == std::errc() && rest == end && shard->index >= 1 &&
         shard->index <= shard->count;
}

CLI::Validator ShardText() {
  const auto check = [](const std::string& text) {
    Shard shard;
    if (ParseShard(text, &shard)) return std::string();
    return "'" + EscapeForTerminal(text) +
           "' is not a shard, expected one like 1/8";
  };
  return {check, "I/N"};
}

void AddArchiveFlags(CLI::App& command, NormalizeFlags& flags) {
  const std::string group = "Archive";
  command
      .add_flag("--exact", flags.exact,
                "also store what restores the original bytes")
      ->group(group);
  command
      .add_flag("--delta", flags.delta,
                "store successive dumps as differences; for shards,\n"
                "use it with --merge-manifests")
      ->group(group);
  command
      .add_option("--top", flags.top,
                  "number of classes in each row of the manifest (20)")
      ->check(CountText())
      ->option_text("N")
      ->group(group);
  command
      .add_flag("--verify", flags.verify,
                "read back what was written, and compare")
      ->group(group);
  command.add_flag("--durable", flags.durable, "sync what is stored to disk")
      ->group(group);
  command
      .add_flag("--dry-run", flags.dry_run, "read everything, write nothing")
      ->group(group);
  command
      .add_option("--report", flags.report,
                  "write what was done to FILE (JSON), replacing it")
      ->option_text("FILE")
      ->group(group);
}

void AddRunFlags(CLI::App& command, NormalizeFlags& flags,
                 const std::shared_ptr<std::string>& shard) {
  const std::string group = "Many runs";
  command
      .add_flag("--resume", flags.resume,
                "continue an interrupted run, or add new dumps")
      ->group(group);
  CLI::Option* const keep_going =
      command
          .add_flag("--keep-going", flags.keep_going,
                    "continue after a dump that cannot be read (default)")
          ->group(group);
  command
      .add_flag("--fail-fast", flags.fail_fast,
                "stop at a dump that cannot be read")
      ->excludes(keep_going)
      ->group(group);
  CLI::Option* is_shard =
      command
          .add_option("--shard", *shard,
                      "read only part I of N of the inputs; afterwards,\n"
                      "make the manifest with --merge-manifests")
          ->check(ShardText())
          ->option_text("I/N")
          ->group(group);
  command
      .add_flag("--merge-manifests", flags.merge,
                "make the manifest after all shards are done")
      ->excludes(is_shard)
      ->group(group);
}

}  // namespace

Verb AddNormalize(CLI::App& app) {
  const auto flags = std::make_shared<NormalizeFlags>();
  const auto shard = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "normalize", "Stores many dumps in an archive, in canonical form.");
  command->add_option("INPUT", flags->inputs,
                      "dumps, directories of dumps, glob patterns; - reads\n"
                      "a list of paths from standard input");
  command
      ->add_option("-o,--output", flags->directory,
                   "the archive: a directory, created if missing")
      ->required()
      ->option_text("DIR");
  AddReadFlags(*command, flags->in);
  command->get_option("--threads")
      ->description("number of dumps to read at a time (2)");
  AddArchiveFlags(*command, *flags);
  AddRunFlags(*command, *flags, shard);
  command->footer(kNormalizeExamples);
  return {command, [flags, shard](const Console& console) {
            if (Shard parsed; ParseShard(*shard, &parsed))
              flags->shard = parsed;
            flags->directory = ArchivePath(flags->directory);
            return NormalizeRun(*flags, console).Do();
          }};
}

}  // namespace heapglot::tool
