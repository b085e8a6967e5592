// Scripts that let a shell complete what is typed after `heapglot`.
#ifndef HEAPGLOT_TOOLS_COMPLETIONS_H_
#define HEAPGLOT_TOOLS_COMPLETIONS_H_

#include <string>

#include "tools/command_tree.h"

namespace heapglot::tool {

// For bash 4 and later, without the bash-completion package.
std::string BashCompletions(const CommandEntry& command);
// For zsh's compinit: to be a file _heapglot in $fpath, or to be sourced.
std::string ZshCompletions(const CommandEntry& command);
// For fish 3.
std::string FishCompletions(const CommandEntry& command);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_COMPLETIONS_H_
