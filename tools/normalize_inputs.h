// Which files `normalize` is to read.
#ifndef HEAPGLOT_TOOLS_NORMALIZE_INPUTS_H_
#define HEAPGLOT_TOOLS_NORMALIZE_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heapglot/status.h"

namespace heapglot::tool {

struct NormalizeInput {
  std::string path;
  std::uint64_t size = 0;  // bytes; 0 if it is not there
};

struct NormalizeInputs {
  std::vector<NormalizeInput> files;
  std::vector<std::string> links;  // to directories, which are not followed
};

// The files that `arguments` name, sorted by path, each once: files, all regular
// files in directories and below, but for those in `archive`; patterns of the shell,
// where there is no file of that name; and for "-" what standard input lists, a
// path a line or, if there are any, before each NUL.
// What is not there is an input all the same: its row will say so.
// Errors: kInput when a directory or standard input cannot be read; kUsage when
// a pattern fits nothing.
Result<NormalizeInputs> ListInputs(const std::vector<std::string>& arguments,
                                   const std::string& archive);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_NORMALIZE_INPUTS_H_
