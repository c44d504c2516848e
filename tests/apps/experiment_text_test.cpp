#include <gtest/gtest.h>

#include <sstream>

#include "report/claim_text.hpp"
#include "report/count_text.hpp"
#include "report/experiment_output.hpp"
#include "support/constant_arms.hpp"
#include "support/decided_claim.hpp"
#include "support/files.hpp"
#include "wrap.hpp"

namespace retropg::app {
namespace {

using test::decided_claim;
using test::decision;

ExperimentResult result_of(const std::vector<std::vector<double>>& levels, std::vector<DecidedClaim> claims) {
  ExperimentResult result;
  result.study.tasks = {{.environment = "e", .comparison = test::constant_arms(levels), .settings = {}}};
  result.claims = std::move(claims);
  return result;
}

std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != std::string::npos) return line;
  }
  return "";
}

TEST(CountText, IsPluralUnlessThereIsOne) {
  EXPECT_EQ(count_text(1, "run"), "1 run");
  EXPECT_EQ(count_text(0, "run"), "0 runs");
  EXPECT_EQ(count_text(2, "thread"), "2 threads");
}

TEST(VerdictCounts, AgreeWithTheirNumbers) {
  const DecidedClaim holds = decided_claim("a", decision(Verdict::kHolds, 3));
  const DecidedClaim fails = decided_claim("b", decision(Verdict::kDoesNotHold, 3));
  const DecidedClaim open = decided_claim("c", decision(Verdict::kNotDecided, 3));
  EXPECT_EQ(verdict_counts(std::vector{open}), "Of 1 claim, 0 hold, 0 do not hold, 1 is not decided at this scale.");
  EXPECT_EQ(verdict_counts(std::vector{holds, fails, open, open}),
            "Of 4 claims, 1 holds, 1 does not hold, 2 are not decided at this scale.");
}

TEST(ExperimentText, ClaimsBeginInOneColumn) {
  const std::string text =
      format_experiment(result_of({{1.0, 2.0}, {3.0, 4.0}},
                                  {decided_claim("first claim", decision(Verdict::kHolds, 2, {}, "first number")),
                                   decided_claim("second claim", decision(Verdict::kNotDecided, 2))}),
                        kAnyWidth);
  const std::size_t column = line_with(text, "second claim").find("second claim");
  EXPECT_EQ(line_with(text, "first claim").find("first claim"), column);
  EXPECT_EQ(line_with(text, "first number").find("first number"), column);
}

TEST(ExperimentText, IntervalsOfNegativeNumbersCanBeRead) {
  const std::string text = format_experiment(result_of({{-6.1, -6.3, -6.0}, {-7.0, -7.5, -8.0}}, {}), kAnyWidth);
  EXPECT_EQ(text.find("--"), std::string::npos) << text;
  EXPECT_NE(text.find("-6.1 (-6.3 to -6.0)"), std::string::npos) << text;
}

TEST(ClaimsCsv, HasNoIntervalWhereTheTestHasNone) {
  DecidedClaim often = decided_claim("often", decision(Verdict::kHolds, 2, 0.01, "s"));
  often.claim.check = Check::kMoreOften;
  often.decision.estimate = 0.5;
  often.decision.interval = {-1.0, 1.0};
  DecidedClaim ahead = often;
  ahead.claim.text = "ahead";
  ahead.claim.check = Check::kAhead;
  const ExperimentResult result = result_of({{1.0, 2.0}, {3.0, 4.0}}, {often, ahead});
  const test::TemporaryFolder folder;
  std::string problem;
  ASSERT_TRUE(write_experiment(result, folder.path(), {}, &problem)) << problem;
  const std::string text = test::read_file(folder / "claims.csv");
  EXPECT_EQ(line_with(text, "often"), "often,holds,s,0.5,,,0.01,2,2,holds");
  EXPECT_EQ(line_with(text, "ahead"), "ahead,holds,s,0.5,-1,1,0.01,2,2,holds");
  const auto json = experiment_json(result, folder.path())["claims"];
  EXPECT_TRUE(json[0]["interval"].is_null());
  EXPECT_EQ(json[1]["interval"].dump(), "[-1.0,1.0]");
}

}  // namespace
}  // namespace retropg::app
