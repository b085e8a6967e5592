#include <string>
#include <string_view>
#include <vector>

#include "tools/completions.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

std::string FishText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// Completes the value of a flag.
std::string FishAction(const OptionEntry& option) {
  if (option.list) {
    const std::string list = R"((__fish_complete_list , 'string split " " ")" +
                             Join(option.words, ' ') + R"("'))";
    return " -x -a " + FishText(list);
  }
  if (!option.words.empty())
    return " -x -a " + FishText(Join(option.words, ' '));
  if (option.TakesDirectory()) {
    return " -x -a " + FishText("(__fish_complete_directories)");
  }
  return option.TakesFile() ? " -r -F" : " -x";
}

std::string And(const std::string& a, const std::string& b) {
  return a.empty() ? b : a + "; and " + b;
}

// Lines for the command; `condition` tells whether it is typed.
std::string Lines(const CommandEntry& command, const std::string& condition,
                  const std::string& program) {
  // Only for the command itself, not for its verbs.
  std::string own = condition;
  if (!command.verbs.empty()) {
    own = And(condition, "not __fish_seen_subcommand_from");
    for (const CommandEntry& verb : command.verbs) own += ' ' + verb.name;
  }
  std::string start = "complete -c " + program;
  if (!own.empty()) start += " -n " + FishText(own);
  std::string text;
  for (const CommandEntry& verb : command.verbs) {
    text += start + " -f -a " + verb.name + " -d " + FishText(verb.text) + "\n";
  }
  for (const OptionEntry& option : command.options) {
    if (option.argument) {
      if (!option.words.empty()) {
        text += start + " -f -a " + FishText(Join(option.words, ' ')) + "\n";
      }
      continue;
    }
    std::string line = start;
    for (const std::string& name : option.names) {
      line += name.starts_with("--") ? " -l " + name.substr(2)
                                     : " -s " + name.substr(1);
    }
    if (!option.value.empty()) line += FishAction(option);
    text += line + " -d " + FishText(option.text) + "\n";
  }
  for (const CommandEntry& verb : command.verbs) {
    text +=
        Lines(verb, And(condition, "__fish_seen_subcommand_from " + verb.name),
              program);
  }
  return text;
}

}  // namespace

std::string FishCompletions(const CommandEntry& command) {
  return "# Made by: heapglot completions fish\n" +
         Lines(command, {}, command.name);
}

}  // namespace heapglot::tool
