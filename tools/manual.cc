// heapglot manual: the pages for man(1), in the language of scdoc(5). Hidden:
// for people who build packages.
#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapglot/status.h"
#include "tools/command_tree.h"
#include "tools/text.h"
#include "tools/verbs.h"

namespace heapglot::tool {
namespace {

constexpr char kManualExamples[] = R"(Examples:
  heapglot manual
  heapglot manual heapglot-convert)";

struct ExitCodeEntry {
  int code;
  std::string_view text;
};

std::string Capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  return text;
}

// Our text as scdoc wants it.
std::string Escaped(std::string_view text) {
  std::string escaped;
  if (text.starts_with('-')) escaped += '\\';  // it would start a list
  for (const char c : text) {
    if (std::string_view("_*\\<#`[~+").find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

std::string Bold(std::string_view text) { return "*" + Escaped(text) + "*"; }

std::string Underlined(std::string_view text) {
  return "_" + Escaped(text) + "_";
}

std::string PageName(std::string path) {
  for (char& c : path) {
    if (c == ' ') c = '-';
  }
  return path;
}

std::string Synopsis(const CommandEntry& command, const std::string& path) {
  std::string text = Bold(path);
  for (const OptionEntry& option : command.options) {
    if (!option.argument) continue;
    text += ' ' + (option.required ? Underlined(option.value)
                                   : "[" + Underlined(option.value) + "]");
    if (option.repeated) text += "...";
  }
  for (const OptionEntry& option : command.options) {
    if (option.argument || !option.required) continue;
    text += ' ' + Bold(option.names.front()) + ' ' + Underlined(option.value);
  }
  if (!command.verbs.empty()) text += ' ' + Underlined("VERB");
  return text + " [" + Underlined("OPTIONS") + "]";
}

std::string Term(const OptionEntry& option) {
  if (option.argument) return Underlined(option.value);
  std::string term;
  for (const std::string& name : option.names) {
    if (!term.empty()) term += ", ";
    term += Bold(name);
  }
  return option.value.empty() ? term : term + ' ' + Underlined(option.value);
}

// The arguments, then the flags under the headings of the help.
std::string Options(const CommandEntry& command) {
  std::vector<std::pair<std::string, std::string>> sections = {
      {"Arguments", {}}};
  for (const OptionEntry& option : command.options) {
    const std::string& heading =
        option.argument ? sections.front().first : option.group;
    auto section =
        std::find_if(sections.begin(), sections.end(),
                     [&](const auto& known) { return known.first == heading; });
    if (section == sections.end()) {
      section = sections.insert(section, {heading, {}});
    }
    section->second += Term(option) + "\n\t" + Escaped(option.text) + "\n\n";
  }
  std::string text;
  for (const auto& [heading, entries] : sections) {
    if (!entries.empty()) text += "# " + Capitals(heading) + "\n\n" + entries;
  }
  return text;
}

// The examples of the footer as a literal block, and what follows them.
std::string Footer(const CommandEntry& command) {
  constexpr std::string_view kExamples = "Examples:\n";
  std::string_view rest = command.footer;
  std::string text;
  if (rest.starts_with(kExamples)) {
    rest.remove_prefix(kExamples.size());
    const std::size_t end = std::min(rest.find("\n\n"), rest.size());
    text +=
        "# EXAMPLES\n\n```\n" + std::string(rest.substr(0, end)) + "\n```\n\n";
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  if (!rest.empty()) text += "# NOTES\n\n" + Escaped(rest) + "\n\n";
  return text;
}

std::string ExitStatus() {
  const ExitCodeEntry codes[] = {
      {ExitCode(Code::kOk), "Success."},
      {ExitCode(Code::kInternal), "An internal error."},
      {ExitCode(Code::kUsage), "The command line is wrong."},
      {ExitCode(Code::kMalformed), "The input is malformed."},
      {ExitCode(Code::kTruncated), "The input ends too early."},
      {ExitCode(Code::kLimit), "A limit was hit, or memory ran out."},
      {ExitCode(Code::kUnsupported), "An unknown version or feature."},
      {ExitCode(Code::kLossy), "More would be lost than *--max-loss* allows."},
      {ExitCode(Code::kOutput), "Writing failed."},
      {ExitCode(Code::kInput), "Reading failed."},
      {kExitDifferent, "A difference or a defect was found."},
  };
  std::string text = "# EXIT STATUS\n\n";
  for (const ExitCodeEntry& entry : codes) {
    text += "*" + std::to_string(entry.code) + "*\n\t" +
            std::string(entry.text) + "\n\n";
  }
  return text + "*128 + n*\n\tEnded by signal n.\n\n";
}

// The verbs of a command, if it has any.
std::string Verbs(const CommandEntry& command) {
  if (command.verbs.empty()) return {};
  std::string text = "# VERBS\n\n";
  for (const CommandEntry& verb : command.verbs)
    text += Bold(verb.name) + "\n\t" + Escaped(verb.text) + "\n\n";
  return text;
}

std::string EnvironmentSection() {
  return "# ENVIRONMENT\n\n"
         "*TMPDIR*\n\tDirectory for temporary files, which have no name; "
         "default: "
         "/tmp.\n\n"
         "*NO\\_COLOR*\n\tIf set, *--color auto* uses no color.\n\n"
         "*HEAPGLOT\\_VECTORS*\n\t_plain_ or _avx2_: use no wider "
         "vector instructions than these. The results are the same.\n\n";
}

std::string SeeAlso(const CommandEntry& command, const std::string& path) {
  std::string text;
  for (const CommandEntry& verb : command.verbs) {
    if (!text.empty()) text += ", ";
    text += "*" + PageName(path + ' ' + verb.name) + "*(1)";
  }
  const std::size_t last = path.rfind(' ');
  if (last != std::string::npos) {
    if (!text.empty()) text += ", ";
    text += "*" + PageName(path.substr(0, last)) + "*(1)";
  }
  return "# SEE ALSO\n\n" + text + "\n";
}

// The description as in a line of apropos(1): "converts a dump".
std::string Brief(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  if (!text.empty())
    text.front() = static_cast<char>(std::tolower(text.front()));
  return text;
}

std::string ManualPage(const CommandEntry& command, const std::string& path) {
  return PageName(path) + "(1)\n\n# NAME\n\n" + PageName(path) + " - " +
         Brief(command.text) + "\n\n# SYNOPSIS\n\n" + Synopsis(command, path) +
         "\n\n" + Verbs(command) + Options(command) + Footer(command) +
         EnvironmentSection() + ExitStatus() + SeeAlso(command, path);
}

// The command that the page `name` is about: "heapglot-convert".
struct FoundPage {
  const CommandEntry* command = nullptr;
  std::string path;
};

void ListPages(const CommandEntry& command, const std::string& path,
               std::vector<FoundPage>& pages) {
  pages.push_back({&command, path});
  for (const CommandEntry& verb : command.verbs) {
    ListPages(verb, path + ' ' + verb.name, pages);
  }
}

int Run(const CommandEntry& command, const std::string& name,
        const Console& console) {
  std::vector<FoundPage> pages;
  ListPages(command, command.name, pages);
  std::string names;
  for (const FoundPage& page : pages) {
    if (PageName(page.path) == name || page.command->name == name) {
      return console.Print(ManualPage(*page.command, page.path));
    }
    names += PageName(page.path) + "\n";
  }
  if (name.empty()) return console.Print(names);
  return console.Usage("manual", "there is no page '" + name + "'");
}

}  // namespace

Verb AddManual(CLI::App& app) {
  const auto page = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "manual", "Prints a manual page for scdoc, or lists all pages.");
  command->add_option("PAGE", *page,
                      "name of a page, such as heapglot-convert");
  command->footer(kManualExamples);
  command->group("");
  return {command, [page, &app](const Console& console) {
            return Run(DescribeCommand(app), *page, console);
          }};
}

}  // namespace heapglot::tool
