#include "report/index_page.hpp"

#include <gtest/gtest.h>

#include "support/constant_arms.hpp"
#include "support/decided_claim.hpp"
#include "support/files.hpp"

namespace retropg::app {
namespace {

using test::decided_claim;
using test::decision;

std::string page() {
  const IndexEntry done{.name = "my #1",
                        .title = "One < two",
                        .result = IndexedResult{.part = "All trajectories.",
                                                .claims = {decided_claim("a & b", decision(Verdict::kHolds, 3)),
                                                           decided_claim("c", decision(Verdict::kDoesNotHold, 3)),
                                                           decided_claim("d", decision(Verdict::kDoesNotHold, 3))},
                                                .figure = "figure-x.svg"}};
  const IndexEntry waiting{.name = "later", .title = "Later"};
  return index_page({done, waiting}, {.command = "retropg reproduce 'my #1' later", .left_out = {"walk: needs <it>"}});
}

void expect_has(const std::string& part) {
  EXPECT_NE(page().find(part), std::string::npos) << "no " << part << " in\n" << page();
}

TEST(IndexPage, CountsVerdictsAndLinksReports) {
  expect_has("<p>Of 3 claims, 1 holds, 2 do not hold, 0 are not decided at this scale. Tests are at 5 %");
  expect_has(
      "<tr><td><a href=\"my%20%231/report.html\">my #1</a></td><td>1</td><td>2</td><td>0</td>"
      "<td>All trajectories.</td></tr>");
}

TEST(IndexPage, ShowsAFigureAndTheClaims) {
  expect_has("<h2><a href=\"my%20%231/report.html\">One &lt; two</a></h2>");
  expect_has("<img src=\"my%20%231/figure-x.svg\" alt=\"One &lt; two\">");
  expect_has("<td>a &amp; b</td><td><span class=\"badge holds\">holds</span></td>");
}

TEST(IndexPage, SaysWhatIsMissing) {
  expect_has("<tr><td>later</td><td>-</td><td>-</td><td>-</td><td>not run yet</td></tr>");
  expect_has("<p>Left out walk: needs &lt;it&gt;.</p>");
}

TEST(IndexPage, ShowsTheFirstFigureIfItWasDrawn) {
  test::TemporaryFolder folder;
  ExperimentResult result;
  result.study.tasks = {
      {.environment = "e", .comparison = test::constant_arms({{1.0, 2.0}, {3.0, 4.0}}), .settings = {}}};
  result.plan.figures = {{.name = "x", .title = "t", .panels = {}}};
  EXPECT_EQ(indexed(result, folder.path()).figure, "");
  test::write_file(folder / "figure-x.svg", "");
  EXPECT_EQ(indexed(result, folder.path()).figure, "figure-x.svg");
}

}  // namespace
}  // namespace retropg::app
