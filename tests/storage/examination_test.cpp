#include "retropg/storage/examination.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <optional>

#include "retropg/storage/checkpoint_folder.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/failure_file.hpp"
#include "retropg/storage/results_examination.hpp"
#include "support/examined.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/run_on_disk.hpp"

namespace retropg::test {
namespace {

const std::vector<std::string> kShort = {"train.iterations=5", "algo.batch=3", "checkpoint.every=2"};

std::vector<std::string> with(std::vector<std::string> settings, const std::string& more) {
  settings.push_back(more);
  return settings;
}

std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> result;
  for (const std::string& name : listing(folder)) {
    if (std::filesystem::is_regular_file(folder / name)) result[name] = read_file(folder / name);
  }
  return result;
}

Index resumed_after(const std::filesystem::path& path) {
  return resume_run(path, {}, [](const std::string&) {}).iteration;
}

TEST(Examination, AFinishedRunIsWell) {
  const TemporaryFolder folder;
  for (const char* settings : {"train.output=best", "train.output=random", "log.metrics=3", "log.metrics=0",
                               "algo.name=pgpe", "algo.baseline=value", "train.budget=14"}) {
    const std::filesystem::path path = folder / settings;
    write_run(path, with(kShort, settings));
    const auto before = contents(path);
    const Examination run = examine_run(path);
    EXPECT_EQ(complaints(run.findings), "") << settings;
    EXPECT_TRUE(run.well());
    EXPECT_EQ(run.state, RunState::kDone);
    EXPECT_EQ(run.refusal, "");
    EXPECT_EQ(run.evaluate, path);
    EXPECT_EQ(contents(path), before) << "nothing is changed";
    EXPECT_EQ(run.resume_after, resumed_after(path));
  }
}

TEST(Examination, AKilledRunGoesOnWhereResumeSays) {
  const TemporaryFolder folder;
  for (const Index until : {1, 2, 3, 4}) {
    const std::filesystem::path path = folder / std::to_string(until);
    write_run(path, kShort, Ending::kKilled, until);
    const Examination run = examine_run(path);
    EXPECT_TRUE(run.well()) << complaints(run.findings);
    EXPECT_EQ(run.state, RunState::kKilled);
    EXPECT_TRUE(run.evaluate.empty()) << "a policy is written with the lines, after a second";
    EXPECT_EQ(run.resume_after, until / 2 * 2);
    EXPECT_EQ(run.resume_after, resumed_after(path));
  }
}

TEST(Examination, SaysHowARunEnded) {
  const TemporaryFolder folder;
  write_run(folder / "interrupted", kShort, Ending::kInterrupted, 3);
  const Examination interrupted = examine_run(folder / "interrupted");
  EXPECT_TRUE(interrupted.well()) << complaints(interrupted.findings);
  EXPECT_EQ(interrupted.state, RunState::kInterrupted);
  EXPECT_EQ(interrupted.reason, "SIGINT");
  EXPECT_EQ(interrupted.resume_after, 3);
  EXPECT_EQ(interrupted.evaluate, folder / "interrupted");

  write_run(folder / "failed", kShort, Ending::kFailed, 3);
  const Examination failed = examine_run(folder / "failed");
  EXPECT_TRUE(failed.well()) << complaints(failed.findings);
  EXPECT_EQ(failed.state, RunState::kFailed);
  EXPECT_EQ(failed.reason, "the disk is full");
  EXPECT_EQ(failed.resume_after, 2);
}

TEST(Examination, SeesARunThatIsUnderWay) {
  const TemporaryFolder folder;
  TrainingRun training(configured(kShort));
  make_output_folder(folder / "r");
  std::optional<RunFolder> run;
  run.emplace(folder / "r", training, "x", [](const std::string& line) { ADD_FAILURE() << line; });
  write_file(folder / "r/status.tmp", "do");
  EXPECT_EQ(complaints(examine_run(folder / "r").findings), "");
  EXPECT_EQ(examine_run(folder / "r").state, RunState::kRunning);
  EXPECT_EQ(examine_run(folder / "r").resume_after, 0);
  run.reset();
  EXPECT_EQ(examine_run(folder / "r").state, RunState::kKilled);
}

TEST(Examination, ALongerRunThatWasKilledAtOnceIsWell) {
  const TemporaryFolder folder;
  write_run(folder / "r", with(kShort, "train.budget=14"));  // the last batch is cut
  ResumeChanges longer;
  longer.budget = 20;
  resume_run(folder / "r", longer, [](const std::string&) {});
  const Examination run = examine_run(folder / "r");
  EXPECT_TRUE(run.well()) << complaints(run.findings);
  expect_finding(run, "config.toml", Severity::kWarning, "has train.budget = 20, but had 14 at the checkpoint after");
  EXPECT_EQ(run.resume_after, 4);
}

TEST(Examination, TheOlderCheckpointIsTaken) {
  const TemporaryFolder folder;
  write_run(folder / "r", kShort);
  write_file(folder / "r/checkpoints/5.safetensors", "broken");
  const Examination run = examine_run(folder / "r");
  expect_finding(run, "checkpoints/5.safetensors", Severity::kDamaged, "");
  EXPECT_EQ(run.resume_after, 4);
  EXPECT_FALSE(run.well());
}

/// Leaves what should be removed, as a kill does.
class NoRemovals : public FileSystem {
 public:
  int remove(int, const char*) override {
    errno = EIO;
    return -1;
  }
};

TEST(Examination, AnOldCheckpointWithoutItsWindowIsLeftOver) {
  const TemporaryFolder folder;
  {
    NoRemovals killed;
    const ReplacedFileSystem replaced(killed);
    write_run(folder / "r", {"train.iterations=12", "algo.batch=3", "algo.window=2", "checkpoint.every=1"});
  }
  const CheckpointFolder checkpoints(folder / "r/checkpoints");
  const std::string oldest = checkpoints.load(2).window.file;
  ASSERT_NE(oldest, "");
  for (const Index newest : {11, 12}) ASSERT_NE(oldest, checkpoints.load(newest).window.file);
  std::filesystem::remove(folder / "r/checkpoints" / oldest);
  Examination run = examine_run(folder / "r");
  EXPECT_TRUE(run.well()) << complaints(run.findings);
  expect_finding(run, "checkpoints/2.safetensors", Severity::kWarning, "was left over");
  std::filesystem::remove(folder / "r/checkpoints" / checkpoints.load(12).window.file);
  run = examine_run(folder / "r");
  EXPECT_FALSE(run.well()) << "the newest one needs its window";
}

TEST(Examination, ACheckpointMustHaveTheStateOfItsIteration) {
  const TemporaryFolder folder;
  write_run(folder / "r", kShort);
  const CheckpointFolder checkpoints(folder / "r/checkpoints");
  Checkpoint checkpoint = checkpoints.load(4);
  checkpoint.iteration = 9;
  write_file(checkpoints.file(9).path(), to_bytes(checkpoint));
  const std::map<std::string, std::string> before = contents(folder / "r");
  expect_throw([&] { resumed_after(folder / "r"); }, "says iteration 9, but its state is that after iteration 4");
  EXPECT_EQ(contents(folder / "r"), before);
  EXPECT_FALSE(examine_run(folder / "r").well());
}

TEST(Examination, SaysWhatToDoWhereResumeRefuses) {
  const TemporaryFolder folder;
  const auto refusal_after = [&](const std::string& name, const auto& damage) {
    write_run(folder / name, kShort);
    damage(folder / name);
    const Examination run = examine_run(folder / name);
    EXPECT_FALSE(run.well());
    EXPECT_FALSE(run.resume_after);
    return run.refusal;
  };
  const std::string as_it_was =
      "; the metadata 'configuration' of checkpoints/5.safetensors is the text of config.toml";
  expect_contains(refusal_after("unreadable", [](const auto& path) { write_file(path / "config.toml", "[[["); }),
                  "config.toml cannot be read" + as_it_was);
  expect_contains(refusal_after("missing", [](const auto& path) { std::filesystem::remove(path / "config.toml"); }),
                  "config.toml cannot be read" + as_it_was);
  expect_contains(refusal_after("other",
                                [](const auto& path) {
                                  Configuration other = load_run_configuration(path / "config.toml");
                                  apply_setting(other, "algo.batch=4");
                                  write_file(path / "config.toml", to_toml(other));
                                }),
                  "the run was made with algo.batch = 3, not 4");
  expect_contains(refusal_after("short",
                                [](const auto& path) {
                                  const std::string text = read_file(path / "progress.csv");
                                  write_file(path / "progress.csv", text.substr(0, text.size() - 3));
                                }),
                  "lines are lost; without checkpoints/5.safetensors it would go on after iteration 4");
  expect_contains(refusal_after("none",
                                [](const auto& path) {
                                  std::filesystem::remove_all(path / "checkpoints");
                                  std::filesystem::create_directory(path / "checkpoints");
                                }),
                  "has no checkpoint to go on from; `retropg train --config " + (folder / "none/config.toml").string());
}

TEST(Examination, AFinishedRunNeedsNoCheckpoints) {
  const TemporaryFolder folder;
  for (const Ending ending : {Ending::kDone, Ending::kKilled}) {
    const std::filesystem::path path = folder / (ending == Ending::kDone ? "done" : "killed");
    write_run(path, kShort, ending);
    std::filesystem::remove_all(path / "checkpoints");
    const Examination run = examine_run(path);
    EXPECT_EQ(run.well(), ending == Ending::kDone) << complaints(run.findings);
    EXPECT_FALSE(run.resume_after);
  }
}

TEST(Examination, ARunOfAComparisonMayKeepNoPolicies) {
  const TemporaryFolder folder;
  write_run(folder / "r", kShort);
  std::filesystem::remove_all(folder / "r/policy");
  expect_finding(examine_run(folder / "r"), "policy", Severity::kWarning, "`retropg resume` writes it again");
  std::filesystem::remove_all(folder / "r/checkpoints");
  EXPECT_TRUE(examine_run(folder / "r").well());
}

TEST(Examination, MentionsFilesThatAreNotOfTheRun) {
  const TemporaryFolder folder;
  write_run(folder / "r", kShort);
  write_file(folder / "r/notes.txt", "mine");
  write_file(folder / "r/policy/mine", "mine");
  write_file(folder / "r/checkpoints/window-3.bin", "12345678");
  for (const char* name : {"progress.csv.tmp", "policy/best.safetensors.tmp", "checkpoints/5.safetensors.tmp"}) {
    write_file(folder / "r" / name, "");
  }
  save_failure(folder / "r/failure.safetensors",
               BrokenTrajectory({.environment = "CartPole",
                                 .iteration = 3,
                                 .trajectory = 1,
                                 .step = 7,
                                 .what = "the reward is nan",
                                 .behavior = std::vector<double>(4, 0.0)}),
               1);
  const Examination run = examine_run(folder / "r");
  EXPECT_TRUE(run.well());
  expect_finding(run, "notes.txt", Severity::kFine, "not one of the program's files");
  expect_finding(run, "policy/mine", Severity::kFine, "not one of the program's files");
  expect_finding(run, "checkpoints/window-3.bin", Severity::kFine, "belongs to no whole checkpoint");
  for (const char* name : {"progress.csv.tmp", "policy/best.safetensors.tmp", "checkpoints/5.safetensors.tmp"}) {
    expect_finding(run, name, Severity::kWarning, "does no harm");
  }
  expect_finding(run, "failure.safetensors", Severity::kWarning, "step 7: the reward is nan (it does not break again)");
}

TEST(Examination, RefusesWhatIsNoRun) {
  const TemporaryFolder folder;
  expect_throw([&] { examine_run(folder.path()); }, "is not a run folder");
  expect_throw([&] { examine_results(folder / "nowhere"); }, "is not a results folder");
}

TEST(ResultsExamination, CountsRuns) {
  const TemporaryFolder folder;
  for (const char* seed : {"1", "2"}) write_run(folder / "runs/rpg" / seed, kShort);
  write_run(folder / "runs/gpomdp/1", kShort, Ending::kKilled, 3);
  write_run(folder / "runs/gpomdp/2", kShort, Ending::kFailed, 3);
  write_run(folder / "runs/gpomdp/3", kShort);
  std::filesystem::remove(folder / "runs/gpomdp/3/policy/best.safetensors");
  std::filesystem::create_directory(folder / "runs/gpomdp/4");
  const ResultsExamination results = examine_results(folder.path());
  EXPECT_EQ(results.runs.size(), 5U);
  EXPECT_EQ(results.done, 2);
  EXPECT_EQ(results.under_way, 1);
  EXPECT_EQ(results.failed, 1);
  EXPECT_EQ(results.damaged, 1);
  EXPECT_FALSE(results.well());
  EXPECT_EQ(complaints(results.findings),
            "warning plan: is missing: which runs belong here is not known\n"
            "warning runs/gpomdp/4: is empty: what belongs there has not begun\n");
  std::filesystem::remove_all(folder / "runs/gpomdp");
  write_file(folder / "plan.json", "{}");
  EXPECT_TRUE(examine_results(folder.path()).well());
  EXPECT_EQ(complaints(examine_results(folder.path()).findings), "");
}

}  // namespace
}  // namespace retropg::test
