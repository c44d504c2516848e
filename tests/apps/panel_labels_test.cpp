#include "report/panel_labels.hpp"

#include <gtest/gtest.h>

namespace retropg::app {
namespace {

using Labels = std::vector<std::vector<std::string>>;

TEST(PanelLabels, LeaveOutWhatTheTitleSays) {
  EXPECT_EQ(panel_labels({{"window 2", {"RPG, window 2", "BH-PG, window 2", "GPOMDP"}}}).labels,
            (Labels{{"RPG", "BH-PG", "GPOMDP"}}));
  EXPECT_EQ(
      panel_labels({{"TH-RPG, D = 0.5", {"GPOMDP", "TH-RPG, window 2, D = 0.5", "TH-RPG, window 64, D = 0.5"}}}).labels,
      (Labels{{"GPOMDP", "window 2", "window 64"}}));
}

TEST(PanelLabels, LeaveOutWholePartsOnly) {
  EXPECT_EQ(panel_labels({{"window 1", {"RPG, window 16", "RPG, window 1", "window 1"}}}).labels,
            (Labels{{"RPG, window 16", "RPG", "window 1"}}));
  EXPECT_EQ(panel_labels({{"", {"RPG", "RPG, a = 0.9"}}}).labels, (Labels{{"RPG", "RPG, a = 0.9"}}));
}

TEST(PanelLabels, OfAPanelStayDifferent) {
  EXPECT_EQ(panel_labels({{"RPG", {"RPG, window 2", "window 2"}}}).labels, (Labels{{"RPG, window 2", "window 2"}}));
}

TEST(PanelLabels, AreTheSameInEveryPanelIfTheyMeanTheSame) {
  const PanelLabels table =
      panel_labels({{"N omega = 32", {"GPOMDP, N = 32", "RPG, N = 16, window 2", "RPG, N = 8, window 4"}},
                    {"N omega = 64", {"GPOMDP, N = 64", "RPG, N = 32, window 2", "RPG, N = 16, window 4"}}});
  const std::vector<std::string> shared = {"GPOMDP", "RPG, window 2", "RPG, window 4"};
  EXPECT_EQ(table.labels, (Labels{shared, shared}));
  EXPECT_EQ(table.left_out, (std::vector<std::string>{"N"}));
  const PanelLabels bounds = panel_labels(
      {{"window 2", {"RPG, N = 16, window 2", "TH-RPG, N = 16, window 2, D = 1", "TH-RPG, N = 16, window 2, D = 2"}},
       {"window 4", {"RPG, N = 8, window 4", "TH-RPG, N = 8, window 4, D = 1", "TH-RPG, N = 8, window 4, D = 2"}}});
  const std::vector<std::string> both = {"RPG", "TH-RPG, D = 1", "TH-RPG, D = 2"};
  EXPECT_EQ(bounds.labels, (Labels{both, both}));
}

TEST(PanelLabels, KeepWhatNoOtherPanelShares) {
  const PanelLabels alone = panel_labels({{"", {"RPG, N = 16", "GPOMDP, N = 32"}}});
  EXPECT_EQ(alone.labels, (Labels{{"RPG, N = 16", "GPOMDP, N = 32"}}));
  EXPECT_TRUE(alone.left_out.empty());
}

}  // namespace
}  // namespace retropg::app
