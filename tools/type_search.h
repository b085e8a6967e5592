// Which dumps of an archive have objects of a class, beyond the largest classes
// that the manifest lists.
#ifndef HEAPGLOT_TOOLS_TYPE_SEARCH_H_
#define HEAPGLOT_TOOLS_TYPE_SEARCH_H_

#include <set>
#include <string>
#include <utility>

#include "tools/console.h"
#include "tools/flags.h"

namespace heapglot::tool {

class TypeSearch {
 public:
  // Searches for classes with `text` in their names, as `info` shows them.
  // `in.limits.max_threads`: dumps at a time, each in its own process.
  TypeSearch(std::string directory, std::string text, const InputFlags& in,
             const Console& console)
      : directory_(std::move(directory)),
        text_(std::move(text)),
        in_(in),
        console_(console) {}

  // Those of `digests` that have such objects. A dump that cannot be read is
  // reported on stderr, and left out.
  // Errors: kInternal if no process can be started.
  Result<std::set<std::string>> Find(const std::set<std::string>& digests);

  // 0, or the exit code of the first dump that could not be read.
  int exit_code() const { return exit_code_; }

 private:
  std::string Work(const std::string& digest) const;
  Result<bool> HasType(const std::string& digest, std::string* blamed) const;

  const std::string directory_;
  const std::string text_;
  const InputFlags& in_;
  const Console& console_;
  std::size_t workers_ = 1;
  int exit_code_ = 0;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_TYPE_SEARCH_H_
