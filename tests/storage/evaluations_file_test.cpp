#include <gtest/gtest.h>

#include "retropg/storage/examination.hpp"
#include "support/examined.hpp"
#include "support/files.hpp"
#include "support/run_on_disk.hpp"

namespace retropg::test {
namespace {

const std::vector<std::string> kRun = {"algo.batch=3", "checkpoint.every=2", "env.horizon=30", "train.eval_episodes=3",
                                       "train.eval_every=3"};
constexpr const char* kFile = "evaluations.csv";

std::vector<std::string> of_length(Index iterations) {
  std::vector<std::string> settings = kRun;
  settings.push_back("train.iterations=" + std::to_string(iterations));
  return settings;
}

std::vector<std::string> first_cells(const std::filesystem::path& file) {
  std::vector<std::string> cells;
  for (const std::string& line : lines(read_file(file))) cells.push_back(line.substr(0, line.find(',')));
  return cells;
}

/// Goes on to the end, perhaps a later one.
void resume(const std::filesystem::path& path, std::optional<Index> iterations = {}) {
  ResumeChanges changes;
  changes.iterations = iterations;
  ResumedRun resumed = resume_run(path, changes, [](const std::string& line) { ADD_FAILURE() << line; });
  const RunResult result = resumed.run->train([&](const IterationRecord& record) {
    resumed.folder->record(record);
    return true;
  });
  resumed.folder->finish(result);
}

TEST(EvaluationsFile, HasALinePerEvaluationAndOneForTheEnd) {
  const TemporaryFolder folder;
  write_run(folder / "r", of_length(7));
  EXPECT_EQ(first_cells(folder / "r" / kFile), (std::vector<std::string>{"iteration", "3", "6", "7"}));
  write_run(folder / "even", of_length(6));
  EXPECT_EQ(first_cells(folder / "even" / kFile), (std::vector<std::string>{"iteration", "3", "6"}));
  const std::vector<std::string> text = lines(read_file(folder / "r" / kFile));
  EXPECT_EQ(text[0], "iteration,trajectories,steps,mean,half_width,episodes");
  EXPECT_EQ(text[1].substr(0, 4), "3,9,");
  EXPECT_TRUE(text[1].ends_with(",3"));
  EXPECT_EQ(examine_run(folder / "r").well(), true);
  write_run(folder / "without", {"train.iterations=3"});
  EXPECT_FALSE(std::filesystem::exists(folder / "without" / kFile));
}

TEST(EvaluationsFile, DoesNotCountTheFinalEpisodes) {
  const TemporaryFolder folder;
  std::vector<std::string> settings = of_length(7);
  settings.push_back("train.confirm=5");
  write_run(folder / "r", settings);
  const auto how_far = [&](const char* file) {  // the first three cells of the last line
    const std::string line = lines(read_file(folder / "r" / file)).back();
    return line.substr(0, line.find(',', line.find(',', line.find(',') + 1) + 1));
  };
  EXPECT_EQ(how_far(kFile).substr(0, 5), "7,21,");
  EXPECT_EQ(how_far(kFile), how_far("progress.csv"));
  EXPECT_TRUE(examine_run(folder / "r").well());
}

TEST(EvaluationsFile, OfAResumedRunIsThatOfTheRunThatWasNeverStopped) {
  const TemporaryFolder folder;
  write_run(folder / "whole", of_length(7));
  for (Index until = 1; until < 7; ++until) {
    for (const Ending ending : {Ending::kKilled, Ending::kInterrupted}) {
      const std::filesystem::path path =
          folder / (std::to_string(until) + (ending == Ending::kKilled ? "killed" : "interrupted"));
      write_run(path, of_length(7), ending, until);
      EXPECT_EQ(complaints(examine_run(path).findings), "") << path;
      resume(path);
      EXPECT_EQ(read_file(path / kFile), read_file(folder / "whole" / kFile)) << path;
      EXPECT_EQ(complaints(examine_run(path).findings), "") << path;
    }
  }
}

TEST(EvaluationsFile, OfALongerRunHasNoLineForTheEarlierEnd) {
  const TemporaryFolder folder;
  write_run(folder / "whole", of_length(11));
  write_run(folder / "r", of_length(7));
  const std::string before = read_file(folder / "r" / kFile);
  resume(folder / "r");
  EXPECT_EQ(read_file(folder / "r" / kFile), before) << "complete as it was";
  resume(folder / "r", 11);
  EXPECT_EQ(read_file(folder / "r" / kFile), read_file(folder / "whole" / kFile));
}

TEST(EvaluationsFile, ThatIsDamagedIsFound) {
  const TemporaryFolder folder;
  write_run(folder / "r", of_length(7));
  const std::filesystem::path file = folder / "r" / kFile;
  const std::string whole = read_file(file);
  const std::vector<std::string> text = lines(whole);
  const auto complaint_about = [&](const std::string& changed) {
    write_file(file, changed);
    const Examination run = examine_run(folder / "r");
    EXPECT_FALSE(run.well()) << changed;
    return complaints(run.findings);
  };
  EXPECT_NE(complaint_about(text[0] + "\n").find("lines are lost"), std::string::npos);
  EXPECT_NE(complaint_about(text[0] + "\n" + text[1] + "\n" + text[2] + "\n").find("ends with iteration 6"),
            std::string::npos);
  EXPECT_NE(complaint_about(whole + text[3] + "\n").find("is about iteration 7; expected 10"), std::string::npos);
  EXPECT_NE(complaint_about(text[0] + "\n4" + text[1].substr(1) + "\n").find("is about iteration 4; expected 3"),
            std::string::npos);
  EXPECT_NE(complaint_about("x" + whole).find("is not the header"), std::string::npos);
  EXPECT_NE(complaint_about(whole.substr(0, whole.size() - 1)).find("ends within a line"), std::string::npos);
}

}  // namespace
}  // namespace retropg::test
