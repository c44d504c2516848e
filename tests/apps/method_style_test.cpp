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
  EXPECT_EQ(looks.size(), 20U);
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

double lightness(const std::string& color) {
  return static_cast<double>(std::stoul(color.substr(1, 2), nullptr, 16) + std::stoul(color.substr(3, 2), nullptr, 16) +
                             std::stoul(color.substr(5, 2), nullptr, 16));
}

TEST(VariantStyle, GoesFromLightToDarkWithMarks) {
  EXPECT_EQ(variant_style("#0072B2", 0, 1).color, "#0072B2");
  EXPECT_EQ(variant_style("#0072B2", 0, 1).mark, 0);
  for (const std::size_t count : {2U, 3U, 8U}) {
    std::set<int> marks;
    double before = 800.0;
    for (std::size_t i = 0; i < count; ++i) {
      const VariantStyle variant = variant_style("#0072B2", i, count);
      EXPECT_LT(lightness(variant.color), before) << i << " of " << count;
      before = lightness(variant.color);
      EXPECT_TRUE(marks.insert(variant.mark).second) << i << " of " << count;
    }
  }
  EXPECT_EQ(variant_style("#0072B2", 0, 2).color, "#80B9D9");
  EXPECT_EQ(variant_style("#0072B2", 1, 2).color, "#00446B");
}

}  // namespace
}  // namespace retropg::app
