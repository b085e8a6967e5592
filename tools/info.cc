// heapglot info: what is in a dump.
#include <memory>
#include <string>
#include <utility>

#include "core/checked_reader.h"
#include "tools/dump_summary.h"
#include "tools/flags.h"
#include "tools/info_page.h"
#include "tools/progress.h"
#include "tools/signals.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kInfoExamples[] = R"(Examples:
  heapglot info app.dartheap
  heapglot info app.dartheap.gz --top 50
  heapglot info - --json < app.dartheap)";

struct InfoFlags {
  InputFlags in;
  bool json = false;
  std::size_t top = 20;
};

Result<DumpSummary> ReadSummary(const InfoFlags& flags, const Console& console,
                                OpenInput& input, Context& context) {
  Progress progress(flags.in.progress, console);
  context.limits = flags.in.limits;
  context.strict = flags.in.strict;
  progress.Watch(&context);
  Sandbox sandbox(!flags.in.no_sandbox);
  Result<OpenInput> opened = Open(flags.in, sandbox, console, &progress);
  if (!opened.ok()) return opened.status();
  input = *std::move(opened);
  const std::unique_ptr<Reader> reader =
      MakeReader(*input.format, *input.source, context);
  Result<DumpSummary> summary = Summarize(*reader);
  if (!summary.ok()) return summary;
  const Result<EmbeddedLeftovers> leftovers = FindLeftovers(
      *input.source, *input.format, IrReader(), FindReader, context.limits);
  if (!leftovers.ok()) return leftovers.status();
  summary->leftovers = leftovers->verdict;
  summary->leftovers_size = leftovers->size;
  return summary;
}

int Run(const InfoFlags& flags, const Console& console) {
  const InputGuard guard(flags.in.input);
  OpenInput input;
  Context context;
  const Result<DumpSummary> summary =
      ReadSummary(flags, console, input, context);
  if (!summary.ok()) {
    if (console.verbose()) console.Warn(context.findings(), flags.in.input);
    return console.Fail(summary.status(), flags.in.input);
  }
  const PageStyle style = {.columns = StdoutColumns(),
                           .color = console.StdoutHasColor(),
                           .unicode = StdoutIsUtf8()};
  const int exit_code =
      console.Print(flags.json ? InfoJson(*summary, input, flags.top)
                               : InfoPage(*summary, input, flags.top, style));
  if (exit_code == 0) console.Warn(context.findings(), flags.in.input);
  return exit_code;
}

}  // namespace

Verb AddInfo(CLI::App& app) {
  const auto flags = std::make_shared<InfoFlags>();
  CLI::App* command = app.add_subcommand(
      "info", "Shows what is in a dump: counts, sizes, classes.");
  AddInputFlags(*command, flags->in);
  command->add_flag("--json", flags->json, "print JSON");
  command->add_option("--top", flags->top, "number of classes to list (20)")
      ->check(CountText())
      ->option_text("N");
  command->footer(kInfoExamples);
  return {command,
          [flags](const Console& console) { return Run(*flags, console); }};
}

}  // namespace heapglot::tool
