#include "report/figure_script.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/figure_data.hpp"
#include "report/figure_page.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kMarksPerLine = 8;
constexpr std::size_t kShortTitle = 24;  // letters above a small panel

/// A gnuplot string in single quotes, where only the quote is special and line breaks are not allowed.
std::string quoted(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\'');
  return "'" + text + "'";
}

/// As an expression of gnuplot; a long one is broken after a colon or a space.
std::string small_title(const std::string& title) {
  const std::size_t at = title.size() <= kShortTitle ? std::string::npos : title.find_last_of(": ", kShortTitle);
  if (at == std::string::npos) return quoted(title);
  return quoted(title.substr(0, at + 1)) + " . \"\\n\" . " + quoted(title.substr(at + 1));
}

/// 1, 2 or 5 times a power of ten, for at most `most` steps: gnuplot's own steps are too many for the labels of a
/// narrow panel.
double tick_step(double length, double most) {
  const double power = std::pow(10.0, std::floor(std::log10(length / most)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (length / (factor * power) <= most) return factor * power;
  }
  return 10.0 * power;
}

std::string line_text(const FigureLook& look) {
  const std::string mark = look.mark == 0 ? "" : fmt::format(" pointtype {} pointsize 0.9", look.mark);
  return fmt::format("with {} linecolor '{}' dashtype {} linewidth 2{}", look.mark == 0 ? "lines" : "linespoints",
                     look.color, look.dash, mark);
}

/// The elements of a plot, bands below lines.
std::vector<std::string> elements_of(const FigureCell& cell, const FigurePage& page) {
  std::vector<std::string> elements, lines;
  const std::vector<FigureSeries>& all = cell.panel->series;
  if (cell.series) {
    elements.push_back(
        fmt::format("for [i={}:{}] data index i every 2 using 1:2 with lines linecolor '#D0D0D0' linewidth 1 notitle",
                    cell.first_block, cell.first_block + all.size() - 1));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (cell.series && *cell.series != i) continue;
    const FigureLook& look = page.look(all[i]);
    const std::string block = fmt::format("data index {}", cell.first_block + i);
    if (all[i].band.runs > 1) {
      elements.push_back(fmt::format("{} using 1:3:4 with filledcurves fillcolor '{}' notitle", block, look.color));
    }
    const std::size_t interval = std::max<std::size_t>(1, point_count(all[i].band, page.small) / kMarksPerLine);
    lines.push_back(fmt::format("{} using 1:2 {}{} notitle", block, line_text(look),
                                look.mark == 0 ? "" : fmt::format(" pointinterval {}", interval)));
  }
  elements.insert(elements.end(), lines.begin(), lines.end());
  return elements;
}

/// Labels of axes that all cells share are written once for the page.
std::string cell_text(const FigurePage& page, std::size_t number, const FigureOptions& options) {
  const FigureCell& cell = page.cells[number];
  const FigurePanel& panel = *cell.panel;
  const bool x_numbers = page.own_x_axes || number + page.columns >= page.cells.size();
  const bool y_numbers = page.own_y_axes || number % page.columns == 0;
  const AxisRange x = x_range(panel);
  std::string title = panel.title, x_label, y_label;
  if (cell.series) title += (title.empty() ? "" : ": ") + panel.series[*cell.series].label;
  if (page.own_y_axes) {
    x_label = has_own_axes(panel) ? panel.x_label : options.x_label;
    y_label = has_own_axes(panel) ? panel.y_label : options.y_label;
  }
  std::string text = fmt::format("\nset title {}\n", page.small ? small_title(title) : quoted(title));
  text +=
      fmt::format("set xrange [{:.10g}:{:.10g}]; set xtics {:.10g}; set format x '{}'; set xlabel {}\n", x.low, x.high,
                  tick_step(x.high - x.low, page.small ? 3.0 : 5.0), x_numbers ? "%.10g" : "", quoted(x_label));
  text += fmt::format("set yrange [{0}_low:{0}_high]; set format y '{1}'; set ylabel {2}\n",
                      has_own_axes(panel) ? fmt::format("y{}", cell.first_block) : "y", y_numbers ? "%g" : "",
                      quoted(y_label));
  std::vector<std::string> elements = elements_of(cell, page);
  if (number == 0 && page.legend_lines > 0) {
    for (const FigureLook& look : page.looks) {
      elements.push_back(fmt::format("keyentry {} title {}", line_text(look), quoted(look.label)));
    }
  }
  return text + fmt::format("plot {}\n", fmt::join(elements, ", \\\n     ")) +
         (number == 0 ? "unset key; unset label\n" : "");
}

/// One range for all panels with the figure's axes, one for each of the others.
std::string ranges_text(const std::vector<FigurePanel>& panels, const FigureOptions& options) {
  std::vector<const FigurePanel*> common;
  std::string text;
  const auto add = [&](const std::string& name, const AxisRange& range) {
    text += fmt::format("{0}_low = {1:.6g}; {0}_high = {2:.6g}\n", name, range.low, range.high);
  };
  std::size_t block = 0;
  for (const FigurePanel& panel : panels) {
    if (has_own_axes(panel)) {
      add(fmt::format("y{}", block), y_range({&panel}, options));
    } else {
      common.push_back(&panel);
    }
    block += panel.series.size();
  }
  if (!common.empty()) add("y", y_range(common, options));
  return text;
}

/// What belongs to the page: drawn with the first plot.
std::string page_text(const FigurePage& page, const FigureOptions& options) {
  std::string text;
  if (!page.note.empty()) {
    text += fmt::format("set label 1 {} at screen 0.5, character 0.9 center font small textcolor '#444444'\n",
                        quoted(page.note));
  }
  if (!page.own_y_axes) {
    text += fmt::format("set label 2 {} at screen 0.5, character {:.1f} center\n", quoted(options.x_label),
                        page.bottom - 2.6);
    text += fmt::format("set label 3 {} at character 1.8, screen {:.4f} center rotate\n", quoted(options.y_label),
                        page.middle());
  }
  if (page.legend_lines > 0) {
    text += fmt::format(
        "set key at screen 0.5, character {} center bottom vertical maxrows {} Left reverse samplen 3 width "
        "{:.2f}\n",
        page.note.empty() ? 0.4 : 1.6, page.legend_lines, page.legend_room);
  } else {
    text += "unset key\n";
  }
  return text + fmt::format(
                    "set multiplot layout {},{} title {} font large margins char {},{},{:.1f},{:.1f} spacing char "
                    "{},{}\n",
                    page.rows, page.columns, quoted(page.title), page.left, page.right, page.bottom, page.top,
                    page.gap_between_columns, page.gap_between_rows);
}

}  // namespace

