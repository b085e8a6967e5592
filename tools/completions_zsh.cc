#include <string>
#include <string_view>
#include <vector>

#include "tools/completions.h"
#include "tools/text.h"

namespace heapglot::tool {
namespace {

// Quotes `text` for a specification of _arguments in single quotes.
std::string ZshText(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else {
      quoted += c;
    }
  }
  return quoted;
}

// Completes the value: ":FILE:_files".
std::string ZshAction(const OptionEntry& option) {
  const std::string message = ":" + ZshText(option.value) + ":";
  if (option.list) {
    return message + "_values -s , " + ZshText(option.value) + " " +
           Join(option.words, ' ');
  }
  if (!option.words.empty()) {
    return message + "(" + Join(option.words, ' ') + ")";
  }
  if (option.TakesDirectory()) return message + "_files -/";
  return message + (option.TakesFile() ? "_files" : " ");
}

// The specification of the option for _arguments.
std::string SpecificationOf(const OptionEntry& option) {
  if (option.argument) {
    return std::string("'") + (option.repeated ? "*" : "") + ZshAction(option) +
           "'";
  }
  const std::string rest =
      "[" + ZshText(option.text) + "]" +
      (option.value.empty() ? std::string() : ZshAction(option)) + "'";
  if (option.names.size() == 1) return "'" + option.names.front() + rest;
  return "'(" + Join(option.names, ' ') + ")'{" + Join(option.names, ',') +
         "}'" + rest;
}

std::string FunctionName(const std::string& path) {
  std::string name = "_" + path;
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
}

// A function for the command and for each of its verbs. `path` is the verbs so
// far.
std::string Functions(const CommandEntry& command, const std::string& path) {
  std::string text;
  for (const CommandEntry& verb : command.verbs) {
    text += Functions(verb, path + ' ' + verb.name);
  }
  text += FunctionName(path) + "() {\n";
  if (!command.verbs.empty()) {
    text += "  local context state state_descr line\n  typeset -A opt_args\n";
  }
  text += command.verbs.empty() ? "  _arguments -s" : "  _arguments -C -s";
  for (const OptionEntry& option : command.options) {
    text += " \\\n    " + SpecificationOf(option);
  }
  if (command.verbs.empty()) return text + "\n}\n\n";
  text += " \\\n    '1:verb:->verb' '*::argument:->argument'\n";
  text += "  case $state in\n  verb)\n    local -a verbs=(\n";
  for (const CommandEntry& verb : command.verbs) {
    text += "      '" + verb.name + ":" + ZshText(verb.text) + "'\n";
  }
  text +=
      "    )\n    _describe verb verbs ;;\n  argument)\n    case $line[1] in\n";
  for (const CommandEntry& verb : command.verbs) {
    text += "      " + verb.name + ") " + FunctionName(path + ' ' + verb.name) +
            " ;;\n";
  }
  return text + "    esac ;;\n  esac\n}\n\n";
}

}  // namespace

std::string ZshCompletions(const CommandEntry& command) {
  const std::string name = FunctionName(command.name);
  return "#compdef " + command.name +
         "\n# Made by: heapglot completions zsh\n\n" +
         Functions(command, command.name) +
         // As a file in $fpath it is called at once; sourced, it is not.
         "if [[ $funcstack[1] == " + name + " ]]; then\n  " + name +
         " \"$@\"\nelse\n  compdef " + name + " " + command.name + "\nfi\n";
}

}  // namespace heapglot::tool
