#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "retropg/configuration/memory.hpp"
#include "support/files.hpp"

namespace retropg::test {
namespace {

namespace fs = std::filesystem;

/// A made-up root folder with the groups of this process.
class MemoryLimit : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const fs::path path = folder_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  TemporaryFolder folder_;
};

TEST_F(MemoryLimit, IsThatOfTheMachineWithoutGroups) {
  const double machine = memory_limit(folder_.path().string());
  EXPECT_GT(machine, 1e7);
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(memory_limit(folder_.path().string()), machine);
}

TEST_F(MemoryLimit, IsTheSmallestOfTheGroupAndTheGroupsItIsIn) {
  write("proc/self/cgroup", "0::/user.slice/job/step\n");
  write("sys/fs/cgroup/user.slice/memory.max", "4000000\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", "2000000\n");
  write("sys/fs/cgroup/user.slice/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/user.slice/other/memory.max", "1000000\n");
  EXPECT_EQ(memory_limit(folder_.path().string()), 2e6);
  write("sys/fs/cgroup/user.slice/job/step/memory.max", "1500000\n");
  EXPECT_EQ(memory_limit(folder_.path().string()), 1.5e6);
  write("sys/fs/cgroup/user.slice/memory.max", "500000\n");
  EXPECT_EQ(memory_limit(folder_.path().string()), 5e5);
}

TEST_F(MemoryLimit, OfAContainerThatDoesNotSeeItsGroupIsItsRoot) {
  write("proc/self/cgroup", "0::/docker/0123456789abcdef\n");
  write("sys/fs/cgroup/memory.max", "3000000\n");
  EXPECT_EQ(memory_limit(folder_.path().string()), 3e6);
  write("proc/self/cgroup", "0::/../../other\n");
  EXPECT_EQ(memory_limit(folder_.path().string()), 3e6);
}

TEST_F(MemoryLimit, ReadsTheFirstVersionOfGroups) {
  write("proc/self/cgroup", "12:cpu,cpuacct:/cpu\n5:hugetlb,memory:/slurm/job\n1:name=systemd:/x\n");
  write("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "6000000\n");
  write("sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit(folder_.path().string()), 6e6);
}

TEST_F(MemoryLimit, IgnoresWhatItCannotRead) {
  const double machine = memory_limit(folder_.path().string());
  for (const char* groups : {"", "nonsense", "0::", "a:b", "1:cpu:/a", "0::/a"}) {
    write("proc/self/cgroup", groups);
    for (const char* limit : {"", "many", "-5", "12x", "99999999999999999999999"}) {
      write("sys/fs/cgroup/memory.max", limit);
      EXPECT_EQ(memory_limit(folder_.path().string()), machine) << groups << ", " << limit;
    }
  }
}

}  // namespace
}  // namespace retropg::test
