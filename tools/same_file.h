// Whether two names on the command line are the same file.
#ifndef HEAPGLOT_TOOLS_SAME_FILE_H_
#define HEAPGLOT_TOOLS_SAME_FILE_H_

#include <string>

namespace heapglot::tool {

// Whether writing one of these files would touch the other. Neither has to
// exist. "-" is only the same as itself; an existing device or pipe is never
// the same.
bool SameFile(const std::string& a, const std::string& b);

// Whether output to one of these would end up in the middle of the other: also
// for a pipe or a terminal, if both are the same descriptor.
bool SameOutput(const std::string& a, const std::string& b);

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_SAME_FILE_H_
