#include "report/method_style.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "retropg/configuration/builtin.hpp"

namespace retropg::app {
namespace {

TEST(MethodStyle, NoTwoBuiltInMethodsLookAlike) {
  std::set<std::string> looks;
  for (const AlgorithmEntry& entry : builtin_algorithms()) {
    const MethodStyle style = method_style(entry.name);
    ASSERT_EQ(style.color.size(), 7U) << entry.name;
    EXPECT_EQ(style.color[0], '#') << entry.name;
    EXPECT_TRUE(looks.insert(style.color).second) << entry.name << " has the color of another method";
  }
  EXPECT_EQ(looks.size(), 21U);
}

TEST(MethodStyle, OfABuiltInMethodIsFixed) {
  EXPECT_EQ(method_style("rpg"), (MethodStyle{"#0072B2", "solid"}));
  EXPECT_EQ(method_style("gpomdp").color, "#D55E00");
  EXPECT_EQ(method_style("pgpe").dash, method_style("pb-rpg").dash);
  EXPECT_NE(method_style("pgpe").dash, method_style("rpg").dash);
}

TEST(MethodStyle, OfAnyOtherMethodFollowsFromItsName) {
  EXPECT_EQ(method_style("my-own"), method_style(std::string("my-") + "own"));
  std::set<std::string> looks;
  for (int i = 0; i < 100; ++i) {
    const MethodStyle style = method_style("own-" + std::to_string(i));
    looks.insert(style.color + style.dash);
  }
  EXPECT_GT(looks.size(), 30U);
  EXPECT_EQ(method_style("").color.size(), 7U);
}

double brightness(const std::string& color) {
  const auto part = [&](std::size_t at) { return static_cast<double>(std::stoul(color.substr(at, 2), nullptr, 16)); };
  return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5);
}

TEST(VariantStyle, GoesFromLightToDarkWithMarks) {
  const MethodStyle rpg = method_style("rpg");
  EXPECT_EQ(variant_style(rpg, 0, 1).color, rpg.color);
  EXPECT_EQ(variant_style(rpg, 0, 1).mark, 0);
  for (const MethodStyle& style : {rpg, method_style("rpg-theory"), method_style("reinforce"), shared_style()}) {
    for (const std::size_t count : {2U, 3U, 5U, 8U}) {
      std::set<int> marks;
      for (std::size_t i = 0; i < count; ++i) {
        const VariantStyle variant = variant_style(style, i, count);
        EXPECT_TRUE(marks.insert(variant.mark).second) << i << " of " << count;
        if (i == 0) continue;
        const double before = brightness(variant_style(style, i - 1, count).color);
        EXPECT_LT(brightness(variant.color), before - 60.0 / static_cast<double>(count - 1)) << i << " of " << count;
      }
    }
  }
}

TEST(VariantStyle, NeighborsOfManyHaveDifferentDashes) {
  for (const MethodStyle& style : {method_style("rpg"), method_style("svrpg"), method_style("gpomdp")}) {
    EXPECT_EQ(variant_style(style, 1, 3).dash, style.dash) << "of few, shade and mark are enough";
    for (std::size_t i = 1; i < 6; ++i) EXPECT_NE(variant_style(style, i, 6).dash, variant_style(style, i - 1, 6).dash);
    EXPECT_EQ(variant_style(style, 0, 6).dash, style.dash);
  }
}

}  // namespace
}  // namespace retropg::app
