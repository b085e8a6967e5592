// Limits the memory of the process, so that it ends with a reason before the
// system kills it.
#ifndef HEAPGLOT_TOOLS_MEMORY_LIMIT_H_
#define HEAPGLOT_TOOLS_MEMORY_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace heapglot::tool {

// The default of --max-memory, in bytes: three quarters of the memory of the
// machine, or of the control group that the process is in, if that is less. 0
// if that cannot be found out. `root` is where proc and sys are.
std::uint64_t DefaultMaxMemory(const std::filesystem::path& root = "/");

// What each of `processes` that run side by side may take: `wanted` or, if that
// is 0, its share of DefaultMaxMemory().
std::uint64_t MemoryShare(std::uint64_t wanted, std::size_t processes);

// From now on, allocations fail that would take more than `bytes` in total; 0:
// more than DefaultMaxMemory(). Counts memory that is written to and belongs to
// no file: not the input, nor what is spooled. Works once, and before entering
// the sandbox. No effect in builds without the sandbox: sanitizers take
// terabytes of addresses.
void LimitMemory(std::uint64_t bytes);

// Makes freed memory go back to the system. glibc would keep ever more of it,
// up to 16 MiB at a time, the larger the blocks are that were freed before.
void GiveBackFreedMemory();

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_MEMORY_LIMIT_H_
