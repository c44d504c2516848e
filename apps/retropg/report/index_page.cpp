#include "report/index_page.hpp"

#include <fmt/format.h>

#include "report/claim_table.hpp"
#include "report/claim_text.hpp"
#include "report/experiment_output.hpp"
#include "report/html.hpp"
#include "retropg/core/version.hpp"

namespace retropg::app {
namespace {

const std::string kNotYet = "not run yet";

Html link(const IndexEntry& entry, const std::string& text) {
  if (!entry.result) return html_text(text);
  return html_element("a", html_text(text),
                      fmt::format("href=\"{}\"", html_address(std::filesystem::path(entry.name) / "report.html").code));
}

Html overview(const std::vector<IndexEntry>& entries) {
  std::vector<std::vector<Html>> rows;
  for (const IndexEntry& entry : entries) {
    const auto count = [&](Verdict verdict) {
      return html_text(entry.result ? std::to_string(verdict_count(entry.result->claims, verdict)) : "-");
    };
    rows.push_back({link(entry, entry.name), count(Verdict::kHolds), count(Verdict::kDoesNotHold),
                    count(Verdict::kNotDecided), html_text(entry.result ? entry.result->part : kNotYet)});
  }
  return html_table({"experiment", name_of(Verdict::kHolds), name_of(Verdict::kDoesNotHold),
                     name_of(Verdict::kNotDecided), "part of the paper"},
                    rows);
}

Html section(const IndexEntry& entry) {
  Html content{html_element("h2", link(entry, entry.title)).code + "\n"};
  if (!entry.result) return content + html_paragraph(entry.name + ": " + kNotYet + ".");
  const IndexedResult& result = *entry.result;
  content += html_paragraph(result.claims.empty() ? result.part : result.part + " " + verdict_counts(result.claims));
  if (!result.figure.empty()) {
    content += html_figure(html_address(std::filesystem::path(entry.name) / result.figure), entry.title);
  }
  return content + claim_table(result.claims);
}

}  // namespace

IndexedResult indexed(const ExperimentResult& result, const Place& folder) {
  const std::string figure = figure_stem(result.plan.figures.front()) + ".svg";
  return {
      .part = part_of_paper(result), .claims = result.claims, .figure = is_plain_file(folder / figure) ? figure : ""};
}

std::string index_page(const std::vector<IndexEntry>& entries, const IndexSource& source) {
  std::vector<DecidedClaim> all;
  Html sections;
  for (const IndexEntry& entry : entries) {
    if (entry.result) all.insert(all.end(), entry.result->claims.begin(), entry.result->claims.end());
    sections += section(entry);
  }
  Html body = html_paragraph(verdict_counts(all) + " " + how_decided(all)) + overview(entries);
  for (const std::string& line : source.left_out) body += html_paragraph("Left out " + line + ".");
  body += sections + html_element("h2", html_text("How it was made")) + html_element("pre", html_text(source.command)) +
          html_paragraph("retropg " + version());
  return html_page("Experiments", body);
}

}  // namespace retropg::app
