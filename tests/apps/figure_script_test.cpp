#include "report/figure_script.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "report/figure_data.hpp"

namespace retropg::app {
namespace {

/// Two runs that rise from `low` to `high`.
FigureSeries rising(const std::string& label, const std::string& method, double low, double high, double end = 100.0) {
  const std::vector<Curve> runs = {{.x = {0.5 * end, end}, .y = {low - 1.0, high - 1.0}},
                                   {.x = {0.5 * end, end}, .y = {low + 1.0, high + 1.0}}};
  return {.label = label, .method = method, .band = band(runs)};
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

/// Color and dash of every line.
std::set<std::string> line_styles(const std::string& script) {
  constexpr std::string_view color = "linecolor '#RRGGBB' ";
  std::set<std::string> styles;
  for (std::size_t at = 0; (at = script.find("dashtype ", at)) != std::string::npos; ++at) {
    styles.insert(script.substr(at - color.size(), script.find(" linewidth", at) - at + color.size()));
  }
  return styles;
}

const FigureOptions kOptions{.title = "title", .x_label = "trajectories", .y_label = "return"};

TEST(FigureScript, GivesAMethodItsColorInEveryPanel) {
  const std::vector<FigurePanel> panels = {
      {.title = "1", .series = {rising("a", "rpg", 0, 1), rising("b", "gpomdp", 0, 1)}},
      {.title = "2", .series = {rising("b", "gpomdp", 0, 1), rising("a", "rpg", 0, 1)}}};
  const std::string script = figure_script("figure", panels, kOptions);
  EXPECT_EQ(count_of(script, "linecolor '#0072B2' dashtype solid"), 3U) << "two panels and the legend";
  EXPECT_EQ(line_styles(script).size(), 2U);
  EXPECT_EQ(count_of(script, "keyentry"), 2U) << "one legend";
  EXPECT_EQ(count_of(script, "\nplot "), 2U);
  EXPECT_NE(script.find("layout 1,2"), std::string::npos);
}

TEST(FigureScript, TellsSeriesOfOneMethodApart) {
  FigurePanel panel{.title = "", .series = {}};
  for (const char* label : {"window 2", "window 4", "window 8"}) panel.series.push_back(rising(label, "rpg", 0, 1));
  panel.series.push_back(rising("gpomdp", "gpomdp", 0, 1));
  const std::string script = figure_script("figure", {panel}, kOptions);
  EXPECT_EQ(line_styles(script).size(), 4U);
  EXPECT_EQ(count_of(script, "pointinterval"), 2U) << "marks on all but the first";
}

TEST(FigureScript, ALabelHasOneLookAndOneEntryAlsoWhereItsMethodsDiffer) {
  std::vector<FigurePanel> panels;
  for (const char* method : {"rpg", "miw-pg"}) {
    panels.push_back({.title = method, .series = {rising("GPOMDP", "gpomdp", 0, 1)}});
    for (const char* label : {"window 2", "window 4"}) panels.back().series.push_back(rising(label, method, 0, 1));
  }
  const std::string script = figure_script("figure", panels, kOptions);
  EXPECT_EQ(line_styles(script).size(), 3U);
  EXPECT_EQ(count_of(script, "keyentry"), 3U);
  EXPECT_EQ(script.find("#0072B2"), std::string::npos) << "the color of one method would be wrong for the other";
}

TEST(FigureScript, LegendHasRoomForWideLetters) {
  const auto room = [](const std::string& label) {
    const FigurePanel panel{.title = "", .series = {rising(label, "rpg", 0, 1), rising("b", "gpomdp", 0, 1)}};
    const std::string script = figure_script("figure", {panel}, kOptions);
    return std::stod(script.substr(script.find("samplen 3 width ") + 16));
  };
  EXPECT_GE(room("aaaaaaaa"), 1.0);
  EXPECT_GE(room("STORM-PG"), 8 * 0.05 + 1.0) << "as wide as 8.4 digits";
  EXPECT_GE(room("MMMMMMMM"), 8 * 0.4 + 1.0);
}

TEST(FigureScript, DrawsGivenIntervalsAndSaysWhatTheyAre) {
  FigureSeries profile{.label = "a",
                       .method = "rpg",
                       .band = {.x = {-0.5, 1.0}, .mean = {0.75, 0.25}, .standard_error = {}, .runs = 9},
                       .intervals = {{0.5, 1.0}, {0.0, 0.5}}};
  const FigurePanel panel{.title = "", .series = {profile}};
  const std::string script =
      figure_script("figure", {panel}, {.title = "", .x_label = "", .y_label = "", .lines = "Shares."});
  EXPECT_NE(script.find("set xrange [-0.5:1]"), std::string::npos);
  EXPECT_NE(script.find("'Shares.'"), std::string::npos);
  EXPECT_EQ(script.find("Student"), std::string::npos);
  EXPECT_NE(figure_data({panel}, {}).find("-0.5 0.75 0.5 1\n1 0.25 0 0.5\n"), std::string::npos);
}

TEST(FigureScript, OfOneSeriesHasNoLegend) {
  const std::string script = figure_script("figure", {{.title = "", .series = {rising("a", "rpg", 0, 1)}}}, kOptions);
  EXPECT_EQ(count_of(script, "keyentry"), 0U);
}

TEST(FigureScript, OfFiveWideBandsHasSmallPanels) {
  const auto plots = [](int series, double error) {
    FigurePanel panel{.title = "", .series = {}};
    for (int i = 0; i < series; ++i) {
      panel.series.push_back(rising("series " + std::to_string(i), "rpg", 0, 8));
      panel.series.back().band.standard_error.assign(panel.series.back().band.x.size(), error);
    }
    return count_of(figure_script("figure", {panel}, kOptions), "\nplot ");
  };
  EXPECT_EQ(plots(5, 0.51), 5U) << "four standard errors are just above a quarter of the range";
  EXPECT_EQ(plots(5, 0.49), 1U);
  EXPECT_EQ(plots(4, 0.51), 1U);
}

TEST(FigureScript, OfNineSeriesHasASmallPanelForEachWithTheOthersInGray) {
  FigurePanel panel{.title = "", .series = {}};
  for (int i = 0; i < 8; ++i) panel.series.push_back(rising("series " + std::to_string(i), "rpg", 0, 10 * i));
  EXPECT_EQ(count_of(figure_script("figure", {panel}, kOptions), "\nplot "), 1U);
  panel.series.push_back(rising("the:ninth:with:a:very:long:label", "gpomdp", 0, 1));
  const std::string script = figure_script("figure", {panel}, kOptions);
  EXPECT_EQ(count_of(script, "\nplot "), 9U);
  EXPECT_EQ(count_of(script, "for [i=0:8] data index i every 2 using 1:2 with lines linecolor '#D0D0D0'"), 9U);
  EXPECT_EQ(count_of(script, "filledcurves"), 9U);
  EXPECT_EQ(count_of(script, "keyentry"), 0U);
  EXPECT_NE(script.find("set title 'series 3'"), std::string::npos);
  EXPECT_NE(script.find("set title 'the:ninth:with:a:very:' . \"\\n\" . 'long:label'"), std::string::npos);
  EXPECT_NE(script.find("Gray: the others."), std::string::npos);
}

TEST(FigureScript, PanelsHaveOneYAxisUnlessTheyShowSomethingElse) {
  std::vector<FigurePanel> panels = {{.title = "1", .series = {rising("a", "rpg", 0, 100)}},
                                     {.title = "2", .series = {rising("a", "rpg", 50, 200)}}};
  std::string script = figure_script("figure", panels, kOptions);
  EXPECT_EQ(count_of(script, "set yrange [y_low:y_high]"), 2U);
  EXPECT_EQ(count_of(script, "'return'"), 1U) << "one label for both";
  panels[1].y_label = "something else";
  panels[1].x_label = "age";
  script = figure_script("figure", panels, kOptions);
  EXPECT_EQ(count_of(script, "set yrange [y_low:y_high]"), 1U);
  EXPECT_EQ(count_of(script, "set yrange [y1_low:y1_high]"), 1U);
  EXPECT_EQ(count_of(script, "set ylabel 'something else'"), 1U);
  EXPECT_EQ(count_of(script, "set xlabel 'age'"), 1U);
}

TEST(FigureScript, SaysWhatTheBandIsAndOverHowManyRuns) {
  FigurePanel panel{.title = "", .series = {rising("a", "rpg", 0, 1)}};
  EXPECT_NE(figure_script("figure", {panel}, kOptions)
                .find("'Mean over 2 runs, with its pointwise 95 % Student t interval.'"),
            std::string::npos);
  panel.series[0].band.runs = 1;
  EXPECT_EQ(figure_script("figure", {panel}, kOptions).find("Student"), std::string::npos);
}

TEST(FigureScript, QuotesWhatGnuplotWouldTakeForItsOwn) {
  FigurePanel panel{.title = "it's\n`rm`", .series = {rising("'; exit; '", "rpg", 0, 1), rising("b", "bpo", 0, 1)}};
  const std::string script = figure_script("figure", {panel}, kOptions);
  EXPECT_NE(script.find("set title 'it''s `rm`'"), std::string::npos);
  EXPECT_NE(script.find("title '''; exit; '''"), std::string::npos);
}

TEST(FigureRange, HoldsTheMeansAndNoMoreOfABandThanLooksGood) {
  FigurePanel panel{.title = "", .series = {rising("a", "rpg", 0, 100)}};
  const auto height = [&](const FigureOptions& options) {
    const AxisRange range = y_range({&panel}, options);
    return range.high - range.low;
  };
  panel.series[0].band.standard_error = {1000.0, 1000.0};
  EXPECT_NEAR(height({}), 1.06 * 200.0, 1e-9);
  EXPECT_NEAR(height({.title = "", .x_label = "", .y_label = "", .lowest = 0.0, .highest = 110.0}), 1.06 * 110.0, 1e-9);
  panel.series[0].band.standard_error = {0.0, 0.0};
  EXPECT_NEAR(height({}), 1.06 * 100.0, 1e-9);
}

}  // namespace
}  // namespace retropg::app
