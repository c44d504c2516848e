#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/aggregate_output.hpp"
#include "report/gnuplot.hpp"
#include "report/method_style.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

constexpr const char* kName = "profiles";

/// A gnuplot string in single quotes, where only the quote is special.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\'');
  return "'" + text + "'";
}

/// Arms of one algorithm are shades of its color.
VariantStyle variant_of(const Aggregate& aggregate, std::size_t arm) {
  const std::string& algorithm = aggregate.arms[arm].algorithm;
  const auto end = aggregate.arms.begin() + static_cast<std::ptrdiff_t>(arm);
  return variant_style(method_style(algorithm).color,
                       as_size(std::count_if(aggregate.arms.begin(), end,
                                             [&](const AggregateArm& other) { return other.algorithm == algorithm; })),
                       as_size(std::ranges::count(aggregate.arms, algorithm, &AggregateArm::algorithm)));
}

std::string data_text(const Aggregate& aggregate) {
  std::string text = "# score, fraction of runs above it, low and high end of the pointwise 95 % bootstrap interval\n";
  for (const std::size_t i : aggregate.order()) {
    const PerformanceProfile& profile = aggregate.arms[i].profile;
    text += fmt::format("# {}\n", aggregate.arms[i].label);
    for (std::size_t k = 0; k < profile.threshold.size(); ++k) {
      fmt::format_to(std::back_inserter(text), "{:.6g} {:.6g} {:.6g} {:.6g}\n", profile.threshold[k],
                     profile.fraction[k], profile.band[k].low, profile.band[k].high);
    }
    text += "\n\n";
  }
  return text;
}

std::string script_text(const Study& study) {
  const Aggregate& aggregate = *study.aggregate;
  const std::vector<double>& scores = aggregate.arms.front().profile.threshold;
  const Index seeds = study.tasks.front().comparison.plan.seeds;
  std::string text =
      fmt::format(R"(# gnuplot {0}.gp draws the PNG; with -e "format='svg'" or 'pdf', those
if (!exists('format')) format = 'png'
data = '{0}.dat'
if (format eq 'pdf') {{
  set terminal pdfcairo size 6.5,4.3 noenhanced rounded font 'sans-serif,11' background '#FFFFFF'
}} else {{
  if (format eq 'svg') {{
    set terminal svg size 900,600 noenhanced rounded font 'sans-serif,14' background '#FFFFFF'
  }} else {{
    set terminal pngcairo size 900,600 noenhanced rounded font 'sans-serif,12' background '#FFFFFF'
  }}
}}
set output '{0}.' . format
set encoding utf8
set title {1}
set style fill transparent solid 0.18 noborder
set border 3 linecolor '#444444'
set tics nomirror out scale 0.6 textcolor '#222222'
set grid linecolor '#E4E4E4' linewidth 1 linetype 1
set key outside right top Left reverse samplen 2
set xlabel 'Normalized score: 0 random actions, 1 best known'
set ylabel 'Fraction of runs above it'
set xrange [{2:.6g}:{3:.6g}]
set yrange [0:1]
plot \
)",
                  kName,
                  quoted(fmt::format("{} environments, {} seeds each, with pointwise 95 % bootstrap bands",
                                     study.tasks.size(), seeds)),
                  scores.front(), scores.back());
  std::string bands, lines;
  const std::vector<std::size_t> order = aggregate.order();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto [color, mark] = variant_of(aggregate, order[i]);
    bands += fmt::format("  data index {} using 1:3:4 with filledcurves fillcolor '{}' notitle, \\\n", i, color);
    lines +=
        fmt::format("  data index {} using 1:2 with {} linecolor '{}' linewidth 2 dashtype {}{} title {}{}\n", i,
                    mark == 0 ? "lines" : "linespoints", color, method_style(aggregate.arms[order[i]].algorithm).dash,
                    mark == 0 ? "" : fmt::format(" pointtype {} pointinterval 25", mark),
                    quoted(aggregate.arms[order[i]].label), i + 1 < order.size() ? ", \\" : "");
  }
  return text + bands + lines + "unset output\n";
}

}  // namespace

bool draw_profiles(const Study& study, const std::filesystem::path& folder, std::string* problem) {
  try {
    write_file(folder / (std::string(kName) + ".dat"), data_text(*study.aggregate));
    write_file(folder / (std::string(kName) + ".gp"), script_text(study));
    *problem = run_gnuplot(folder, kName);
  } catch (const Error& error) {
    *problem = error.what();
  }
  return problem->empty();
}

}  // namespace retropg::app
