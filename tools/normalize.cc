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

Equal dumps are stored once. A dump that cannot be read has a row in the
manifest that says why; exit code 3 if there are such.)";

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
           "' is no shard, expected one like 1/8";
  };
  return {check, "I/N"};
}

void AddArchiveFlags(CLI::App& command, NormalizeFlags& flags) {
  const std::string group = "Archive";
  command
      .add_flag("--exact", flags.exact,
                "keep what it takes to have the very bytes back")
      ->group(group);
  command
      .add_flag("--delta", flags.delta,
                "store successive dumps as what has changed;\n"
                "of shards: with --merge-manifests")
      ->group(group);
  command
      .add_option("--top", flags.top, "classes in a row of the manifest (20)")
      ->check(CountText())
      ->option_text("N")
      ->group(group);
  command
      .add_flag("--verify", flags.verify,
                "read again what was written, and compare")
      ->group(group);
  command
      .add_flag("--durable", flags.durable,
                "what is stored survives a power cut")
      ->group(group);
  command
      .add_flag("--dry-run", flags.dry_run, "read everything, write nothing")
      ->group(group);
  command
      .add_option("--report", flags.report,
                  "write what was done as JSON, replacing FILE")
      ->option_text("FILE")
      ->group(group);
}

void AddRunFlags(CLI::App& command, NormalizeFlags& flags,
                 const std::shared_ptr<std::string>& shard) {
  const std::string group = "Many runs";
  command
      .add_flag("--resume", flags.resume,
                "go on where a run was ended, or add what is new")
      ->group(group);
  CLI::Option* const keep_going =
      command
          .add_flag("--keep-going", flags.keep_going,
                    "go on after a dump that cannot be read (default)")
          ->group(group);
  command.add_flag("--fail-fast", flags.fail_fast, "stop at such a dump")
      ->excludes(keep_going)
      ->group(group);
  CLI::Option* is_shard =
      command
          .add_option("--shard", *shard,
                      "only part I of N of the inputs; the manifest\n"
                      "comes with --merge-manifests")
          ->check(ShardText())
          ->option_text("I/N")
          ->group(group);
  command
      .add_flag("--merge-manifests", flags.merge,
                "make the manifest of what shards have done")
      ->excludes(is_shard)
      ->group(group);
}

}  // namespace

Verb AddNormalize(CLI::App& app) {
  const auto flags = std::make_shared<NormalizeFlags>();
  const auto shard = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "normalize", "Puts many dumps into an archive, in one form.");
  command->add_option("INPUT", flags->inputs,
                      "dumps, directories of them, patterns; - reads a\n"
                      "list of paths from standard input");
  command
      ->add_option("-o,--output", flags->directory,
                   "the archive, a directory; made if it is not there")
      ->required()
      ->option_text("DIR");
  AddReadFlags(*command, flags->in);
  command->get_option("--threads")->description("dumps at a time (2)");
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
