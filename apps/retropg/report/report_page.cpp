#include "report/report_page.hpp"

#include <fmt/format.h>

#include "report/aggregate_output.hpp"
#include "report/arm_columns.hpp"
#include "report/claim_table.hpp"
#include "report/claim_text.hpp"
#include "report/count_text.hpp"
#include "report/experiment_output.hpp"
#include "report/html.hpp"
#include "report/provenance_table.hpp"
#include "report/study_output.hpp"
#include "report/sweep_output.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"
#include "wrap.hpp"

namespace retropg::app {
namespace {

using Row = std::vector<Html>;

Html section(const std::string& title, const Html& content) {
  return {html_element("h2", html_text(title)).code + "\n" + content.code};
}

Html code(const std::string& text) {
  return html_element("code", html_text(text));
}

Html figure(const Place& folder, const std::string& stem, const std::string& title) {
  try {
    return html_figure(html_address_of_svg(read_file(folder / (stem + ".svg"))), title);
  } catch (const Error&) {
    return html_paragraph(fmt::format("{} was not drawn; its data are in {}.dat.", title, stem));
  }
}

/// "151.6 +- 1.2" as it is printed.
std::string in_print(std::string cell) {
  if (const std::size_t at = cell.find(" +- "); at != std::string::npos) cell.replace(at, 4, " \u00b1 ");
  return cell;
}

Html table_of(const std::vector<Column>& columns) {
  std::vector<std::string> titles;
  std::vector<Row> rows(columns.front().cells.size());
  for (const Column& column : columns) {
    titles.push_back(column.title);
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row].push_back(html_text(in_print(column.cells[row])));
  }
  return html_table(titles, rows, "numbers");
}

Html arms(const Comparison& comparison) {
  Html meanings;
  for (const auto& [title, meaning] : arm_column_meanings(comparison)) {
    meanings += {html_element("dt", html_text(title)).code + html_element("dd", html_text(meaning)).code + "\n"};
  }
  return section("Arms", table_of(arm_columns(comparison)) + html_paragraph(in_print(arm_columns_note(comparison))) +
                             html_element("dl", meanings));
}

Html sweep(const StudyTask& task, const Study& study) {
  if (study.pick_seeds == 0) return {};
  const Html folded =
      html_element("summary", html_text("All settings that were tried")) + table_of(tried_columns(task));
  return section("Picked settings", html_paragraph(sweep_note(study)) + table_of(picked_columns(task)) +
                                        html_element("details", folded) + Html{"\n"});
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

Html making(double seconds, Index threads, const ReportSource& source) {
  const std::string cost = fmt::format("{:.2f} seconds of wall time on {} for the runs that this call made.", seconds,
                                       count_text(threads, "thread"));
  return section("How it was made", html_element("pre", html_text(source.command)) + html_paragraph(cost) +
                                        provenance_table(source.folder / "provenance.json"));
}

std::string size_text(const ComparisonPlan& plan) {
  return fmt::format("{} runs per arm, {} collected {} per run.", plan.seeds, plan.budget,
                     plan.budget == 1 ? "trajectory" : "trajectories");
}

Html aggregate(const Study& study, const ReportSource& source) {
  if (!study.aggregate) return {};
  return section("All environments", figure(source.folder, "profiles", "Performance profiles") +
                                         html_element("pre", html_text(format_aggregate(study, kAnyWidth))));
}

}  // namespace

std::string report_page(const ExperimentResult& result, const ReportSource& source) {
  const Comparison& comparison = result.comparison();
  Html body = html_paragraph(part_of_paper(result));
  if (!result.claims.empty()) {
    body += section("Claims", html_paragraph(verdict_counts(result.claims)) + claim_table(result.claims) +
                                  html_paragraph(how_decided(result.claims)));
  }
  Html figures;
  for (const FigurePlan& plan : result.plan.figures) figures += figure(source.folder, figure_stem(plan), plan.title);
  body += section("Figures", figures) + arms(comparison) + sweep(result.study.tasks.front(), result.study) +
          seconds(result) + settings(comparison) + making(result.study.seconds, comparison.plan.threads, source);
  return html_page(comparison.plan.title, body);
}

std::string report_page(const Study& study, const ReportSource& source) {
  const ComparisonPlan& plan = study.tasks.front().comparison.plan;
  const std::vector<Place> folders = task_folders(study, source.folder);
  Html body = html_paragraph(size_text(plan)) + aggregate(study, source);
  for (std::size_t t = 0; t < study.tasks.size(); ++t) {
    const StudyTask& task = study.tasks[t];
    body += section(task.environment, figure(folders[t], "figure", task.comparison.plan.title)) +
            arms(task.comparison) + sweep(task, study) + settings(task.comparison);
  }
  return html_page(study.title, body + making(study.seconds, plan.threads, source));
}

}  // namespace retropg::app
