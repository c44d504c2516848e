#include "report/latex.hpp"

#include <gtest/gtest.h>

#include "support/constant_arms.hpp"
#include "support/decided_claim.hpp"

namespace retropg::app {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

TEST(LatexText, EscapesWhatMeansSomething) {
  EXPECT_EQ(latex_text("100 % & $x_1$ #2 {a}"), "100 \\% \\& \\$x\\_1\\$ \\#2 \\{a\\}");
  EXPECT_EQ(latex_text("\\a~b^c`d"), "\\textbackslash{}a\\textasciitilde{}b\\textasciicircum{}c\\textasciigrave{}d");
  EXPECT_EQ(latex_text("a < b > c | \"d\""), "a \\textless{} b \\textgreater{} c \\textbar{} \\char34{}d\\char34{}");
  EXPECT_EQ(latex_text("line\nline\x7f"), "line line ");
}

TEST(LatexText, IsSafeAtTheBeginningOfARow) {
  EXPECT_EQ(latex_text("[1] *"), "{[}1{]} {*}");
}

TEST(LatexText, MakesNoLigatures) {
  EXPECT_EQ(latex_text("pb-rpg --- ''"), "pb-rpg -{}-{}- '{}'");
}

TEST(LatexTables, HaveARowPerArmAndClaim) {
  const Comparison comparison = test::constant_arms({{20.0, 21.0, 22.0}, {10.0, 11.0, 12.0}}, {"a_1", "b & c"});
  const DecidedClaim claim = test::decided_claim("a_1 > b", test::decision(Verdict::kHolds, 3, 0.03126));
  const std::string text = latex_tables(comparison, std::vector{claim});
  EXPECT_NE(text.find("\na\\_1 & $21.0 \\pm 2.5$ & reference & reference \\\\\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nb \\& c & $11.0 \\pm 2.5$ & $-10.0$ ($"), std::string::npos) << text;
  EXPECT_NE(text.find("\na\\_1 \\textgreater{} b & holds & 0.0313 \\\\\n"), std::string::npos) << text;
  EXPECT_EQ(count(text, "\\begin{tabular}"), 2U);
  EXPECT_EQ(count(text, "\\end{tabular}"), 2U);
  EXPECT_EQ(count(latex_tables(comparison, {}), "\\begin{tabular}"), 1U);
}

TEST(LatexTables, BreakWhereAPageEnds) {
  const Comparison comparison = test::constant_arms({{20.0, 21.0}, {10.0, 11.0}});
  const std::vector<DecidedClaim> claims(40, test::decided_claim("t", {}));
  const std::string text = latex_tables(comparison, claims);
  EXPECT_EQ(count(text, "\\begin{table}"), 4U);
  EXPECT_EQ(count(text, "(continued)"), 2U);
  EXPECT_EQ(count(text, "\nt & not decided at this scale & - \\\\\n"), 40U);
}

}  // namespace
}  // namespace retropg::app
