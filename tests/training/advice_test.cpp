#include "retropg/training/advice.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Index kBatch = 10;

/// A record of a window with these log-divergences, the fresh batch first.
IterationRecord record_of(Index iteration, double effective, const std::vector<double>& log_divergences,
                          double mean = 1.0) {
  IterationRecord record{.iteration = iteration, .trajectories = iteration * kBatch, .return_mean = mean};
  record.diagnostics.effective_sample_size = effective;
  for (std::size_t age = 0; age < log_divergences.size(); ++age) {
    record.diagnostics.batches.push_back({.age = as_index(age), .log_divergence = log_divergences[age]});
  }
  return record;
}

using Lines = std::vector<std::pair<Index, std::string>>;

/// Every line said about the records 1, ..., count, with its iteration.
template <class F>
Lines lines(Index count, F record) {
  Advice advice;
  Lines result;
  for (Index k = 1; k <= count; ++k) {
    if (std::optional<std::string> line = advice.see(record(k))) result.emplace_back(k, *std::move(line));
  }
  return result;
}

Lines lines_of_run(const std::vector<std::string>& settings) {
  Advice advice;
  Lines result;
  train(configured(settings), [&](const IterationRecord& record) {
    if (std::optional<std::string> line = advice.see(record)) result.emplace_back(record.iteration, *std::move(line));
    return true;
  });
  return result;
}

void expect_one(const Lines& lines, Index iteration, const std::string& text) {
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].first, iteration);
  EXPECT_NE(lines[0].second.find(text), std::string::npos) << lines[0].second;
  EXPECT_EQ(lines[0].second.find('\n'), std::string::npos);
}

TEST(Advice, SaysOnceThatPastBatchesAddNothing) {
  const std::vector<double> near(4, 1.0);
  const auto few = [&](Index k) { return record_of(k, 11.9, near); };
  expect_one(lines(500, few), 51, "effective sample size");
  for (const char* key : {"optimizer.rate", "policy.variance", "algo.window"}) expect_one(lines(500, few), 51, key);
}

TEST(Advice, IsSilentWhileBatchesHelpOrThereAreFew) {
  const std::vector<double> near(4, 1.0);
  EXPECT_TRUE(lines(500, [&](Index k) { return record_of(k, 12.1, near); }).empty());
  EXPECT_TRUE(lines(500, [&](Index k) { return record_of(k, k % 50 == 0 ? 13.0 : 5.0, near); }).empty());
  EXPECT_TRUE(lines(500, [&](Index k) { return record_of(k, 5.0, {0.0, 1.0}); }).empty()) << "two batches";
  EXPECT_TRUE(lines(500, [&](Index k) { return record_of(k, 10.0, {kNan}); }).empty()) << "no window";
}

TEST(Advice, ComparesWithTheTrajectoriesThatWereNotDropped) {
  const auto half_dropped = [](Index k) {
    IterationRecord record = record_of(k, 7.0, std::vector<double>(4, 1.0));
    record.dropped = 5 * k;
    return record;
  };
  EXPECT_TRUE(lines(500, half_dropped).empty()) << "7 is more than 1.2 times 5";
}

TEST(Advice, SaysOnceThatMostPastBatchesAreFarAway) {
  const auto far = [](Index k) {
    return record_of(k, 30.0, k < 7 ? std::vector{0.0, 900.0, 900.0, 1e5} : std::vector{0.0, 900.0, 1100.0, 1e5});
  };
  expect_one(lines(100, far), 7, "log d2 of most past batches is above 1000");
  const auto infinite = [](Index k) { return record_of(k, 30.0, {0.0, kInfinity, kInfinity}); };
  expect_one(lines(100, infinite), 1, "optimizer.rate");
}

TEST(Advice, IsSilentAboutAFewFarBatches) {
  EXPECT_TRUE(lines(100, [](Index k) { return record_of(k, 30.0, {0.0, 1.0, 2.0, 1e4, kInfinity}); }).empty());
  EXPECT_TRUE(lines(100, [](Index k) { return record_of(k, 30.0, {0.0, 1e4}); }).empty()) << "only one past batch";
  EXPECT_TRUE(lines(100, [](Index k) { return record_of(k, 30.0, {kNan, kNan, kNan}); }).empty());
}

TEST(Advice, SaysOnceThatTheReturnFalls) {
  const auto falling = [](Index k) { return record_of(k, 10.0, {}, -static_cast<double>(k)); };
  expect_one(lines(5000, falling), 200, "falling");
  expect_one(lines(5000, falling), 200, "optimizer.rate");
}

TEST(Advice, IsSilentAboutReturnsThatDoNotFall) {
  EXPECT_TRUE(lines(5000, [](Index k) { return record_of(k, 10.0, {}, 3.0); }).empty()) << "constant";
  EXPECT_TRUE(lines(5000, [](Index k) { return record_of(k, 10.0, {}, static_cast<double>(k)); }).empty());
  const auto settled = [](Index k) {  // risen to 200, and a fifth of a percent lower in the end
    const auto t = static_cast<double>(k);
    return record_of(k, 10.0, {}, k < 500 ? 0.4 * t : 200.0 - 1e-4 * t);
  };
  EXPECT_TRUE(lines(5000, settled).empty());
}

TEST(Advice, SaysEachOfSeveralThingsInALineOfItsOwn) {
  const auto all = [](Index k) { return record_of(k, 5.0, {0.0, 1e4, 1e4}, -static_cast<double>(k)); };
  const Lines said = lines(2000, all);
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0].first, 1);
  EXPECT_EQ(said[1].first, 51);
  EXPECT_EQ(said[2].first, 200);
}

TEST(Advice, HasNothingToSayAboutTheDefaults) {
  for (const char* name : {"rpg", "gpomdp", "bh-pg", "pb-rpg"}) {
    const Lines said = lines_of_run({std::string("algo.name=") + name, "train.iterations=1000"});
    EXPECT_TRUE(said.empty()) << name << ": " << said.front().second;
  }
}

TEST(Advice, NamesALearningRateThatIsTooLarge) {
  const Lines large = lines_of_run({"optimizer.rate=0.5", "train.iterations=300"});
  ASSERT_FALSE(large.empty());
  EXPECT_NE(large[0].second.find("log d2 of most past batches"), std::string::npos);
  const Lines huge = lines_of_run({"optimizer.rate=10", "train.iterations=300"});
  ASSERT_EQ(huge.size(), 2u);
  EXPECT_NE(huge[1].second.find("effective sample size"), std::string::npos);
}

}  // namespace
}  // namespace retropg::test
