// The command `heapglot`, for a program that adds formats to it.
#ifndef HEAPGLOT_COMMAND_H_
#define HEAPGLOT_COMMAND_H_

namespace heapglot {

// Runs the command line and returns the exit code (status.h, and 128 + n for
// signals). Every verb knows the formats that have been registered before: a
// `main` that registers a format and returns the result of this is a heapglot
// with that format.
//
// RunCommand() takes over the whole process: it handles signals, limits memory,
// writes to standard output and standard error, and, if the kernel has a
// sandbox, enters it; readers and writers cannot open files there. Call it
// once, before there are threads. `argv` is that of main().
//
// It is in a library of its own, libheapglot_command, which is always static.
int RunCommand(int argc, const char* const* argv);

}  // namespace heapglot

#endif  // HEAPGLOT_COMMAND_H_
