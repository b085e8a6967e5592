#include "tools/memory_limit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace heapglot::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1024 * 1024;

// A machine whose kernel reports what is in some files.
class MemoryLimitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "heapglot-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  std::uint64_t Default(
      const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [path, text] : files) {
      fs::create_directories((root_ / path).parent_path());
      std::ofstream(root_ / path) << text;
    }
    return DefaultMaxMemory(root_);
  }

  fs::path root_;
};

const std::pair<std::string, std::string> kMachine = {
    "proc/meminfo", "MemTotal:       1048576 kB\nMemFree:         52 kB\n"};

TEST_F(MemoryLimitTest, IsUnknownWithoutFiles) { EXPECT_EQ(Default({}), 0); }

TEST_F(MemoryLimitTest, IsThreeQuartersOfTheMachine) {
  EXPECT_EQ(Default({kMachine}), 768 * kMiB);
}

TEST_F(MemoryLimitTest, IsThreeQuartersOfTheGroup) {
  EXPECT_EQ(Default({kMachine,
                     {"proc/self/cgroup", "0::/app/job\n"},
                     {"sys/fs/cgroup/app/job/memory.max", "419430400\n"}}),
            300 * kMiB);
}

TEST_F(MemoryLimitTest, IsThatOfTheGroupAround) {
  EXPECT_EQ(Default({kMachine,
                     {"proc/self/cgroup", "0::/app/job\n"},
                     {"sys/fs/cgroup/memory.max", "max\n"},
                     {"sys/fs/cgroup/app/memory.max", "419430400\n"},
                     {"sys/fs/cgroup/app/job/memory.max", "max\n"}}),
            300 * kMiB);
}

// In a container, the group is the root of the mount.
TEST_F(MemoryLimitTest, IsThatOfTheContainer) {
  EXPECT_EQ(Default({kMachine,
                     {"proc/self/cgroup", "0::/\n"},
                     {"sys/fs/cgroup/memory.max", "419430400\n"}}),
            300 * kMiB);
}

TEST_F(MemoryLimitTest, IsThatOfAGroupOfVersion1) {
  EXPECT_EQ(
      Default(
          {kMachine,
           {"proc/self/cgroup", "9:name=x:/\n4:cpu,memory:/job\n0::/\n"},
           {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "419430400\n"}}),
      300 * kMiB);
}

TEST_F(MemoryLimitTest, IsThatOfTheMachineIfTheGroupMayHaveMore) {
  EXPECT_EQ(
      Default({kMachine,
               {"proc/self/cgroup", "4:memory:/job\nrubbish\n1:rubbish\n"},
               {"sys/fs/cgroup/memory/job/memory.limit_in_bytes",
                "9223372036854771712\n"}}),
      768 * kMiB);
}

}  // namespace
}  // namespace heapglot::tool
