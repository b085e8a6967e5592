// Whether two names of the command line are of one file.
#ifndef HEAPGLOT_TOOLS_SAME_FILE_H_
#define HEAPGLOT_TOOLS_SAME_FILE_H_

#include <string>

namespace heapglot::tool {

// Whether writing one of these files would touch the other. Neither has to be
// there. "-" is the same as itself only, as are devices and pipes.
bool SameFile(const std::string& a, const std::string& b);

// Whether what is written to one of these would be in the middle of the other:
// also of a pipe or a terminal, if both are one and the same descriptor.
bool SameOutput(const std::string& a, const std::string& b);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_SAME_FILE_H_
