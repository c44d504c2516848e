#include "report/method_style.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace retropg::app {
namespace {

constexpr const char* kSolid = "solid";
constexpr const char* kDashed = "(24,12)";
constexpr const char* kDashDotted = "(28,10,6,10)";
constexpr const char* kDotted = "(6,10)";

struct Row {
  std::string_view algorithm;
  const char* color;
  const char* dash;
};

// Colors of Okabe and Ito (2008) and of Tol's "muted" palette, which color-blind readers can tell apart. The dash says
// what is reused: solid trajectories, dashed gradients, dash-dotted nothing. Dotted methods explore in parameters, in a
// shade of the color of their counterpart that explores in actions.
constexpr std::array kTable = {
    Row{"rpg", "#0072B2", kSolid},      Row{"rpg-theory", "#56B4E9", kSolid},     Row{"miw-pg", "#009E73", kSolid},
    Row{"bh-pg", "#E69F00", kSolid},    Row{"rnpg", "#882255", kSolid},           Row{"bpo", "#999933", kSolid},
    Row{"svrpg", "#332288", kDashed},   Row{"srvrpg", "#117733", kDashed},        Row{"storm-pg", "#AA4499", kDashed},
    Row{"page-pg", "#44AA99", kDashed}, Row{"def-pg", "#CC6677", kDashed},        Row{"gpomdp", "#D55E00", kDashDotted},
    Row{"pgt", "#CC79A7", kDashDotted}, Row{"reinforce", "#222222", kDashDotted}, Row{"pois", "#663333", kDashDotted},
    Row{"pgpe", "#8A3D00", kDotted},    Row{"pb-rpg", "#004A74", kDotted},        Row{"pb-miw", "#00664B", kDotted},
    Row{"pb-bh", "#956700", kDotted},   Row{"p-pois", "#B07A7A", kDotted},
};

/// FNV-1a: the same on every machine, unlike std::hash.
std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 2166136261U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 16777619U;
  return value;
}

constexpr double kLightest = -0.5, kDarkest = 0.4;  // share of white or black

constexpr std::array kMarks = {0, 7, 9, 5, 13, 11, 6, 8, 4, 12, 10};  // filled, then open

}  // namespace

MethodStyle method_style(std::string_view algorithm) {
  const auto row = std::ranges::find(kTable, algorithm, &Row::algorithm);
  if (row != kTable.end()) return {row->color, row->dash};
  constexpr std::array dashes = {kSolid, kDashed, kDashDotted, kDotted};
  const std::uint32_t value = hash(algorithm);
  return {kTable[value % kTable.size()].color, dashes[value / kTable.size() % dashes.size()]};
}

VariantStyle variant_style(const std::string& color, std::size_t number, std::size_t count) {
  if (count < 2) return {.color = color};
  const double place = static_cast<double>(number) / static_cast<double>(count - 1);
  const double shade = kLightest + (kDarkest - kLightest) * place;
  std::uint32_t red_green_blue = 0;
  std::from_chars(color.data() + 1, color.data() + color.size(), red_green_blue, 16);
  std::uint32_t shaded = 0;
  for (const int shift : {16, 8, 0}) {
    const auto part = static_cast<double>((red_green_blue >> shift) & 0xFFU);
    const double end = shade < 0.0 ? 255.0 : 0.0;
    shaded |= static_cast<std::uint32_t>(std::lround(part + std::abs(shade) * (end - part))) << shift;
  }
  return {.color = fmt::format("#{:06X}", shaded), .mark = kMarks[number % kMarks.size()]};
}

}  // namespace retropg::app
