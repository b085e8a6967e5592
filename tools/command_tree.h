// The command line as data, for completions and the manual.
#ifndef HEAPGLOT_TOOLS_COMMAND_TREE_H_
#define HEAPGLOT_TOOLS_COMMAND_TREE_H_

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

namespace heapglot::tool {

// A flag, or a positional argument.
struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; an argument: "INPUT"
  std::string value;               // what follows: "FILE"; empty: nothing
  std::vector<std::string> words;  // that it may be; empty: any
  std::string text;                // one line
  std::string group;               // heading in the help
  bool list = false;               // several of `words`, separated by commas
  bool argument = false;           // positional
  bool required = false;
  bool repeated = false;  // may be given several times

  // Whether the value names a file.
  bool TakesFile() const;
  // Whether the value names a directory.
  bool TakesDirectory() const { return value == "DIR"; }
};

// The command or one of its verbs.
struct CommandEntry {
  std::string name;
  std::string text;    // one line
  std::string footer;  // "Examples:\n  heapglot ...\n\nFurther remarks."
  std::vector<OptionEntry> options;
  std::vector<CommandEntry> verbs;
};

// Leaves out what the help hides.
CommandEntry DescribeCommand(const CLI::App& command);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_COMMAND_TREE_H_
