// heapglot completions: a script for the user's shell.
#include "tools/completions.h"

#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "tools/flags.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kCompletionExamples[] =
    R"(Examples:
  heapglot completions bash > ~/.local/share/bash-completion/completions/heapglot
  heapglot completions zsh > ~/.zfunc/_heapglot
  heapglot completions fish > ~/.config/fish/completions/heapglot.fish

For zsh, put fpath+=~/.zfunc before compinit in ~/.zshrc.)";

struct Shell {
  std::string_view name;
  std::string (*script)(const CommandEntry& command);
};

constexpr Shell kShells[] = {{"bash", BashCompletions},
                             {"zsh", ZshCompletions},
                             {"fish", FishCompletions}};

std::vector<std::string_view> ShellNames() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kShells));
  for (const Shell& shell : kShells) names.push_back(shell.name);
  return names;
}

}  // namespace

Verb AddCompletions(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "completions", "Prints a completion script for a shell.");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(OneOf(ShellNames()));
  command->footer(kCompletionExamples);
  return {command, [shell, &app](const Console& console) {
            std::string script;
            for (const Shell& known : kShells) {
              if (known.name == *shell) {
                script = known.script(DescribeCommand(app));
              }
            }
            return console.Print(script);
          }};
}

}  // namespace heapglot::tool
