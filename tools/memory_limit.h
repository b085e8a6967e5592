// How much memory the process may take, so that it ends with a reason before the
// system kills it.
#ifndef HEAPGLOT_TOOLS_MEMORY_LIMIT_H_
#define HEAPGLOT_TOOLS_MEMORY_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace heapglot::tool {

// What --max-memory is if it is not given, in bytes: three quarters of the memory
// of the machine, or of the control group that the process is in, if that is
// less. 0 if that cannot be found out. `root` is where proc and sys are.
std::uint64_t DefaultMaxMemory(const std::filesystem::path& root = "/");

// What one of `processes` that work side by side may take: `wanted`, or else, if that
// is 0, its share of DefaultMaxMemory().
std::uint64_t MemoryShare(std::uint64_t wanted, std::size_t processes);

// From now on allocations that would take more than `bytes` in all fail; 0: more
// than DefaultMaxMemory(). What counts is the memory that is written to and is of
// no file; not the input, nor what is spooled. Has an effect once, and before the
// sandbox. None in builds without the sandbox:
// sanitizers take terabytes of addresses.
void LimitMemory(std::uint64_t bytes);

// Has what is freed go back to the system. glibc would keep ever more of it, up
// to 16 MiB a time, the larger the blocks are that were freed before.
void GiveBackFreedMemory();

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_MEMORY_LIMIT_H_
