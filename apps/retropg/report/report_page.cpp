#include "report/report_page.hpp"

#include <fmt/format.h>

#include "report/arm_columns.hpp"
#include "report/claim_table.hpp"
#include "report/claim_text.hpp"
#include "report/experiment_output.hpp"
#include "report/html.hpp"
#include "report/provenance_table.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

using Row = std::vector<Html>;

Html section(const std::string& title, const Html& content) {
  return {html_element("h2", html_text(title)).code + "\n" + content.code};
}

Html code(const std::string& text) {
  return html_element("code", html_text(text));
}

Html figure(const ReportSource& source, const std::string& stem, const std::string& title) {
  try {
    return html_figure(html_address_of_svg(read_file(source.folder / (stem + ".svg"))), title);
  } catch (const Error&) {
    return html_paragraph(fmt::format("{} was not drawn; its data are in {}.dat.", title, stem));
  }
}

/// "151.6 +- 1.2" as it is printed.
std::string in_print(std::string cell) {
  if (const std::size_t at = cell.find(" +- "); at != std::string::npos) cell.replace(at, 4, " \u00b1 ");
  return cell;
}

Html arms(const Comparison& comparison) {
  std::vector<std::string> titles;
  std::vector<Row> rows(comparison.arms.size());
  for (const Column& column : arm_columns(comparison)) {
    titles.push_back(column.title);
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row].push_back(html_text(in_print(column.cells[row])));
  }
  Html meanings;
  for (const auto& [title, meaning] : arm_column_meanings(comparison)) {
    meanings += {html_element("dt", html_text(title)).code + html_element("dd", html_text(meaning)).code + "\n"};
  }
  return section("Arms", html_table(titles, rows, "numbers") + html_paragraph(in_print(arm_columns_note(comparison))) +
                             html_element("dl", meanings));
}

Html seconds(const ExperimentResult& result) {
  if (result.plan.seconds.empty()) return {};
  std::vector<Row> rows;
  for (const RunTime& one : run_times(result)) {
    rows.push_back({html_text(one.arm), html_text(fmt::format("{:.3f}", one.seconds)),
                    html_text(fmt::format("{:g}", one.paper)),
                    html_text(one.factor ? fmt::format("{:.0f}", *one.factor) : "-")});
  }
  Html content = html_table({"arm", "seconds per run", "the paper's", "factor"}, rows, "numbers");
  if (result.plan.scale != 1.0) {
    content += html_paragraph("The paper's runs are longer than these, so that there is no factor.");
  }
  return section("Run times", content);
}

Html settings(const Comparison& comparison) {
  const Configuration& base = comparison.plan.base;
  std::vector<Row> rows;
  for (const ComparedArm& arm : comparison.arms) {
    Html list;
    for (const std::string& key : differing_keys(base, arm.configuration)) {
      if (key == "train.seed" || key == "train.threads") continue;
      if (!list.code.empty()) list += {"<br>"};
      list += code(key + " = " + setting_text(arm.configuration, key));
    }
    rows.push_back({html_text(arm.label), list});
  }
  const Html folded =
      html_element("summary", html_text("Base configuration")) + html_element("pre", html_text(to_toml(base)));
  return section("Settings", html_table({"arm", "other than in the base configuration"}, rows) +
                                 html_element("details", folded) + Html{"\n"});
}

Html making(const Comparison& comparison, const ReportSource& source) {
  const std::string cost = fmt::format("{:.2f} seconds of wall time on {} threads for the runs that this call made.",
                                       comparison.seconds, comparison.plan.threads);
  return section("How it was made", html_element("pre", html_text(source.command)) + html_paragraph(cost) +
                                        provenance_table(source.folder / "provenance.json"));
}

}  // namespace

std::string report_page(const ExperimentResult& result, const ReportSource& source) {
  Html body = html_paragraph(part_of_paper(result));
  if (!result.claims.empty()) {
    body += section("Claims", html_paragraph(verdict_counts(result.claims)) + claim_table(result.claims) +
                                  html_paragraph(how_decided(result.claims)));
  }
  Html figures;
  for (const FigurePlan& plan : result.plan.figures) figures += figure(source, figure_stem(plan), plan.title);
  body += section("Figures", figures) + arms(result.comparison()) + seconds(result) + settings(result.comparison()) +
          making(result.comparison(), source);
  return html_page(result.comparison().plan.title, body);
}

std::string report_page(const Comparison& comparison, const ReportSource& source) {
  const ComparisonPlan& plan = comparison.plan;
  return html_page(plan.title, html_paragraph(fmt::format("{} runs per arm, {} collected trajectories per run.",
                                                          plan.seeds, plan.budget)) +
                                   section("Figure", figure(source, "figure", plan.title)) + arms(comparison) +
                                   settings(comparison) + making(comparison, source));
}

}  // namespace retropg::app
