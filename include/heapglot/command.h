// The command `heapglot`, for a program that knows more formats.
#ifndef HEAPGLOT_COMMAND_H_
#define HEAPGLOT_COMMAND_H_

namespace heapglot {

// Does what the command line says, and returns the exit code (status.h, and
// 128 + n for signals). Formats that have been registered before are known to
// every verb: a `main` that registers one and returns this is a heapglot with
// that format.
//
// It is the whole process: it handles signals, limits memory, writes to standard
// output and standard error, and puts itself into a sandbox where the kernel has
// one, in which readers and writers cannot open files. To be called once, before
// there are threads. `argv` is that of main().
//
// In a library of its own, libheapglot_command, which is always static.
int RunCommand(int argc, const char* const* argv);

}  // namespace heapglot

#endif  // HEAPGLOT_COMMAND_H_
