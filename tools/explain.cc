// heapglot explain: what a conversion keeps and loses, without a file.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heapglot/format.h"
#include "tools/explain_page.h"
#include "tools/flags.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kExplainName[] = "explain";
constexpr char kExplainExamples[] = R"(Examples:
  heapglot explain                                  all targets side by side
  heapglot explain --from dartheap --to heapsnapshot
  heapglot explain --from netcf --to ndjson --json

To see what a conversion really lost, use heapglot convert --report FILE.)";

struct ExplainFlags {
  std::string from;
  std::string to;
  std::string unreachable;  // empty: as suits the formats
  bool json = false;
  bool matrix = false;
  bool tables = false;
};

template <typename Info>
std::vector<std::string_view> NamesOf(std::span<const Info* const> table) {
  std::vector<std::string_view> names;
  for (const Info* const info : table) names.push_back(info->name);
  return names;
}

int Run(const ExplainFlags& flags, const Console& console) {
  if (flags.from.empty() != flags.to.empty()) {
    return console.Usage(kExplainName, flags.from.empty()
                                           ? "--to needs --from"
                                           : "--from needs --to");
  }
  const bool is_pair = !flags.from.empty();
  if (is_pair && (flags.matrix || flags.tables)) {
    return console.Usage(kExplainName,
                         "--matrix and --tables show all formats");
  }
  if (!is_pair && !flags.unreachable.empty())
    return console.Usage(kExplainName, "--unreachable needs --from and --to");
  if (flags.matrix) return console.Print(MatrixMarkdown());
  if (flags.tables) return console.Print(TablesMarkdown());
  const PageStyle style = {.columns = StdoutColumns(),
                           .color = console.StdoutHasColor(),
                           .unicode = StdoutIsUtf8()};
  if (!is_pair) {
    return console.Print(flags.json ? MatrixJson() : MatrixPage(style));
  }
  const ReaderInfo& from = *FindReader(flags.from);
  const WriterInfo& to = *FindWriter(flags.to);
  const std::optional<Unreachable> unreachable =
      ParseUnreachable(flags.unreachable);
  return console.Print(flags.json ? ExplainJson(from, to, unreachable)
                                  : ExplainPage(from, to, unreachable, style));
}

}  // namespace

Verb AddExplain(CLI::App& app) {
  const auto flags = std::make_shared<ExplainFlags>();
  CLI::App* command = app.add_subcommand(
      kExplainName, "Shows what a conversion keeps and loses.");
  command->add_option("--from", flags->from, "source format")
      ->check(OneOf(NamesOf(Readers())))
      ->option_text("FORMAT");
  command->add_option("--to", flags->to, "target format")
      ->check(OneOf(NamesOf(Writers())))
      ->option_text("FORMAT");
  command
      ->add_option("--unreachable", flags->unreachable,
                   "the value of convert's option: keep, root or drop;\n"
                   "default: what convert does without the option")
      ->check(UnreachableWord())
      ->option_text("WHAT");
  CLI::Option* json = command->add_flag("--json", flags->json, "print JSON");
  CLI::Option* matrix = command->add_flag("--matrix", flags->matrix,
                                          "all targets as a table in Markdown");
  command
      ->add_flag("--tables", flags->tables, "all targets in full, in Markdown")
      ->excludes(matrix)
      ->excludes(json);
  matrix->excludes(json);
  command->footer(kExplainExamples);
  return {command,
          [flags](const Console& console) { return Run(*flags, console); }};
}

}  // namespace heapglot::tool
