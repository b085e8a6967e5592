// How --help looks.
#ifndef HEAPGLOT_TOOLS_HELP_H_
#define HEAPGLOT_TOOLS_HELP_H_

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>

namespace heapglot::tool {

// CLI11's help without its notes on types, defaults and exclusions: the
// descriptions say what matters.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();

  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_subcommands(const CLI::App* app,
                               CLI::AppFormatMode mode) const override;
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  std::string OptionGroups(const CLI::App* app) const;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_HELP_H_
