// The process shut off from all that it does not need, for the code that reads
// hostile input. Linux only; elsewhere, and where the kernel refuses, nothing
// happens.
//
// Two fences:
//
//   seccomp   no programs, no processes, no sockets, no memory that can be
//             executed. No file can be opened, but for temporary files without a
//             name, and for what is announced below.
//   Landlock  of files: what is announced below, by path. From Linux 5.13 on.
//
// What is left to code that has taken over the process: files in the directory
// of an output can be renamed and removed, and whatever is open can be read or
// written.
#ifndef HEAPGLOT_TOOLS_SANDBOX_H_
#define HEAPGLOT_TOOLS_SANDBOX_H_

#include <string>
#include <vector>

namespace heapglot::tool {

class Sandbox {
 public:
  // `wanted`: false for --no-sandbox.
  explicit Sandbox(bool wanted) : is_wanted_(wanted) {}

  // What is to be possible in the sandbox. To be said before Enter(). "-" and
  // the empty path are nothing.
  //
  // A file that will be opened for reading.
  void AnnounceInput(const std::string& path);
  // A file that will be replaced by one that is being written already.
  void AnnounceOutput(const std::string& path);
  // A file that will be written, and be opened for that.
  void AnnounceNewFile(const std::string& path);

  // Goes in, for ever, with all threads that are started from now on; files
  // that are open stay open. No other thread may exist. Once more is harmless.
  // Whether it has tried that now.
  bool Enter();

  // What keeps from being in it, or from being in all of it, in a few words;
  // empty if nothing does.
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
