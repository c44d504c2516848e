#include "report/figure.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace retropg::app {
namespace {

namespace fs = std::filesystem;

/// Three runs of a curve that is at `late` when half the budget is spent.
FigureSeries series(const std::string& label, double late, int points = 1000, const std::string& method = "rpg") {
  std::vector<Curve> runs(3);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (int k = 1; k <= points; ++k) {
      const double share = k / static_cast<double>(points);
      runs[run].x.push_back(10000.0 * share);
      runs[run].y.push_back(40.0 + 150.0 / (1.0 + std::exp(-(share - late) / 0.05)) + static_cast<double>(run));
    }
  }
  return {.label = label, .method = method, .band = band(runs)};
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A big-endian number of four bytes.
unsigned big_endian(const std::string& bytes, std::size_t at) {
  unsigned value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = 256 * value + static_cast<unsigned char>(bytes[i]);
  return value;
}

class Figure : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::path(testing::TempDir()) / ("retropg_figure_" + std::string(test->name()) + "_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Draws and keeps the problem; a test that needs the picture skips where gnuplot is not installed.
  bool draw(const std::string& name, const std::vector<FigurePanel>& panels, const FigureOptions& options) {
    return draw_figure(folder_ / name, panels, options, &problem_);
  }
  bool gnuplot_is_missing() const { return problem_.find("gnuplot-nox") != std::string::npos; }

  fs::path folder_;
  std::string problem_;
};

const FigureOptions kOptions{.title = "Cart Pole",
                             .x_label = "collected trajectories",
                             .y_label = "mean return",
                             .note = "All runs are made up.",
                             .lowest = 0.0,
                             .highest = 205.0};

TEST_F(Figure, IsWrittenAsPngSvgAndPdf) {
  std::vector<FigurePanel> panels;
  for (const char* title : {"Nω = 32", "it's 64", "N_ω = {128}"}) {
    panels.push_back({.title = title, .series = {series("GPOMDP", 0.5, 1000, "gpomdp"), series("RPG, ω = 8", 0.1)}});
  }
  const bool drawn = draw("a name with spaces", panels, kOptions);
  if (gnuplot_is_missing()) GTEST_SKIP() << problem_;
  ASSERT_TRUE(drawn) << problem_;
  EXPECT_EQ(problem_, "");

  const std::string png = contents(folder_ / "a name with spaces.png");
  ASSERT_GT(png.size(), 10000U);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_GT(big_endian(png, 16), 2 * big_endian(png, 20)) << "three panels in a row";
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");

  const std::string pdf = contents(folder_ / "a name with spaces.pdf");
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");

  const std::string svg = contents(folder_ / "a name with spaces.svg");
  EXPECT_EQ(svg.substr(0, 5), "<?xml");
  for (const char* text : {"</svg>", "viewBox=", "GPOMDP", "RPG, ω = 8", "N_ω = {128}", "it's 64", "mean return",
                           "Mean over 3 runs, with its pointwise 95 % Student t interval. All runs are made up."}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  for (const char* other_file : {"href=\"http", "href='http", "<image", "@import", "<script"}) {
    EXPECT_EQ(svg.find(other_file), std::string::npos) << "the SVG is a file of its own, without " << other_file;
  }
  EXPECT_EQ(svg.find(">GPOMDP<"), svg.rfind(">GPOMDP<")) << "one legend for all panels";
}

TEST_F(Figure, DataHaveOneBlockASeriesWithItsIntervalAndFewPoints) {
  FigurePanel panel{.title = "one", .series = {series("A", 0.3, 4000), series("B", 0.6, 50)}};
  draw("data", {panel}, kOptions);
  std::ifstream file(folder_ / "data.dat");
  std::vector<int> points;
  std::string line, last;
  while (std::getline(file, line)) {
    if (line.starts_with("# one")) {
      points.push_back(0);
    } else if (!line.empty() && line[0] != '#') {
      ++points.back();
      last = line;
    }
  }
  EXPECT_EQ(points, (std::vector<int>{250, 50}));
  double x = 0.0, mean = 0.0, low = 0.0, high = 0.0;
  ASSERT_EQ(std::sscanf(last.c_str(), "%lf %lf %lf %lf", &x, &mean, &low, &high), 4) << last;
  EXPECT_DOUBLE_EQ(x, 10000.0);
  EXPECT_NEAR(high - mean, 4.302653 / std::sqrt(3.0), 1e-3);  // t_2 and values one apart: s = 1
  EXPECT_NEAR(mean - low, 4.302653 / std::sqrt(3.0), 1e-3);
}

TEST_F(Figure, BandsStayInsideThePossibleReturns) {
  FigureSeries wide = series("A", 0.3, 50);
  for (double& error : wide.band.standard_error) error = 100.0;
  draw("wide", {{.title = "one", .series = {wide}}}, kOptions);
  std::ifstream file(folder_ / "wide.dat");
  int points = 0;
  for (std::string line; std::getline(file, line);) {
    double x = 0.0, mean = 0.0, low = 0.0, high = 0.0;
    if (std::sscanf(line.c_str(), "%lf %lf %lf %lf", &x, &mean, &low, &high) != 4) continue;
    EXPECT_EQ(low, 0.0);
    EXPECT_EQ(high, 205.0);
    ++points;
  }
  EXPECT_EQ(points, 50);
}

TEST_F(Figure, OfManySeriesHasASmallPanelForEach) {
  FigurePanel panel{.title = "", .series = {}};
  for (int i = 0; i < 20; ++i) panel.series.push_back(series("series " + std::to_string(i), 0.2 + 0.02 * i));
  const bool drawn = draw("many", {panel}, kOptions);
  if (gnuplot_is_missing()) GTEST_SKIP() << problem_;
  ASSERT_TRUE(drawn) << problem_;
  const std::string png = contents(folder_ / "many.png"), svg = contents(folder_ / "many.svg");
  EXPECT_GT(big_endian(png, 16), 1000U);
  EXPECT_GE(big_endian(png, 20), 600U);
  for (const FigureSeries& one : panel.series) {
    EXPECT_NE(svg.find(">" + one.label + "<"), std::string::npos) << one.label;
  }
}

TEST_F(Figure, DrawsASingleFlatRunWithoutABand) {
  const Curve flat{.x = {10.0, 20.0}, .y = {7.0, 7.0}};
  const std::vector<FigurePanel> panels = {
      {.title = "flat", .series = {{.label = "one run", .method = "rpg", .band = band({&flat, 1})}}}};
  const bool drawn = draw("flat", panels, {});
  if (gnuplot_is_missing()) GTEST_SKIP() << problem_;
  EXPECT_TRUE(drawn) << problem_;
  EXPECT_EQ(contents(folder_ / "flat.gp").find("filledcurves"), std::string::npos);
}

TEST_F(Figure, NamesThePackageWhenGnuplotIsMissing) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  const bool drawn = draw("none", {{.title = "", .series = {series("A", 0.2)}}}, kOptions);
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(drawn);
  EXPECT_NE(problem_.find("gnuplot-nox"), std::string::npos) << problem_;
  EXPECT_EQ(problem_.find('\n'), std::string::npos);
}

TEST_F(Figure, SaysWhatItCannotDraw) {
  EXPECT_FALSE(draw("empty", {}, kOptions));
  EXPECT_FALSE(draw("empty", {{.title = "bare", .series = {}}}, kOptions));
  EXPECT_NE(problem_.find("bare"), std::string::npos);
  EXPECT_FALSE(draw("no/such/folder", {{.title = "", .series = {series("A", 0.2)}}}, kOptions));
  EXPECT_NE(problem_.find("cannot be written"), std::string::npos) << problem_;
  EXPECT_FALSE(draw_figure(folder_ / "empty", {}, kOptions, nullptr));
}

TEST_F(Figure, SaysWhereItCannotBeWritten) {
  fs::create_directory(folder_ / "taken.png");  // where the picture should go
  const bool drawn = draw("taken", {{.title = "", .series = {series("A", 0.2)}}}, kOptions);
  if (gnuplot_is_missing()) GTEST_SKIP() << problem_;
  EXPECT_FALSE(drawn);
  EXPECT_NE(problem_.find("taken.png: cannot be written"), std::string::npos) << problem_;
  EXPECT_EQ(problem_.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace retropg::app
