// The command line as data, for what describes it: completions and the manual.
#ifndef HEAPGLOT_TOOLS_COMMAND_TREE_H_
#define HEAPGLOT_TOOLS_COMMAND_TREE_H_

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

namespace heapglot::tool {

// A flag, or an argument that is given by its place.
struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; an argument: "INPUT"
  std::string value;               // what follows: "FILE"; empty: nothing
  std::vector<std::string> words;  // that it may be; empty: anything
  std::string text;                // one line
  std::string group;               // heading in the help
  bool list = false;      // several of `words`, with commas between them
  bool argument = false;  // by its place
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

// What is hidden from the help is not in it.
CommandEntry DescribeCommand(const CLI::App& command);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_COMMAND_TREE_H_
