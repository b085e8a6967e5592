// Which files `normalize` reads.
#ifndef HEAPGLOT_TOOLS_NORMALIZE_INPUTS_H_
#define HEAPGLOT_TOOLS_NORMALIZE_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heapglot/status.h"

namespace heapglot::tool {

struct NormalizeInput {
  std::string path;
  std::uint64_t size = 0;  // bytes; 0 if it does not exist
};

struct NormalizeInputs {
  std::vector<NormalizeInput> files;
  std::vector<std::string> links;  // to directories, which are not followed
};

// The files that `arguments` name, sorted by path, each once: files; all
// regular files in and below directories, except for those in `archive`;
// patterns of the shell, if there is no file of that name; and for "-" what
// standard input lists, a path per line or, if it has NULs, one before each. A
// file that does not exist is an input, too: its row will say so.
// Errors: kInput if a directory or standard input cannot be read; kUsage if a
// pattern matches nothing.
Result<NormalizeInputs> ListInputs(const std::vector<std::string>& arguments,
                                   const std::string& archive);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_NORMALIZE_INPUTS_H_
