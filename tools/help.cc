#include "tools/help.h"

#include <sstream>
#include <string>
#include <vector>

namespace heapglot::tool {
namespace {

constexpr std::size_t kTextColumn = 26;

// "-o", "--via".
std::string ShortestName(const CLI::Option& option) {
  return option.get_snames().empty() ? "--" + option.get_lnames().front()
                                     : "-" + option.get_snames().front();
}

// An argument as shown in a usage: "INPUT", "[INPUT...]".
std::string UsageOf(const CLI::Option& argument) {
  const std::string name =
      argument.get_name() + (argument.get_expected_max() > 1 ? "..." : "");
  return argument.get_required() ? name : "[" + name + "]";
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(kTextColumn);
  label("Positionals", "Arguments");
}

// "Usage: heapglot convert INPUT -o OUTPUT [OPTIONS]": all arguments, and the
// required flags.
std::string HelpFormatter::make_usage(const CLI::App* app,
                                      std::string name) const {
  std::string usage = "Usage: " + name;
  for (const bool positional : {true, false}) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional() != positional) continue;
      if (positional)
        usage += " " + UsageOf(*option);
      else if (option->get_required())
        usage += " " + ShortestName(*option) + make_option_opts(option);
    }
  }
  if (!app->get_subcommands({}).empty()) usage += " VERB";
  return usage + " [OPTIONS]\n";
}

std::string HelpFormatter::OptionGroups(const CLI::App* app) const {
  std::string text;
  for (const std::string& group : app->get_groups()) {
    const std::vector<const CLI::Option*> options =
        app->get_options([&](const CLI::Option* option) {
          return option->get_group() == group && option->nonpositional() &&
                 option != app->get_help_all_ptr();
        });
    if (!options.empty()) text += make_group(group, false, options);
  }
  return text;
}

std::string HelpFormatter::make_subcommands(const CLI::App* app,
                                            CLI::AppFormatMode) const {
  std::ostringstream text;
  const std::vector<const CLI::App*> verbs = app->get_subcommands({});
  if (verbs.empty()) return {};
  text << "\nVerbs:\n";
  for (const CLI::App* verb : verbs) {
    if (!verb->get_group().empty()) text << make_subcommand(verb);
  }
  return text.str();
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode mode) const {
  std::string name = app->get_name();
  for (const CLI::App* parent = app->get_parent(); parent != nullptr;
       parent = parent->get_parent()) {
    name.insert(0, parent->get_name() + " ");
  }
  std::string text = make_usage(app, name) + app->get_description() + "\n";
  text += make_positionals(app) + make_subcommands(app, mode);
  text += OptionGroups(app);
  if (!app->get_footer().empty()) text += "\n" + app->get_footer() + "\n";
  return text;
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_option_text().empty()) return {};
  return " " + option->get_option_text();
}

}  // namespace heapglot::tool
