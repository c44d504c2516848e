#include "report/report_page.hpp"

#include <gtest/gtest.h>

#include "retropg/storage/provenance.hpp"
#include "support/constant_arms.hpp"
#include "support/decided_claim.hpp"
#include "support/files.hpp"

namespace retropg::app {
namespace {

const std::string kLabel = "<b>\"best\" & others";
const std::string kEscaped = "&lt;b&gt;&quot;best&quot; &amp; others";

ExperimentResult result() {
  ExperimentResult result;
  Comparison comparison = test::constant_arms({{20.0, 21.0, 22.0}, {10.0, 11.0, 12.0}}, {kLabel, "plain"});
  comparison.plan.title = "One & two";
  comparison.arms[1].configuration.optimizer.rate = 0.5;
  result.study.tasks = {{.environment = "e", .comparison = std::move(comparison), .settings = {}}};
  result.plan.paper_runs = 2;
  result.plan.figures = {{.name = "", .title = "A < B", .panels = {}}, {.name = "more", .title = "C", .panels = {}}};
  result.plan.seconds = {{.arm = "plain", .value = 12.5}};
  result.claims = {test::decided_claim("a < b", test::decision(Verdict::kHolds, 3, {}, "area of <a>"),
                                       test::decision(Verdict::kDoesNotHold, 2)),
                   test::decided_claim("open", test::decision(Verdict::kNotDecided, 3, 0.25),
                                       test::decision(Verdict::kNotDecided, 2))};
  return result;
}

class ReportPage : public testing::Test {
 protected:
  void SetUp() override {
    test::write_file(folder_ / "figure.svg", "foobar");
    test::write_file(folder_ / "provenance.json", provenance_json());
  }
  std::string page() const {
    return report_page(result(), {.folder = folder_.path(), .command = "retropg reproduce 'a & b'"});
  }
  test::TemporaryFolder folder_;
};

void expect_has(const std::string& page, const std::string& part) {
  EXPECT_NE(page.find(part), std::string::npos) << "no " << part << " in\n" << page;
}

TEST_F(ReportPage, HasClaimsWithVerdicts) {
  const std::string text = page();
  expect_has(text, "<title>One &amp; two</title>");
  expect_has(text, "All trajectories per run, 3 runs (2 are planned).");
  expect_has(text, "Of 2 claims, 1 holds, 0 do not hold, 1 is not decided at this scale.");
  expect_has(text, "<th>With the planned 2 runs</th>");
  expect_has(text,
             "<td>a &lt; b</td><td><span class=\"badge holds\">holds</span></td><td>area of &lt;a&gt;</td><td>-</td>"
             "<td><span class=\"badge fails\">does not hold</span></td>");
  expect_has(text, "<span class=\"badge open\">not decided at this scale</span></td><td></td><td>0.2500</td>");
}

TEST_F(ReportPage, HasFiguresOrSaysThatOneIsMissing) {
  const std::string text = page();
  expect_has(text, "<img src=\"data:image/svg+xml;base64,Zm9vYmFy\" alt=\"A &lt; B\">");
  expect_has(text, "<p>C was not drawn; its data are in figure-more.dat.</p>");
}

TEST_F(ReportPage, HasArmsRunTimesSettingsAndVersions) {
  const std::string text = page();
  expect_has(text, "<td>" + kEscaped + "</td><td>21.0 \u00b1 2.5</td>");
  expect_has(text, "<td>plain</td><td>0.110</td><td>12.5</td><td>114</td>");
  expect_has(text, "<code>optimizer.rate = 0.5</code>");
  expect_has(text, "<details><summary>Base configuration</summary><pre>");
  expect_has(text, "<pre>retropg reproduce &#39;a &amp; b&#39;</pre>");
  expect_has(text, "<th>compiler</th>");
  EXPECT_EQ(text.find(kLabel), std::string::npos) << "a label is not escaped";
}

TEST_F(ReportPage, NeedsNoScriptAndNoNetwork) {
  const std::string text = page();
  EXPECT_EQ(text.find("http"), std::string::npos);
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find("<link"), std::string::npos);
}

TEST_F(ReportPage, ListsEveryStart) {
  test::write_file(
      folder_ / "provenance.json",
      R"({"resumed": [{"started": "2026-01-01", "retropg": "0.1", "commit": "abc"}, {"started": "2026-01-02", "mujoco": ""}]})");
  expect_has(page(), "<tr><td>2026-01-01</td><td>0.1</td><td>abc</td><td>-</td><td>-</td><td>-</td></tr>");
  expect_has(page(), "<tr><td>2026-01-02</td><td>-</td>");
  test::write_file(folder_ / "provenance.json", "damaged");
  expect_has(page(), "<th>compiler</th>");
}

TEST_F(ReportPage, OfAComparisonHasNoClaims) {
  const std::string text = report_page(result().study, {.folder = folder_.path(), .command = "retropg compare"});
  expect_has(text, "3 runs per arm, 1000 collected trajectories per run.");
  expect_has(text, "base64,Zm9vYmFy");
  EXPECT_EQ(text.find("<h2>Claims</h2>"), std::string::npos);
}

}  // namespace
}  // namespace retropg::app
