#include "tools/command_tree.h"

#include <algorithm>
#include <string_view>

namespace heapglot::tool {
namespace {

// Help texts have line breaks for a terminal of 80 columns.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The words in the descriptions of OneOf() and ListOf(): "TEXT:a|b".
std::vector<std::string> WordsOf(std::string_view type) {
  std::vector<std::string> words;
  const std::size_t colon = type.find(':');
  if (colon == std::string_view::npos) return words;
  type.remove_prefix(colon + 1);
  if (type.find('|') == std::string_view::npos) return words;
  while (!type.empty()) {
    const std::size_t end = std::min(type.find('|'), type.size());
    words.emplace_back(type.substr(0, end));
    type.remove_prefix(std::min(end + 1, type.size()));
  }
  return words;
}

OptionEntry DescribeOption(const CLI::Option& option) {
  OptionEntry entry;
  entry.argument = option.get_positional();
  if (entry.argument) {
    entry.names.push_back(option.get_name(true));
    entry.value = entry.names.front();
  }
  for (const std::string& name : option.get_snames()) {
    entry.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    entry.names.push_back("--" + name);
  }
  if (!entry.argument && option.get_items_expected_max() > 0) {
    entry.value = option.get_option_text();
  }
  entry.words = WordsOf(option.get_type_name());
  entry.list = entry.value.ends_with(",...");
  entry.text = OneLine(option.get_description());
  entry.group = option.get_group();
  entry.required = option.get_required();
  entry.repeated = option.get_items_expected_max() > 1;
  return entry;
}

}  // namespace

bool OptionEntry::TakesFile() const {
  static constexpr std::string_view kFiles[] = {"INPUT", "OUTPUT", "FILE", "A",
                                                "B"};
  return std::find(std::begin(kFiles), std::end(kFiles), value) !=
         std::end(kFiles);
}

CommandEntry DescribeCommand(const CLI::App& command) {
  CommandEntry entry;
  entry.name = command.get_name();
  entry.text = OneLine(command.get_description());
  entry.footer = command.get_footer();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) {
      entry.options.push_back(DescribeOption(*option));
    }
  }
  for (const CLI::App* verb : command.get_subcommands({})) {
    if (!verb->get_group().empty()) {
      entry.verbs.push_back(DescribeCommand(*verb));
    }
  }
  return entry;
}

}  // namespace heapglot::tool
