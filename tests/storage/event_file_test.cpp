#include "retropg/storage/event_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/storage/examination.hpp"
#include "retropg/storage/tensorboard_records.hpp"
#include "support/examined.hpp"
#include "support/files.hpp"
#include "support/run_on_disk.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> event_files(const std::filesystem::path& folder) {
  std::vector<std::string> names = listing(folder);
  std::erase_if(names, [](const std::string& name) { return !name.starts_with(kEventFiles); });
  return names;
}

/// Iteration k ends after `spacing` k seconds; returns how many events there are besides the first.
Index events_of(Index iterations, double spacing, bool last_always = false) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), {});
  for (Index k = 1; k <= iterations; ++k) {
    file.add({.iteration = k, .steps = 10 * k}, spacing * static_cast<double>(k), last_always && k == iterations);
  }
  file.flush();
  const RecordsFound found = examine_records(read_file(folder / event_files(folder.path()).at(0)));
  EXPECT_EQ(found.problem, "");
  return found.count - 1;
}

TEST(EventFile, HasEveryIterationOfASlowRun) {
  EXPECT_EQ(events_of(5000, 1.5), 5000);
  EXPECT_EQ(events_of(900, 0.01), 900);
}

TEST(EventFile, HasAFewThousandEventsOfAFastRun) {
  EXPECT_NEAR(static_cast<double>(events_of(50'000, 2e-5)), 1000.0, 50.0) << "a second: one per millisecond";
  // From then on dn / dt = 1000 / t, until t / 1000 is a second.
  EXPECT_NEAR(static_cast<double>(events_of(200'000, 1e-4)), 1000.0 + 1000.0 * std::log(20.0), 200.0);
}

TEST(EventFile, HasTheNewestIterationIfAsked) {
  EXPECT_EQ(events_of(2, 1e-9), 1);
  EXPECT_EQ(events_of(2, 1e-9, true), 2);
}

TEST(EventFile, LeavesOutWhatAMethodDoesNotDefine) {
  const TemporaryFolder folder;
  EventFile file(folder.path(), {});
  file.add({.iteration = 1,
            .steps = 10,
            .diagnostics = {.batches = {{.age = 1, .alpha = 0.5, .lambda = kNan}}},
            .outcomes = {{.value = 1.0, .length = 10}}},
           1.0, false);
  file.flush();
  const std::string bytes = read_file(folder / event_files(folder.path()).at(0));
  for (const char* tag :
       {"brain.Event:2", "rollout/ep_rew_mean", "rollout/ep_len_mean", "rollout/trajectories", "time/iterations",
        "time/total_timesteps", "grad/norm", "reuse/ess", "reuse/ess_age_1", "reuse/log_d2_max", "weights/mean",
        "weights/max", "weights/saturated", "weights/alpha_age_1"}) {
    EXPECT_NE(bytes.find(tag), std::string::npos) << tag;
  }
  EXPECT_EQ(bytes.find("lambda"), std::string::npos);
  EXPECT_EQ(bytes.find("eval/"), std::string::npos);
}

TEST(EventFile, OfAResumedRunComesAfterTheOthers) {
  const TemporaryFolder folder;
  write_file(folder / "events.out.tfevents.9000000000.elsewhere.1", "");
  for (int i = 0; i < 3; ++i) EventFile(folder.path(), {.seconds = 1.0, .repeated = 7}).flush();
  const std::vector<std::string> names = event_files(folder.path());
  ASSERT_EQ(names.size(), 4U);
  EXPECT_TRUE(names[1].starts_with("events.out.tfevents.9000000001."));
  EXPECT_TRUE(names[3].starts_with("events.out.tfevents.9000000003."));
  EXPECT_EQ(examine_records(read_file(folder / names[3])).count, 2) << "the version and the restart";
}

TEST(EventFile, IsOfARunThatAsksForIt) {
  const TemporaryFolder folder;
  write_run(folder / "with", {"train.iterations=3"});
  write_run(folder / "without", {"train.iterations=3", "log.tensorboard=false"});
  EXPECT_EQ(event_files(folder / "with").size(), 1U);
  EXPECT_EQ(event_files(folder / "without").size(), 0U);
  resume_run(folder / "with", {}, [](const std::string& line) { ADD_FAILURE() << line; });
  EXPECT_EQ(event_files(folder / "with").size(), 2U);
}

TEST(EventFile, ThatIsTornIsFineUnlessTheRunEndedWithIt) {
  const TemporaryFolder folder;
  write_run(folder / "r", {"train.iterations=3"});
  const std::string name = event_files(folder / "r").at(0), older = "events.out.tfevents.0000000001.h.1";
  const std::string bytes = read_file(folder / "r" / name);
  write_file(folder / "r" / older, bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(complaints(examine_run(folder / "r").findings), "");
  expect_finding(examine_run(folder / "r"), older, Severity::kFine, ", and a part of one");
  write_file(folder / "r" / older, std::string(20, '\0') + bytes);
  expect_finding(examine_run(folder / "r"), older, Severity::kWarning, "record 1: the checksum of its length is wrong");
  write_file(folder / "r" / name, bytes.substr(0, bytes.size() - 1));
  expect_finding(examine_run(folder / "r"), name, Severity::kDamaged, "ends within record");
}

}  // namespace
}  // namespace retropg::test
