// Shuts the process off from all that it does not need, for code that reads
// hostile input. Linux only; elsewhere, and if the kernel refuses, nothing
// happens.
//
// Two fences:
//
//   seccomp   no programs, no processes, no sockets, no memory that can be
//             executed. No file can be opened, except for temporary files
//             without a name, and for what is announced below.
//   Landlock  only files that are announced below, by path. From Linux 5.13 on.
//
// What code that has taken over the process can still do: rename and remove
// files in the directory of an output, and read or write whatever is open.
#ifndef HEAPGLOT_TOOLS_SANDBOX_H_
#define HEAPGLOT_TOOLS_SANDBOX_H_

#include <string>
#include <vector>

namespace heapglot::tool {

class Sandbox {
 public:
  // `wanted`: false for --no-sandbox.
  explicit Sandbox(bool wanted) : is_wanted_(wanted) {}

  // What must be possible in the sandbox. Call these before Enter(). "-" and
  // the empty path are ignored.
  //
  // A file that will be opened for reading.
  void AnnounceInput(const std::string& path);
  // A file that will be replaced by one that is already being written.
  void AnnounceOutput(const std::string& path);
  // A file that will be opened for writing.
  void AnnounceNewFile(const std::string& path);

  // Enters the sandbox for good, with all threads that are started from now on;
  // open files stay open. No other thread may exist. Calling it again is
  // harmless. Returns whether it has tried to enter now.
  bool Enter();

  // What keeps the process from being in the sandbox, or in all of it, in a few
  // words; empty if nothing does.
  const std::string& problem() const { return problem_; }

 private:
  void InstallFilter();

  bool is_wanted_;
  bool is_tried_ = false;
  bool opens_inputs_ = false;
  bool creates_files_ = false;
  std::vector<std::string> inputs_;
  std::vector<std::string> directories_;  // of outputs
  std::string problem_;
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_SANDBOX_H_
