#include "report/figure_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "report/figure_data.hpp"
#include "report/method_style.hpp"

namespace retropg::app {
namespace {

constexpr double kCharacterWidth = 10.0, kCharacterHeight = 18.6;  // pixels, in gnuplot's terminals
constexpr double kLegendSample = 6.5;                              // characters of an entry besides its label

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

/// One look per label. Labels with the same style are the variants of a method; two methods whose styles were derived
/// from their names may share one too.
std::vector<FigureLook> looks_of(const std::vector<FigurePanel>& panels) {
  std::vector<FigureLook> looks;
  for (const FigurePanel& panel : panels) {
    for (const FigureSeries& series : panel.series) {
      if (std::ranges::find(looks, series.label, &FigureLook::label) != looks.end()) continue;
      const MethodStyle style = method_style(series.method);
      looks.push_back({.label = series.label, .color = style.color, .dash = style.dash});
    }
  }
  const std::vector<FigureLook> plain = looks;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    std::size_t before = 0, count = 0;
    for (std::size_t k = 0; k < plain.size(); ++k) {
      if (plain[k].color != plain[i].color || plain[k].dash != plain[i].dash) continue;
      ++count;
      if (k < i) ++before;
    }
    const VariantStyle variant = variant_style(plain[i].color, before, count);
    looks[i].color = variant.color;
    looks[i].mark = variant.mark;
  }
  return looks;
}

/// What lines and bands are, in the same words for all figures, and what the caller has to say.
std::string note_of(const std::vector<FigurePanel>& panels, bool small, const std::string& note) {
  Index fewest = std::numeric_limits<Index>::max(), most = 0;
  for (const FigurePanel& panel : panels) {
    for (const FigureSeries& series : panel.series) {
      fewest = std::min(fewest, series.band.runs);
      most = std::max(most, series.band.runs);
    }
  }
  std::vector<std::string> sentences;
  if (most > 1) {
    sentences.push_back(fmt::format("Mean over {} runs, with its pointwise 95 % Student t interval.",
                                    fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most)));
  }
  if (small) sentences.emplace_back("Gray: the other means.");
  if (!note.empty()) sentences.push_back(note);
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

/// gnuplot makes all entries as wide as the longest.
int legend_lines(const FigurePage& page) {
  if (page.small || page.looks.size() < 2) return 0;
  double longest = 0.0;
  for (const FigureLook& look : page.looks) longest = std::max(longest, letter_count(look.label));
  const double across = std::max(1.0, std::floor(page.width / kCharacterWidth / (longest + kLegendSample)));
  return static_cast<int>(std::ceil(static_cast<double>(page.looks.size()) / across));
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
                  .note = note_of(panels, small, options.note),
                  .small = small};
  bool titles = small;
  for (const FigurePanel& panel : panels) {
    titles |= !panel.title.empty();
    page.own_y_axes |= has_own_axes(panel);
    page.own_x_axes |= has_own_axes(panel) || x_end(panel) != x_end(panels.front());
  }
  if (page.own_y_axes) page.gap_between_columns = 11.0;
  if (page.own_x_axes) page.gap_between_rows = page.own_y_axes ? 6.0 : 4.5;
  page.columns = columns_for(page.cells.size());
  page.rows = (page.cells.size() + page.columns - 1) / page.columns;
  const Size cell = cell_size(small, page.columns);
  page.width = static_cast<double>(page.columns) * cell.width + (page.left + page.right) * kCharacterWidth;
  page.legend_lines = legend_lines(page);
  page.top = (page.title.empty() ? 0.8 : 2.5) + (titles ? 1.5 : 0.0);
  page.bottom = 4.2 + 1.1 * page.legend_lines + (page.note.empty() ? 0.0 : 1.2);
  const auto rows = static_cast<double>(page.rows);
  page.height = rows * cell.height + (page.top + page.bottom + (rows - 1.0) * page.gap_between_rows) * kCharacterHeight;
  return page;
}

}  // namespace retropg::app
