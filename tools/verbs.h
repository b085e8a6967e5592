// The verbs of the command, one file each. To add one: a file like formats.cc,
// a line here and a line in command.cc.
#ifndef HEAPGLOT_TOOLS_VERBS_H_
#define HEAPGLOT_TOOLS_VERBS_H_

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>

#include "tools/console.h"

namespace heapglot::tool {

// A verb of the command line, and what it does. `run` returns the exit code and
// owns the values of the verb's flags.
struct Verb {
  CLI::App* command = nullptr;
  std::function<int(const Console&)> run;
};

// The exit code of a verb that has found differences or defects.
inline constexpr int kExitDifferent = 10;

// Each adds the verb with its flags to `app`.
Verb AddArchive(CLI::App& app);
Verb AddCompletions(CLI::App& app);
Verb AddConvert(CLI::App& app);
Verb AddDiff(CLI::App& app);
Verb AddExplain(CLI::App& app);
Verb AddFormats(CLI::App& app);
Verb AddInfo(CLI::App& app);
Verb AddManual(CLI::App& app);
Verb AddNormalize(CLI::App& app);
Verb AddQuery(CLI::App& app);
Verb AddRestore(CLI::App& app);
Verb AddRoundtrip(CLI::App& app);
Verb AddValidate(CLI::App& app);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_VERBS_H_