std::string figure_script(const std::string& name, const std::vector<FigurePanel>& panels,
                          const FigureOptions& options) {
  const FigurePage page = figure_page(panels, options);
  std::string text = fmt::format(
      R"(# gnuplot {0}.gp draws the PNG, gnuplot -e "format='svg'" {0}.gp the SVG, and format='pdf' the PDF
if (!exists('format')) format = 'png'
data = {1}
look = "noenhanced rounded font 'sans-serif,12' background '#FFFFFF'"
small = ',10'; large = ',14'
if (format eq 'png') set terminal pngcairo size {3:.0f},{4:.0f} @look
if (format eq 'pdf') set terminal pdfcairo size {5:.3f},{6:.3f} @look fontscale 1 linewidth 1.7
if (format eq 'svg') set terminal svg size {3:.0f},{4:.0f} @look dashlength 0.5 fontscale 1.33
set output {2} . '.' . format
set encoding utf8
set style fill transparent solid 0.2 noborder
set border 3 linecolor '#444444'
set tics nomirror out scale 0.6 font small textcolor '#222222'
set grid linecolor '#E4E4E4' linewidth 1 linetype 1
set title offset 0,-0.5{7}
)",
      name, quoted(name + ".dat"), quoted(name), page.width, page.height, page.width / 72.0, page.height / 72.0,
      page.small ? " font small" : "");
  text += ranges_text(panels, options) + page_text(page, options);
  for (std::size_t i = 0; i < page.cells.size(); ++i) text += cell_text(page, i, options);
  return text + "\nunset multiplot\nunset output\n";
}

}  // namespace retropg::app
