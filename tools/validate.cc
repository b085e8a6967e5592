// heapglot validate: what is wrong with a dump, and which programs reject it.
#include "heapglot/validate.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/flags.h"
#include "tools/progress.h"
#include "tools/signals.h"
#include "tools/validate_page.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kValidateExamples[] = R"(Examples:
  heapglot validate app.heapsnapshot
  heapglot validate --for devtools app.heapsnapshot
  heapglot validate *.dartheap --json
  heapglot validate dumps/* --format sarif > validate.sarif
  heapglot validate --rules

Reads each INPUT to its end if possible. Errors break the format: the dump is
malformed, truncated, of an unknown version, or beyond a limit. Warnings are
about what some program will not read or show right. Exit codes: 0 no error
found; 10 an error was found (with --strict, or a warning; with --for, or that
program does not show the dump right); 9 an INPUT could not be read.)";

struct ValidateFlags {
  InputFlags in;
  std::vector<std::string> inputs;
  std::string format = "text";
  bool rules = false;
  std::string reader;  // --for
  std::uint64_t examples = 10;
};

std::vector<std::string_view> KnownReaders() {
  std::vector<std::string_view> names;
  for (const RuleSet& set : AllRules())
    names.insert(names.end(), set.readers.begin(), set.readers.end());
  return names;
}

// Reads one input. Errors: only those that are not its fault.
Result<ValidatedFile> ReadFile(const ValidateFlags& flags,
                               const std::string& input, Sandbox& sandbox,
                               const Console& console) {
  Context context;
  Progress progress(flags.in.progress, console);
  context.limits = flags.in.limits;
  context.examples = flags.examples;
  progress.Watch(&context);
  InputFlags in = flags.in;
  in.input = input;
  Result<OpenInput> opened = Open(in, sandbox, console, &progress);
  if (!opened.ok()) {
    Result<Validation> found =
        ValidateUnopened(opened.status(), flags.examples);
    if (!found.ok()) return found.status();
    return ValidatedFile{
        .name = input, .compression = {}, .validation = *std::move(found)};
  }
  const ByteSource& source = *opened->source;
  Result<Validation> found = Validate(source, *opened->format, context);
  if (!found.ok()) return found.status();
  // The programs that verdicts are about open no other formats.
  const bool is_judged =
      std::ranges::count(found->verdicts, flags.reader, &Verdict::reader) != 0;
  if (!flags.reader.empty() && !is_judged)
    found->verdicts.push_back({flags.reader, Outcome::kFails});
  return ValidatedFile{.name = input,
                       .compression = ToString(source.compression()),
                       .size = source.bytes().size(),
                       .validation = *std::move(found)};
}

bool IsDefect(const Validation& found, const ValidateFlags& flags) {
  if (found.Count(Severity::kError) != 0) return true;
  if (flags.in.strict && found.Count(Severity::kWarning) != 0) return true;
  return std::any_of(found.verdicts.begin(), found.verdicts.end(),
                     [&](const Verdict& verdict) {
                       return verdict.reader == flags.reader &&
                              verdict.outcome != Outcome::kOk;
                     });
}

int PrintRules(const ValidateFlags& flags, const Console& console) {
  return console.Print(flags.format == "json" ? RulesJson() : RulesMarkdown());
}

int Print(const std::vector<ValidatedFile>& files, const ValidateFlags& flags,
          const Console& console) {
  if (flags.format == "json") return console.Print(ValidateJson(files));
  if (flags.format == "sarif") return console.Print(ValidateSarif(files));
  const PageStyle style = {.columns = StdoutColumns(),
                           .color = console.StdoutHasColor(),
                           .unicode = StdoutIsUtf8()};
  std::string text;
  for (const ValidatedFile& file : files) {
    if (!text.empty()) text += '\n';
    text += ValidatePage(file, style, console.verbose());
  }
  return console.Print(text);
}

int Run(const ValidateFlags& flags, const Console& console) {
  if (flags.rules) {
    if (!flags.inputs.empty() || !flags.reader.empty() ||
        flags.format == "sarif")
      return console.Usage(
          "validate",
          "--rules lists all rules: it takes no INPUT, --for or sarif");
    return PrintRules(flags, console);
  }
  if (flags.inputs.empty())
    return console.Usage("validate", "INPUT is required");
  if (std::ranges::count(flags.inputs, "-") > 1)
    return console.Usage("validate", "only one INPUT can be standard input");
  Sandbox sandbox(!flags.in.no_sandbox);
  for (std::size_t i = 1; i < flags.inputs.size(); ++i)
    sandbox.AnnounceInput(flags.inputs[i]);
  std::vector<ValidatedFile> files;
  int exit_code = 0;
  int failure = 0;
  for (const std::string& input : flags.inputs) {
    const InputGuard guard(input);
    Result<ValidatedFile> file = ReadFile(flags, input, sandbox, console);
    if (!file.ok()) {
      const int code = console.Fail(file.status(), input);
      if (failure == 0) failure = code;
      // For machines, which do not read messages.
      if (flags.format != "text") {
        files.push_back({.name = input,
                         .compression = {},
                         .validation = Validation(0),
                         .status = file.status()});
      }
      continue;
    }
    if (IsDefect(file->validation, flags)) exit_code = kExitDifferent;
    files.push_back(*std::move(file));
  }
  const int printed = files.empty() ? 0 : Print(files, flags, console);
  if (printed != 0) return printed;
  return failure != 0 ? failure : exit_code;
}

}  // namespace

Verb AddValidate(CLI::App& app) {
  const auto flags = std::make_shared<ValidateFlags>();
  CLI::App* command = app.add_subcommand(
      "validate", "Finds defects in a dump, and the programs they affect.");
  command->add_option("INPUT", flags->inputs, "dumps; - is standard input")
      ->option_text("...");
  AddReadFlags(*command, flags->in);
  CLI::Option* const format =
      command
          ->add_option("--format", flags->format,
                       "output format: text (default), json, sarif (2.1.0)")
          ->check(OneOf({"text", "json", "sarif"}))
          ->option_text("WHAT");
  command
      ->add_flag_callback(
          "--json", [flags] { flags->format = "json"; },
          "same as --format json")
      ->excludes(format);
  command
      ->add_option("--for", flags->reader,
                   "also fail if READER would not show the dump right")
      ->check(OneOf(KnownReaders()))
      ->option_text("READER");
  command
      ->add_option("--examples", flags->examples,
                   "places to list for each rule (10)")
      ->check(CountText())
      ->option_text("N");
  command->add_flag("--rules", flags->rules,
                    "list all rules in Markdown; with --json in JSON");
  command->footer(kValidateExamples);
  return {command,
          [flags](const Console& console) { return Run(*flags, console); }};
}

}  // namespace heapglot::tool
