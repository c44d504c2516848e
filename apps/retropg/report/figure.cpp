#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "report/gnuplot.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPoints = 250;  // per series; a panel is about 400 pixels wide, so more points would not show
constexpr std::size_t kColumns = 3;

// With more series than this, a single panel has its legend beside it, fainter bands and fewer points per line.
constexpr std::size_t kFewSeries = 7, kCrowdedPoints = 80;

// Pixels. Text sizes are generous estimates for the fonts set below.
constexpr double kPanelWidth = 500, kPanelHeight = 486, kTitleHeight = 34;
constexpr double kLeft = 78, kRight = 24, kTop = 36, kBottom = 66;  // margins of a panel
constexpr double kLetter = 7.6, kLine = 21, kSample = 62;           // of the legend

// Safe for color-blind readers: Okabe and Ito's palette without yellow, which is invisible on white, plus two of Tol's.
constexpr std::array kColors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                "#56B4E9", "#333333", "#882255", "#999933"};

/// A gnuplot string in single quotes, where only the quote is special and line breaks are not allowed.
std::string quoted(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\'');
  return "'" + text + "'";
}

/// The note wrapped at 26 letters, so that it is not wider than the labels below it.
std::vector<std::string> wrapped(const std::string& note) {
  std::vector<std::string> lines;
  std::istringstream words(note);
  for (std::string word; words >> word;) {
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= 26) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

/// Number of characters in UTF-8 text: counts all bytes except continuation bytes.
double letters(const std::string& text) {
  return static_cast<double>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

double t_quantile(const Band& band) {
  return band.runs < 2 ? 0.0 : student_t_quantile(0.975, static_cast<double>(band.runs - 1));
}

double x_limit(const FigurePanel& panel) {
  if (panel.x_max > 0.0) return panel.x_max;
  double limit = 0.0;
  for (const FigureSeries& series : panel.series) limit = std::max(limit, series.band.x.back());
  return limit > 0.0 ? limit : 1.0;
}

/// 1, 2 or 5 times a power of ten, such that the length holds three to eight steps.
double tick_step(double length) {
  const double power = std::pow(10.0, std::floor(std::log10(length / 3.0)));
  const double step = length / 3.0 / power;
  return power * (step >= 5.0 ? 5.0 : step >= 2.0 ? 2.0 : 1.0);
}

/// The layout shared by all panels.
struct Layout {
  std::size_t columns = 1, rows = 1;
  double y_low = 0.0, y_high = 1.0;
  std::vector<std::string> note;
  double longest = 0.0, most = 0.0;  // letters of the longest label, series of the fullest panel
  double title_height = 0.0, legend_below = 0.0, legend_beside = 0.0;  // pixels
  double per_line = 1.0;                                               // entries of a legend below the panel
  double panel_width = kPanelWidth, plain_height = kPanelHeight;

  double width() const { return panel_width * static_cast<double>(columns); }
  double panel_height() const { return plain_height + legend_below; }
  double height() const { return title_height + panel_height() * static_cast<double>(rows); }
  double plot_width() const { return panel_width - kLeft - kRight - legend_beside; }
  double plot_height() const { return plain_height - kTop - kBottom; }
};

/// The range of the curves and bands, rounded outward to a fifth of a tick.
void choose_y_range(std::span<const FigurePanel> panels, Layout& layout) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const FigurePanel& panel : panels) {
    const double limit = x_limit(panel);
    for (const auto& [label, band] : panel.series) {
      const double t = t_quantile(band);
      for (std::size_t k = 0; k < band.x.size() && band.x[k] <= limit; ++k) {
        const double half = t * band.standard_error[k];
        if (!std::isfinite(band.mean[k] + half)) continue;
        low = std::min(low, band.mean[k] - half);
        high = std::max(high, band.mean[k] + half);
      }
    }
  }
  if (!(low < high)) {  // one constant, or nothing finite
    low = std::isfinite(low) ? low - 1.0 : 0.0;
    high = low + 2.0;
  }
  const double step = tick_step(high - low) / 5.0;
  layout.y_low = std::floor(low / step) * step;
  layout.y_high = std::ceil(high / step) * step;
}

bool crowded(std::span<const FigurePanel> panels) {
  return panels.size() == 1 && panels[0].series.size() > kFewSeries;
}

double widest(const std::vector<std::string>& lines) {
  double width = 0.0;
  for (const std::string& line : lines) width = std::max(width, letters(line) * kLetter);
  return width;
}

