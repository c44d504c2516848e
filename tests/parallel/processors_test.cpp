#include "retropg/parallel/processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <limits>
#include <string>

#include "retropg/parallel/workers.hpp"
#include "support/files.hpp"

namespace retropg::test {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

/// What stands for "/", with the groups of the process.
class Machine {
 public:
  explicit Machine(const std::string& groups) { put("proc/self/cgroup", groups); }

  void put(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder_ / file).parent_path());
    write_file(folder_ / file, text);
  }
  double quota() const { return processor_quota(root()); }
  std::string root() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
};

TEST(ProcessorQuota, IsTheQuotaOverThePeriod) {
  Machine machine("0::/app\n");
  EXPECT_EQ(machine.quota(), kNone);
  machine.put("sys/fs/cgroup/app/cpu.max", "max 100000\n");
  EXPECT_EQ(machine.quota(), kNone);
  machine.put("sys/fs/cgroup/app/cpu.max", "150000 100000\n");
  EXPECT_EQ(machine.quota(), 1.5);
}

TEST(ProcessorQuota, IsTheSmallestOnTheWayOut) {
  Machine machine("0::/slice/pod/app\n");
  machine.put("sys/fs/cgroup/slice/cpu.max", "800000 100000\n");
  machine.put("sys/fs/cgroup/slice/pod/cpu.max", "200000 50000\n");
  machine.put("sys/fs/cgroup/slice/pod/app/cpu.max", "max 100000\n");
  EXPECT_EQ(machine.quota(), 4.0);
  machine.put("sys/fs/cgroup/slice/cpu.max", "300000 100000\n");
  EXPECT_EQ(machine.quota(), 3.0);
  machine.put("sys/fs/cgroup/slice/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(machine.quota(), 3.0) << "another group's";
}

TEST(ProcessorQuota, InAContainerMayOnlyBeAtTheTop) {
  Machine machine("0::/docker/0123456789\n");
  machine.put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(machine.quota(), 2.0);
  Machine outside("0::/../../other\n");
  outside.put("sys/fs/cgroup/cpu.max", "100000 100000\n");
  outside.put("sys/other/cpu.max", "50000 100000\n");
  EXPECT_EQ(outside.quota(), 1.0);
}

TEST(ProcessorQuota, OfVersionOneIsInTwoFiles) {
  Machine machine("5:memory:/m\n4:cpu,cpuacct:/pod/app\n0::/\n");
  machine.put("sys/fs/cgroup/cpu/pod/app/cpu.cfs_quota_us", "-1\n");
  machine.put("sys/fs/cgroup/cpu/pod/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine.quota(), kNone);
  machine.put("sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us", "250000\n");
  machine.put("sys/fs/cgroup/cpu/pod/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine.quota(), 2.5);
  machine.put("sys/fs/cgroup/memory/m/cpu.cfs_quota_us", "100000\n");
  machine.put("sys/fs/cgroup/memory/m/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine.quota(), 2.5) << "not a group of processors";
}

TEST(ProcessorQuota, ThatCannotBeReadIsNone) {
  EXPECT_EQ(processor_quota("/nowhere"), kNone);
  Machine machine("0::/app\nnonsense\n");
  for (const char* text : {"", "100000", "much 100000\n", "0 0\n", "-5 100000\n"}) {
    machine.put("sys/fs/cgroup/app/cpu.max", text);
    EXPECT_EQ(machine.quota(), kNone) << text;
  }
}

TEST(UsableProcessors, AreLimitedByTheQuotaRoundedUpButThereIsOne) {
  Machine machine("0::/app\n");
  machine.put("sys/fs/cgroup/app/cpu.max", "20000 100000\n");
  EXPECT_EQ(usable_processors(machine.root()), 1);
  machine.put("sys/fs/cgroup/app/cpu.max", "100000000 100000\n");
  cpu_set_t mine{};
  ASSERT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
  EXPECT_EQ(usable_processors(machine.root()), CPU_COUNT(&mine));
}

TEST(UsableProcessors, AreThoseOfTheAffinityMask) {
  cpu_set_t before{}, one{};
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(usable_processors(), 1);
  EXPECT_EQ(thread_count(0), 1);
  EXPECT_EQ(thread_count(3), 3) << "who asks for three gets three";
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace retropg::test
