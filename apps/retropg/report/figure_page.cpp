#include "report/figure_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "report/figure_data.hpp"
#include "report/method_style.hpp"

namespace retropg::app {
namespace {

constexpr double kCharacterWidth = 10.0, kCharacterHeight = 18.6;  // pixels, in gnuplot's terminals
constexpr double kLegendSample = 6.0;                              // characters of an entry besides its label
constexpr double kLegendGap = 2.0;                                 // characters between entries

struct Size {
  double width, height;  // pixels
};

Size cell_size(bool small, std::size_t columns) {
  if (small) return {250, 150};
  if (columns == 1) return {800, 420};
  return columns == 2 ? Size{500, 280} : Size{400, 250};
}

std::size_t columns_for(std::size_t cells) {
  if (cells <= 3) return cells;
  if (cells == 4) return 2;
  if (cells <= 9) return 3;
  return cells <= 16 ? 4 : 5;
}

/// A label of the legend and the style of its method, or the shared one if it is of several methods.
struct LabelStyle {
  std::string label;
  MethodStyle style;
};

std::vector<LabelStyle> label_styles(const std::vector<FigurePanel>& panels) {
  std::vector<LabelStyle> styles;
  for (const FigurePanel& panel : panels) {
    for (const FigureSeries& series : panel.series) {
      const MethodStyle style = method_style(series.method);
      const auto known = std::ranges::find(styles, series.label, &LabelStyle::label);
      if (known == styles.end()) {
        styles.push_back({series.label, style});
      } else if (known->style != style) {
        known->style = shared_style();
      }
    }
  }
  return styles;
}

/// One look per label. Labels with the same style are the variants of a method; two methods whose styles were derived
/// from their names may share one too.
std::vector<FigureLook> looks_of(const std::vector<FigurePanel>& panels) {
  const std::vector<LabelStyle> styles = label_styles(panels);
  std::vector<FigureLook> looks;
  for (auto one = styles.begin(); one != styles.end(); ++one) {
    const auto before = std::ranges::count(styles.begin(), one, one->style, &LabelStyle::style);
    const auto count = std::ranges::count(styles, one->style, &LabelStyle::style);
    const VariantStyle variant = variant_style(one->style, as_size(before), as_size(count));
    looks.push_back({.label = one->label, .color = variant.color, .dash = variant.dash, .mark = variant.mark});
  }
  return looks;
}

/// What lines and bands are, in the same words for all figures of means, and what the caller has to say.
std::string note_of(const std::vector<FigurePanel>& panels, bool small, const FigureOptions& options) {
  Index fewest = std::numeric_limits<Index>::max(), most = 0;
  for (const FigurePanel& panel : panels) {
    for (const FigureSeries& series : panel.series) {
      fewest = std::min(fewest, series.band.runs);
      most = std::max(most, series.band.runs);
    }
  }
  std::vector<std::string> sentences;
  if (!options.lines.empty()) {
    sentences.push_back(options.lines);
  } else if (most > 1) {
    sentences.push_back(fmt::format("Mean over {} runs, with its pointwise 95 % Student t interval.",
                                    fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most)));
  }
  if (small) sentences.emplace_back("Gray: the others.");
  if (!options.note.empty()) sentences.push_back(options.note);
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::vector<FigureCell> cells_of(const std::vector<FigurePanel>& panels, bool small) {
  std::vector<FigureCell> cells;
  std::size_t block = 0;
  for (const FigurePanel& panel : panels) {
    if (small) {
      for (std::size_t i = 0; i < panel.series.size(); ++i) {
        cells.push_back({.panel = &panel, .first_block = block, .series = i});
      }
    } else {
      cells.push_back({.panel = &panel, .first_block = block});
    }
    block += panel.series.size();
  }
  return cells;
}

/// At least as wide as the text in a font without serifs, in digits.
double text_width(const std::string& text) {
  double width = 0.0;
  for (const char c : text) {
    const bool begins_letter = (c & 0xC0) != 0x80;  // of UTF-8
    const bool wide = std::string_view("MWmw@%").find(c) != std::string_view::npos || (c & 0x80) != 0;
    width += !begins_letter ? 0.0 : wide ? 1.6 : c >= 'A' && c <= 'Z' ? 1.25 : 1.0;
  }
  return width;
}

/// gnuplot takes all letters for digits and makes all entries as wide as the longest.
void lay_out_legend(FigurePage& page) {
  if (page.small || page.looks.size() < 2) return;
  double longest = 0.0, widest = 0.0;
  for (const FigureLook& look : page.looks) {
    longest = std::max(longest, letter_count(look.label));
    widest = std::max(widest, text_width(look.label));
  }
  page.legend_room = widest - longest + kLegendGap;
  const double entry = kLegendSample + longest + page.legend_room;
  const double across = std::max(1.0, std::floor(page.width / kCharacterWidth / entry));
  page.legend_lines = static_cast<int>(std::ceil(static_cast<double>(page.looks.size()) / across));
}

}  // namespace

double letter_count(const std::string& text) {
  return static_cast<double>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

const FigureLook& FigurePage::look(const FigureSeries& series) const {
  return *std::ranges::find(looks, series.label, &FigureLook::label);
}

double FigurePage::middle() const {
  return 0.5 + 0.5 * (bottom - top) * kCharacterHeight / height;
}

FigurePage figure_page(const std::vector<FigurePanel>& panels, const FigureOptions& options) {
  const bool small = needs_small_panels(panels);
  FigurePage page{.cells = cells_of(panels, small),
                  .looks = looks_of(panels),
                  .title = options.title,
                  .note = note_of(panels, small, options),
                  .small = small};
  bool titles = small;
  for (const FigurePanel& panel : panels) {
    titles |= !panel.title.empty();
    page.own_y_axes |= has_own_axes(panel);
    page.own_x_axes |= has_own_axes(panel) || x_range(panel) != x_range(panels.front());
  }
  if (page.own_y_axes) page.gap_between_columns = 11.0;
  if (page.own_x_axes) page.gap_between_rows = page.own_y_axes ? 6.0 : 4.5;
  page.columns = columns_for(page.cells.size());
  page.rows = (page.cells.size() + page.columns - 1) / page.columns;
  const Size cell = cell_size(small, page.columns);
  page.width = static_cast<double>(page.columns) * cell.width + (page.left + page.right) * kCharacterWidth;
  lay_out_legend(page);
  page.top = (page.title.empty() ? 0.8 : 2.5) + (titles ? 1.5 : 0.0);
  page.bottom = 4.2 + 1.1 * page.legend_lines + (page.note.empty() ? 0.0 : 1.2);
  const auto rows = static_cast<double>(page.rows);
  page.height = rows * cell.height + (page.top + page.bottom + (rows - 1.0) * page.gap_between_rows) * kCharacterHeight;
  return page;
}

}  // namespace retropg::app