/// Whether the legend in the bottom right corner would cover no curve or band.
bool corner_is_free(std::span<const FigurePanel> panels, const Layout& layout) {
  const double text = std::max(layout.longest * kLetter + kSample, widest(layout.note));
  const double lines = layout.most + static_cast<double>(layout.note.size()) + 0.5;
  const double left = 1.0 - (text + 30.0) / layout.plot_width(), top = lines * kLine / layout.plot_height();
  const double height = layout.y_low + top * (layout.y_high - layout.y_low);
  return std::ranges::all_of(panels, [&](const FigurePanel& panel) {
    const double limit = x_limit(panel);
    return std::ranges::all_of(panel.series, [&](const FigureSeries& series) {
      const Band& band = series.band;
      const double t = t_quantile(band);
      for (std::size_t k = 0; k < band.x.size(); ++k) {
        if (band.x[k] >= left * limit && band.mean[k] - t * band.standard_error[k] < height) return false;
      }
      return true;
    });
  });
}

Layout make_layout(std::span<const FigurePanel> panels, const FigureOptions& options) {
  Layout layout{.columns = std::min(panels.size(), kColumns), .note = wrapped(options.note)};
  layout.rows = (panels.size() + layout.columns - 1) / layout.columns;
  if (layout.columns == 1) layout.panel_width = 760;
  if (!options.title.empty()) layout.title_height = kTitleHeight;
  for (const FigurePanel& panel : panels) {
    layout.most = std::max(layout.most, static_cast<double>(panel.series.size()));
    for (const FigureSeries& series : panel.series) layout.longest = std::max(layout.longest, letters(series.label));
  }
  choose_y_range(panels, layout);
  if (options.y_low < options.y_high) {
    layout.y_low = options.y_low;
    layout.y_high = options.y_high;
  }
  if (crowded(panels)) {
    layout.legend_beside = std::max(1.1 * layout.longest * kLetter + kSample, widest(layout.note)) + 20.0;
    layout.panel_width = 900.0 + layout.legend_beside;
    const double lines = layout.most + static_cast<double>(layout.note.size()) + 1.0;
    layout.plain_height = std::max(600.0, lines * kLine + kTop + 20.0);
  } else if (!corner_is_free(panels, layout)) {
    const double entry = layout.longest * kLetter + 1.5 * kSample;
    layout.per_line = std::max(1.0, std::floor(layout.plot_width() / entry));
    layout.note = {options.note};
    layout.legend_below =
        kLine * (std::ceil(layout.most / layout.per_line) + (options.note.empty() ? 0.0 : 1.0)) + 16.0;
  }
  return layout;
}

/// x, mean, low, high: one block per series, in the order of the panels.
std::string data_text(std::span<const FigurePanel> panels) {
  std::string text = "# x, mean, low and high end of the pointwise 95 % Student t interval of the mean\n";
  const auto out = std::back_inserter(text);
  for (const FigurePanel& panel : panels) {
    for (const auto& [label, band] : panel.series) {
      const double t = t_quantile(band);
      // one point past the edge, so that the line reaches it
      const auto edge = std::ranges::upper_bound(band.x, x_limit(panel)) - band.x.begin();
      const std::size_t last = std::min(as_size(edge), band.x.size() - 1);
      const std::size_t points = std::min(last + 1, crowded(panels) ? kCrowdedPoints : kPoints);
      fmt::format_to(out, "# {} | {} | {} runs\n", quoted(panel.title), quoted(label), band.runs);
      for (std::size_t i = 0; i < points; ++i) {
        const std::size_t k = points < 2 ? last : i * last / (points - 1);  // evenly spaced, including first and last
        const double mean = band.mean[k], half = t * band.standard_error[k];
        fmt::format_to(out, "{:.10g} {:.6g} {:.6g} {:.6g}\n", band.x[k], mean, mean - half, mean + half);
      }
      text += "\n\n";
    }
  }
  return text;
}

