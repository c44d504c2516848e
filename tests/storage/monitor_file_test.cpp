#include "retropg/storage/monitor_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "retropg/storage/examination.hpp"
#include "support/examined.hpp"
#include "support/files.hpp"
#include "support/run_on_disk.hpp"

namespace retropg::test {
namespace {

const std::vector<std::string> kRun = {"train.iterations=7", "algo.name=svrpg", "algo.batch=3", "checkpoint.every=2",
                                       "env.horizon=30"};

/// Lines without their times, which must not decrease.
std::vector<std::string> without_times(const std::filesystem::path& file) {
  std::vector<std::string> result = lines(read_file(file));
  result.erase(result.begin(), result.begin() + 2);
  double last = 0.0;
  for (std::string& line : result) {
    const std::size_t comma = line.rfind(',');
    const double time = std::stod(line.substr(comma + 1));
    EXPECT_GE(time, last);
    last = time;
    line.resize(comma);
  }
  return result;
}

TEST(MonitorFile, HasTheFormOfStableBaselines3) {
  EXPECT_EQ(monitor_header("CartPole-v1", 1767225600.25),
            "#{\"t_start\":1767225600.25,\"env_id\":\"CartPole-v1\"}\nr,l,t\n");
  std::string text;
  const std::vector<Outcome> outcomes = {
      {.value = 9.0, .length = 9}, {.value = -1.0 / 3.0, .length = 200}, {.value = 1e305, .length = 1}};
  append_monitor(text, outcomes, 2.0 / 3.0);
  EXPECT_EQ(text, "9,9,0.666667\n-0.333333,200,0.666667\n1e+305,1,0.666667\n");
}

TEST(MonitorFile, HasALinePerTrajectoryOfEveryDraw) {
  const TemporaryFolder folder;
  TrainingRun run(configured(kRun));
  make_output_folder(folder / "r");
  RunFolder run_folder(folder / "r", run, "x", [](const std::string& line) { ADD_FAILURE() << line; });
  Index trajectories = 0, steps = 0, summed = 0;
  run_folder.finish(run.train([&](const IterationRecord& record) {
    run_folder.record(record);
    for (const Outcome& outcome : record.outcomes) summed += outcome.length;
    steps = record.steps;
    trajectories = record.trajectories;
    return true;
  }));
  EXPECT_EQ(summed, steps);
  const std::vector<std::string> rows = without_times(folder / "r/monitor.csv");
  EXPECT_EQ(as_index(rows.size()), trajectories);
  Index written = 0;
  for (const std::string& row : rows) {
    const double value = std::stod(row.substr(0, row.find(',')));
    const Index length = std::stoll(row.substr(row.find(',') + 1));
    EXPECT_EQ(value, static_cast<double>(length)) << "Cart Pole pays 1 per step";
    written += length;
  }
  EXPECT_EQ(written, steps);
}

TEST(MonitorFile, OfAResumedRunHasTheSameTrajectories) {
  const TemporaryFolder folder;
  write_run(folder / "whole", kRun);
  for (Index until = 1; until < 7; ++until) {
    const std::filesystem::path path = folder / std::to_string(until);
    write_run(path, kRun, Ending::kKilled, until);
    const ResumedRun resumed = resume_run(path, {}, [](const std::string& line) { ADD_FAILURE() << line; });
    resumed.folder->finish(resumed.run->train([&](const IterationRecord& record) {
      resumed.folder->record(record);
      return true;
    }));
    EXPECT_EQ(without_times(path / "monitor.csv"), without_times(folder / "whole/monitor.csv")) << until;
    EXPECT_EQ(complaints(examine_run(path).findings), "") << until;
  }
}

TEST(MonitorFile, IsOfARunThatAsksForIt) {
  const TemporaryFolder folder;
  write_run(folder / "without", {"train.iterations=3", "train.eval_every=1", "log.monitor=false"});
  EXPECT_FALSE(std::filesystem::exists(folder / "without/monitor.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "without/evaluations.npz"));
  EXPECT_TRUE(std::filesystem::exists(folder / "without/evaluations.csv"));
  EXPECT_EQ(complaints(examine_run(folder / "without").findings), "");
}

TEST(MonitorFile, ThatIsDamagedIsFound) {
  const TemporaryFolder folder;
  write_run(folder / "r", kRun);
  const std::filesystem::path file = folder / "r/monitor.csv";
  const std::string whole = read_file(file);
  const auto expect_damage = [&](std::string text, const std::string& from, const std::string& to,
                                 const std::string& complaint) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_file(file, text.replace(at, from.size(), to));
    expect_finding(examine_run(folder / "r"), "monitor.csv", Severity::kDamaged, complaint);
  };
  expect_damage(whole, "#", "", "line 1: is not the first line");
  expect_damage(whole, "r,l,t", "r,t,l", "line 2: is not the header");
  const std::string third = lines(whole).at(2) + "\n";
  expect_damage(whole, third, "x" + third, "line 3: 'x");
  expect_damage(whole, third, "1,2\n", "line 3: has 2 cells; expected 3");
  expect_damage(whole, third, "1,1,1e9\n", "line 4: is of an earlier time");
  expect_damage(whole, third, "1,0,0\n", "line 3: has a trajectory of 0 steps");
  expect_damage(whole, third, "1,9223372036854775807,0\n", "line 4: has a trajectory of ");  // more than can be counted
  expect_damage(whole, third, "", "");
  const std::string length = third.substr(0, third.find(','));  // of Cart Pole also the return
  expect_damage(whole, third,
                third.substr(0, length.size() + 1) + (length[0] == '9' ? "8" : "9") + third.substr(length.size() + 2),
                " steps, but the run ");
  write_file(file, whole.substr(0, whole.size() - 2));
  expect_finding(examine_run(folder / "r"), "monitor.csv", Severity::kDamaged, "lines are lost");
}

}  // namespace
}  // namespace retropg::test
