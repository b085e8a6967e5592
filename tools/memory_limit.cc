#include "tools/memory_limit.h"

#ifdef __linux__
#include <malloc.h>
#endif
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace heapglot::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// The number that is the first word of a file; kUnlimited if there is none, for
// example if the file says "max".
std::uint64_t NumberIn(const fs::path& file) {
  std::uint64_t number = 0;
  std::ifstream in(file);
  return in >> number ? number : kUnlimited;
}

// The lowest limit of `group` ("/a/b") and of the groups above it.
std::uint64_t GroupLimit(const fs::path& mount, std::string_view group,
                         const char* file) {
  std::uint64_t limit = kUnlimited;
  fs::path path = fs::path(group).relative_path();
  while (true) {
    limit = std::min(limit, NumberIn(mount / path / file));
    if (path.empty()) return limit;
    path = path.parent_path();
  }
}

// The limit of the process's control groups, version 1 or 2: cgroups(7).
std::uint64_t GroupLimit(const fs::path& root) {
  std::uint64_t limit = kUnlimited;
  const fs::path mount = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  // HIERARCHY:CONTROLLER,...:GROUP; there are no controllers in version 2.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view group = std::string_view(line).substr(second + 1);
    const std::string controllers =
        "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == ",,") {
      limit = std::min(limit, GroupLimit(mount, group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = std::min(
          limit, GroupLimit(mount / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

// The memory of the machine.
std::uint64_t MachineMemory(const fs::path& root) {
  // MemTotal:       24606132 kB
  std::ifstream info(root / "proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  if (!(info >> name >> kib) || name != "MemTotal:") return kUnlimited;
  return kib * 1024;
}

}  // namespace

std::uint64_t DefaultMaxMemory(const fs::path& root) {
  const std::uint64_t memory = std::min(MachineMemory(root), GroupLimit(root));
  return memory == kUnlimited ? 0 : memory / 4 * 3;
}

void GiveBackFreedMemory() {
#ifdef __GLIBC__
  // Setting it is enough to keep the threshold from growing.
  constexpr int kLarge = 1 << 20;
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, kLarge));
#endif
}

std::uint64_t MemoryShare(std::uint64_t wanted, std::size_t processes) {
  return wanted != 0 ? wanted : DefaultMaxMemory() / processes;
}

void LimitMemory(std::uint64_t bytes) {
#ifdef HEAPGLOT_SANDBOX
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  if (bytes == 0) bytes = DefaultMaxMemory();
  rlimit limit = {};
  if (bytes == 0 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes);
  // Cannot fail, because the limit is not raised.
  static_cast<void>(setrlimit(RLIMIT_DATA, &limit));
#else
  static_cast<void>(bytes);
#endif
}

}  // namespace heapglot::tool