std::string panel_text(const FigurePanel& panel, const FigureOptions& options, const Layout& layout, std::size_t number,
                       std::size_t first_block) {
  const auto column = static_cast<double>(number % layout.columns), row = static_cast<double>(number / layout.columns);
  const double limit = x_limit(panel), step = tick_step(limit);
  const double left = column * layout.panel_width, top = layout.title_height + row * layout.panel_height();
  std::string text = fmt::format("\nset title {}\nset ylabel {} offset 0.8,0\n", quoted(panel.title),
                                 quoted(column == 0.0 ? options.y_label : ""));
  text += fmt::format("set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n", (left + kLeft) / layout.width(),
                      (left + kLeft + layout.plot_width()) / layout.width());
  text +=
      fmt::format("set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n", 1.0 - (top + kTop) / layout.height(),
                  1.0 - (top + layout.plain_height - kBottom) / layout.height());
  if (layout.legend_beside > 0.0) {
    text += fmt::format("set key at screen {:.5f}, screen {:.5f} top left vertical maxcols 1\n",
                        (left + kLeft + layout.plot_width() + kRight) / layout.width(),
                        1.0 - (top + kTop) / layout.height());
  }
  if (layout.legend_below > 0.0) {
    text += fmt::format("set key at screen {:.5f}, screen {:.5f} bottom center horizontal maxcols {:.0f} width 1\n",
                        (left + kLeft + 0.5 * layout.plot_width()) / layout.width(),
                        1.0 - (top + layout.panel_height() - 6.0) / layout.height(), layout.per_line);
  }
  text += fmt::format("set xrange [0:{:.10g}]\nset xtics {:.10g}\nset format x '{}'\nplot \\\n", limit, step,
                      step >= 1000.0 ? "%.0s%c" : "%g");
  std::string bands, lines;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const char* color = kColors[i % kColors.size()];
    const std::size_t dash = 1 + i / kColors.size();  // changes when the colors run out
    if (panel.series[i].band.runs > 1) {
      bands += fmt::format("  data index {} using 1:3:4 with filledcurves fillcolor '{}' notitle, \\\n",
                           first_block + i, color);
    }
    lines += fmt::format("  data index {} using 1:2 with lines linecolor '{}' linewidth 2 dashtype {} title {}{}\n",
                         first_block + i, color, dash, quoted(panel.series[i].label),
                         i + 1 < panel.series.size() ? ", \\" : "");
  }
  return text + bands + lines;  // draw lines on top of all bands
}

std::string script_text(const std::string& name, std::span<const FigurePanel> panels, const FigureOptions& options) {
  const Layout layout = make_layout(panels, options);
  std::string note = "''";
  for (const std::string& line : layout.note) note += (note.size() > 2 ? " . \"\\n\" . " : " . ") + quoted(line);
  std::string text = fmt::format(R"(# gnuplot {0}.gp draws the PNG; gnuplot -e "format='svg'" {0}.gp the SVG
if (!exists('format')) format = 'png'
data = {1}
if (format eq 'svg') {{
  set terminal svg size {2},{3} noenhanced rounded font 'sans-serif,14' background '#FFFFFF'
  small = ',12'; large = ',18'; lift = 0.4
}} else {{
  set terminal pngcairo size {2},{3} noenhanced rounded font 'sans-serif,12' background '#FFFFFF'
  small = ',10'; large = 'sans-serif:Bold,14'; lift = 0
}}
set output {4} . '.' . format
set encoding utf8
set style fill transparent solid {10} noborder
set border 3 linecolor '#444444'
set tics nomirror out scale 0.6 textcolor '#222222'
set grid linecolor '#E4E4E4' linewidth 1 linetype 1
set key bottom right Left reverse samplen 2 spacing 1 title {5} font small left
set xlabel {6} offset 0,lift
set title offset 0,-0.3
set yrange [{7:.10g}:{8:.10g}]
set ytics {9:.10g}
set multiplot
)",
                                 name, quoted(name + ".dat"), layout.width(), layout.height(), quoted(name), note,
                                 quoted(options.x_label), layout.y_low, layout.y_high,
                                 tick_step(layout.y_high - layout.y_low), crowded(panels) ? 0.07 : 0.18);
  if (!options.title.empty()) {
    text += fmt::format("set label 1 {} at screen 0.5, screen {:.5f} center font large\n", quoted(options.title),
                        1.0 - 0.6 * kTitleHeight / layout.height());
  }
  std::size_t block = 0;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (i == 1) text += "unset label\n";
    text += panel_text(panels[i], options, layout, i, block);
    block += panels[i].series.size();
  }
  return text + "\nunset multiplot\nunset output\n";
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return !file.fail();
}

/// Writes the files and runs gnuplot. Returns an error message, or an empty string on success.
std::string draw(const fs::path& stem, std::span<const FigurePanel> panels, const FigureOptions& options) {
  if (panels.empty()) return "a figure needs at least one panel";
  for (const FigurePanel& panel : panels) {
    if (panel.series.empty()) return "panel '" + panel.title + "' has no series";
    for (const FigureSeries& series : panel.series) {
      if (series.band.x.empty()) return "series '" + series.label + "' of panel '" + panel.title + "' has no points";
    }
  }
  const std::string name = stem.filename().string();
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  if (!write_file(folder / (name + ".dat"), data_text(panels))) return "cannot write " + stem.string() + ".dat";
  if (!write_file(folder / (name + ".gp"), script_text(name, panels, options))) {
    return "cannot write " + stem.string() + ".gp";
  }
  return run_gnuplot(folder, name);
}

}  // namespace

bool draw_figure(const fs::path& stem, std::span<const FigurePanel> panels, const FigureOptions& options,
                 std::string* problem) {
  const std::string found = draw(stem, panels, options);
  if (problem != nullptr) *problem = found;
  return found.empty();
}

}  // namespace retropg::app
