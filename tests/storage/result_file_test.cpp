#include "retropg/storage/result_file.hpp"

#include <gtest/gtest.h>

#include <limits>

#include <nlohmann/json.hpp>

#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/run_on_disk.hpp"

namespace retropg::test {
namespace {

using Json = nlohmann::json;

TEST(ResultFile, SaysWhichPolicyARunReturnsAndWhatIsKnownOfItsReturn) {
  const TemporaryFolder folder;
  write_run(folder / "r", {"train.budget=100", "algo.batch=5", "train.confirm=20"});
  const Json json = Json::parse(read_file(folder / "r/result.json"));
  EXPECT_EQ(json.at("iterations"), 16) << "80 trajectories are left for training";
  EXPECT_EQ(json.at("trajectories"), 100) << "the budget is met exactly";
  EXPECT_EQ(json.at("output"), "last");
  EXPECT_EQ(json.at("output_return").at("trajectories"), 40) << "a window of 8 batches";
  EXPECT_LE(json.at("output_return").at("effective"), 40.0);
  EXPECT_EQ(json.at("mean_return").at("trajectories"), 20);
  for (const char* estimate : {"output_return", "mean_return"}) {
    EXPECT_LT(json.at(estimate).at("low"), json.at(estimate).at("mean"));
    EXPECT_LT(json.at(estimate).at("mean"), json.at(estimate).at("high"));
  }
  const std::vector<std::string> progress = lines(read_file(folder / "r/progress.csv"));
  const std::string trained = progress.back().substr(0, progress.back().find(',', 6));
  EXPECT_EQ(trained.substr(0, 5), "16,80") << "the others are no iteration";
}

TEST(ResultFile, HasNoEstimateOfAChosenBatchOrARandomIterate) {
  const TemporaryFolder folder;
  for (const std::string output : {"best", "random"}) {
    write_run(folder / output, {"train.iterations=3", "train.output=" + output});
    const Json json = Json::parse(read_file(folder / output / "result.json"));
    EXPECT_EQ(json.at("output"), output);
    EXPECT_TRUE(json.at("output_return").is_null());
    EXPECT_TRUE(json.at("mean_return").is_null());
  }
}

TEST(ResultFile, HasOnlyFreshEpisodesOfTheMeanOfDrawnParameters) {
  const TemporaryFolder folder;
  write_run(folder / "r", {"train.iterations=3", "algo.name=pb-rpg", "train.confirm=5"});
  const Json json = Json::parse(read_file(folder / "r/result.json"));
  EXPECT_TRUE(json.at("output_return").is_null());
  EXPECT_EQ(json.at("mean_return").at("trajectories"), 5);
  EXPECT_EQ(json.at("trajectories"), 3 * 10 + 5);
}

TEST(ResultFile, HasNullWhereALimitIsInfinite) {
  RunResult result;
  result.output_return = {.mean = 1.0,
                          .low = -std::numeric_limits<double>::infinity(),
                          .high = std::numeric_limits<double>::infinity(),
                          .effective = 1.0,
                          .trajectories = 1};
  const Json json = Json::parse(result_json(result));
  EXPECT_TRUE(json.at("output_return").at("low").is_null());
  EXPECT_TRUE(json.at("output_return").at("high").is_null());
  EXPECT_EQ(json.at("output_return").at("mean"), 1.0);
}

TEST(ResultFile, OfAnotherRunIsNoticed) {
  RunResult result;
  result.iterations = 3;
  result.output_name = "last";
  EXPECT_NO_THROW(check_result(result_json(result), result));
  RunResult other = result;
  other.best_return = 5.0;
  expect_throw([&] { check_result(result_json(other), result); },
               "is not the result of this run: 'best_return' differs");
  expect_throw([&] { check_result("{", result); }, "is not a whole JSON object");
}

TEST(ResultFile, ComesOnlyWithTheEnd) {
  const TemporaryFolder folder;
  write_run(folder / "r", {"train.iterations=5"}, Ending::kInterrupted, 3);
  EXPECT_FALSE(std::filesystem::exists(folder / "r/result.json"));
}

}  // namespace
}  // namespace retropg::test
