#include "retropg/storage/run_history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "retropg/storage/run_log.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"

namespace retropg {
namespace {

using test::expect_throw;

class RunHistoryTest : public testing::Test {
 protected:
  void progress(const std::string& rows) {
    test::write_file(folder_ / "progress.csv", std::string(kProgressColumns) + "\n" + rows);
  }
  void metrics(const std::string& text) { test::write_file(folder_ / "metrics.jsonl", text); }

  test::TemporaryFolder folder_;
};

TEST_F(RunHistoryTest, HasTheColumnsOfEveryIteration) {
  progress("1,10,100,38.5,1,2,9.5,1,1,0,0,0\n2,20,200,nan,1,2,19.5,1,1,inf,0,0\n");
  const RunHistory history = read_history(folder_.path());
  EXPECT_EQ(history.trajectories, (std::vector<double>{10, 20}));
  EXPECT_EQ(history.return_mean[0], 38.5);
  EXPECT_TRUE(std::isnan(history.return_mean[1]));
  EXPECT_EQ(history.effective_sample_size, (std::vector<double>{9.5, 19.5}));
  EXPECT_EQ(history.log_divergence_max, (std::vector<double>{0, INFINITY}));
}

TEST_F(RunHistoryTest, OfARunUnderWayEndsWithItsLastWholeLine) {
  progress("1,10,100,38.5,1,2,9.5,1,1,0,0,0\n2,20,200,3");
  EXPECT_EQ(read_history(folder_.path()).trajectories.size(), 1U);
  progress("");
  EXPECT_TRUE(read_history(folder_.path()).trajectories.empty());
}

TEST_F(RunHistoryTest, NamesTheLineThatIsDamaged) {
  const auto read = [&] { read_history(folder_.path()); };
  expect_throw(read, "progress.csv: is missing");
  test::write_file(folder_ / "progress.csv", "a,b\n");
  expect_throw(read, "progress.csv: line 1: is not the header");
  progress("1,10,100,38.5,1,2,9.5,1,1,0,0,0\n2,20,200\n");
  expect_throw(read, "progress.csv: line 3: has 3 cells; expected 12");
  progress("1,10,100,x,1,2,9.5,1,1,0,0,0\n");
  expect_throw(read, "progress.csv: line 2: 'x' is not a number");
  progress("1,10,100,1,1,2,9.5,1,1,0,0,0\n2,10,100,1,1,2,9.5,1,1,0,0,0\n");
  expect_throw(read, "progress.csv: line 3: counts no more trajectories");
}

TEST_F(RunHistoryTest, CoefficientsAreMeansOverTheLaterHalf) {
  EXPECT_FALSE(has_metrics(folder_.path()));
  EXPECT_TRUE(read_coefficients(folder_.path(), 4).alpha.empty());
  metrics(R"({"iteration":2,"saturated":0,"batches":[{"age":0,"ess":1,"log_d2":0,"alpha":1,"lambda":1}]}
{"iteration":3,"saturated":0,"batches":[{"age":0,"ess":1,"log_d2":0,"alpha":0.5,"lambda":0.25},{"age":1,"ess":1,"log_d2":0,"alpha":0.5,"lambda":null}]}
{"iteration":4,"saturated":0,"batches":[{"age":0,"ess":1,"log_d2":0,"alpha":0.25,"lambda":0.75},{"age":1,"ess":1,"log_d2":0,"alpha":0.75,"lambda":null}]}
)");
  EXPECT_TRUE(has_metrics(folder_.path()));
  const CoefficientsByAge found = read_coefficients(folder_.path(), 4);
  EXPECT_EQ(found.alpha, (std::map<Index, double>{{0, 0.375}, {1, 0.625}}));
  EXPECT_EQ(found.lambda, (std::map<Index, double>{{0, 0.5}}));
}

TEST_F(RunHistoryTest, NamesTheLineOfMetricsThatIsDamaged) {
  const auto read = [&] { read_coefficients(folder_.path(), 1); };
  metrics("{}\n");
  expect_throw(read, "metrics.jsonl: line 1: is not a JSON object with an iteration");
  metrics("nonsense\n");
  expect_throw(read, "metrics.jsonl: line 1: is not a JSON object");
  metrics(R"({"iteration":1,"batches":[{"age":0}]})"
          "\n");
  expect_throw(read, "metrics.jsonl: line 1: has a batch without a number 'alpha'");
  metrics(R"({"iteration":1,"batches":[3]})"
          "\n");
  expect_throw(read, "metrics.jsonl: line 1: has a batch without a whole number 'age'");
}

}  // namespace
}  // namespace retropg
