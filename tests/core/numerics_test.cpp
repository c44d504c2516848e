#include "retropg/core/numerics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "retropg/core/archive.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double log_sum_exp_of(const std::vector<double>& x) {
  return log_sum_exp(x);
}

TEST(LogSumExp, IsTheLogarithmOfTheSum) {
  EXPECT_DOUBLE_EQ(log_sum_exp_of({std::log(1.0), std::log(2.0), std::log(3.0)}), std::log(6.0));
  EXPECT_DOUBLE_EQ(log_sum_exp_of({-3.25}), -3.25);
}

TEST(LogSumExp, NeitherOverflowsNorUnderflows) {
  EXPECT_DOUBLE_EQ(log_sum_exp_of({2054.0, 1216.0, 2054.0}), 2054.0 + std::log(2.0));
  EXPECT_DOUBLE_EQ(log_sum_exp_of({-5000.0, -5000.0, -5000.0}), -5000.0 + std::log(3.0));
}

TEST(LogSumExp, OfNothingIsMinusInfinity) {
  EXPECT_EQ(log_sum_exp_of({}), -kInfinity);
  EXPECT_EQ(log_sum_exp_of({-kInfinity, -kInfinity}), -kInfinity);
  EXPECT_DOUBLE_EQ(log_sum_exp_of({-kInfinity, 0.5, -kInfinity}), 0.5);
}

TEST(LogSumExp, PassesInfinityAndNanOn) {
  EXPECT_EQ(log_sum_exp_of({1.0, kInfinity, -kInfinity}), kInfinity);
  EXPECT_EQ(log_sum_exp_of({kInfinity, kInfinity}), kInfinity);
  EXPECT_TRUE(std::isnan(log_sum_exp_of({kNan, kInfinity})));
  EXPECT_TRUE(std::isnan(log_sum_exp_of({1.0, kNan})));
  EXPECT_TRUE(std::isnan(log_sum_exp_of({-kInfinity, kNan, -kInfinity})));
}

TEST(Mean, DividesTheSumByTheCount) {
  EXPECT_EQ(mean(std::vector{1.0, 2.0, 6.0}), 3.0);
  EXPECT_EQ(mean(std::vector{-4.0}), -4.0);
}

TEST(StandardDeviation, DividesByOneLessThanTheCount) {
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector{1.0, 2.0, 3.0, 6.0}), std::sqrt(14.0 / 3.0));
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector{1.0, 2.0, 3.0, 6.0}, 3.0), std::sqrt(14.0 / 3.0));
  EXPECT_EQ(standard_deviation(std::vector{7.5, 7.5, 7.5}), 0.0);
}

TEST(StandardDeviation, IsZeroForFewerThanTwoValues) {
  EXPECT_EQ(standard_deviation(std::vector<double>{}), 0.0);
  EXPECT_EQ(standard_deviation(std::vector{3.0}), 0.0);
}

TEST(StandardDeviation, KeepsItsDigitsFarFromZero) {
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector{1e9, 1e9 + 1.0, 1e9 + 2.0}), 1.0);
}

TEST(Norm, IsEuclidean) {
  EXPECT_EQ(norm(std::vector{3.0, -4.0}), 5.0);
  EXPECT_EQ(norm(std::vector<double>{}), 0.0);
}

TEST(AllFinite, SeesEveryEntry) {
  EXPECT_TRUE(all_finite(std::vector<double>{}));
  EXPECT_TRUE(all_finite(std::vector{1e308, -1e308, 0.0}));
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    EXPECT_FALSE(all_finite(std::vector{bad, 1.0, 2.0}));
    EXPECT_FALSE(all_finite(std::vector{1.0, 2.0, bad}));
  }
}

/// Something with a state of every kind.
struct Stateful {
  std::vector<double> values;
  double number = 0.0;
  Index count = 0;

  void state(Archive& archive) {
    archive("values", values);
    archive("number", number);
    archive("count", count);
  }
};

TEST(Archive, GivesBackWhatWasSaved) {
  Stateful saved{.values = {0.1, -0.0, 1e300}, .number = 1.0 / 3.0, .count = (Index{1} << 53) + 1};
  Archive save(Archive::Mode::kSave);
  EXPECT_TRUE(save.saving());
  saved.state(save);

  Archive restore(save.state());
  EXPECT_FALSE(restore.saving());
  Stateful restored{.values = {9.0}, .number = 9.0, .count = 9};
  restored.state(restore);
  EXPECT_EQ(restored.values, saved.values);
  EXPECT_TRUE(std::signbit(restored.values[1]));
  EXPECT_EQ(restored.number, saved.number);
  EXPECT_EQ(restored.count, saved.count);
}

TEST(Archive, SavingLeavesTheObjectAsItWas) {
  Stateful object{.values = {1.0, 2.0}, .number = 3.0, .count = 4};
  Archive save(Archive::Mode::kSave);
  object.state(save);
  EXPECT_EQ(object.values, (std::vector{1.0, 2.0}));
  EXPECT_EQ(object.number, 3.0);
  EXPECT_EQ(object.count, 4);
}

TEST(Archive, KeepsAnEmptyVectorApartFromAMissingOne) {
  std::vector<double> empty;
  Archive save(Archive::Mode::kSave);
  save("values", empty);
  std::vector<double> restored{1.0};
  Archive restore(save.state());
  restore("values", restored);
  EXPECT_TRUE(restored.empty());
}

TEST(Archive, NamesAMissingEntryWithItsScope) {
  Archive restore(SavedState{.numbers = {{"rate", {1.0}}}, .counts = {}, .batches = {}});
  restore.scope("optimizer/");
  double rate = 0.0;
  expect_throw([&] { restore("rate", rate); }, "saved state has no entry 'optimizer/rate'");
}

TEST(Archive, RefusesAVectorWhereANumberShouldBe) {
  Archive restore(SavedState{.numbers = {{"rate", {1.0, 2.0}}, {"none", {}}}, .counts = {}, .batches = {}});
  double rate = 0.0;
  expect_throw([&] { restore("rate", rate); }, "saved state entry 'rate' should be one number");
  expect_throw([&] { restore("none", rate); }, "saved state entry 'none' should be one number");
}

TEST(Archive, ScopesKeepEqualNamesApart) {
  double first = 1.0, second = 2.0, third = 3.0;
  Archive save(Archive::Mode::kSave);
  save("rate", third);
  save.scope("a/");
  save("rate", first);
  save.scope("b/");
  save("rate", second);
  EXPECT_EQ(save.state().numbers,
            (std::map<std::string, std::vector<double>>{{"a/rate", {1.0}}, {"b/rate", {2.0}}, {"rate", {3.0}}}));

  Archive restore(save.state());
  restore.scope("b/");
  restore("rate", first);
  EXPECT_EQ(first, 2.0);
  restore.scope("");
  restore("rate", first);
  EXPECT_EQ(first, 3.0);
}

}  // namespace
}  // namespace retropg::test
