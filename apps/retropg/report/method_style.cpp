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
    Row{"pb-bh", "#956700", kDotted},   Row{"p-pois", "#B07A7A", kDotted},        Row{"nes", "#7A0019", kDotted},
};

/// FNV-1a: the same on every machine, unlike std::hash.
std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 2166136261U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 16777619U;
  return value;
}

constexpr std::size_t kFewVariants = 3;               // can be told apart by shade and mark
constexpr double kLightest = 190.0, kDarkest = 45.0;  // brightness, from 0 to 255

// From light to dark along Matplotlib's "viridis", whose colors differ in brightness and hue for color-blind readers.
constexpr std::array kShared = {"#9BD93C", "#35B779", "#26828E", "#3B528B", "#440154"};

constexpr std::array kMarks = {0, 7, 9, 5, 13, 11, 6, 8, 4, 12, 10};  // filled, then open

using Rgb = std::array<double, 3>;

Rgb rgb_of(std::string_view color) {
  std::uint32_t value = 0;
  std::from_chars(color.data() + 1, color.data() + color.size(), value, 16);
  return {static_cast<double>(value >> 16U), static_cast<double>((value >> 8U) & 0xFFU),
          static_cast<double>(value & 0xFFU)};
}

std::string color_of(const Rgb& rgb) {
  return fmt::format("#{:02X}{:02X}{:02X}", std::lround(rgb[0]), std::lround(rgb[1]), std::lround(rgb[2]));
}

Rgb mixed(const Rgb& from, const Rgb& to, double share) {
  Rgb result{};
  for (std::size_t i = 0; i < 3; ++i) result[i] = from[i] + share * (to[i] - from[i]);
  return result;
}

/// The color, mixed with white or black, of a brightness between the lightest and the darkest.
std::string shade(const std::string& color, double place) {
  const Rgb rgb = rgb_of(color);
  const double is = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  const double wanted = kLightest + (kDarkest - kLightest) * place;
  return color_of(wanted > is ? mixed(rgb, {255.0, 255.0, 255.0}, (wanted - is) / (255.0 - is))
                              : mixed(rgb, {0.0, 0.0, 0.0}, 1.0 - wanted / is));
}

std::string shared_color(double place) {
  const double at = place * static_cast<double>(kShared.size() - 1);
  const std::size_t before = std::min(static_cast<std::size_t>(at), kShared.size() - 2);
  return color_of(mixed(rgb_of(kShared[before]), rgb_of(kShared[before + 1]), at - static_cast<double>(before)));
}

}  // namespace

MethodStyle method_style(std::string_view algorithm) {
  const auto row = std::ranges::find(kTable, algorithm, &Row::algorithm);
  if (row != kTable.end()) return {row->color, row->dash};
  constexpr std::array kDashes = {kSolid, kDashed, kDashDotted, kDotted};
  const std::uint32_t value = hash(algorithm);
  return {kTable[value % kTable.size()].color, kDashes[value / kTable.size() % kDashes.size()]};
}

MethodStyle shared_style() {
  return {kShared[kShared.size() / 2], kSolid};
}

VariantStyle variant_style(const MethodStyle& style, std::size_t number, std::size_t count) {
  if (count < 2) return {.color = style.color, .dash = style.dash};
  const double place = static_cast<double>(number) / static_cast<double>(count - 1);
  const bool other_dash = count > kFewVariants && number % 2 == 1;
  return {.color = style == shared_style() ? shared_color(place) : shade(style.color, place),
          .dash = !other_dash            ? style.dash
                  : style.dash == kSolid ? kDashed
                                         : kSolid,
          .mark = kMarks[number % kMarks.size()]};
}

}  // namespace retropg::app
