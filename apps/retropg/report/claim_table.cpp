#include "report/claim_table.hpp"

#include <fmt/format.h>

#include "report/claim_text.hpp"

namespace retropg::app {
namespace {

Html badge(Verdict verdict) {
  const char* style = verdict == Verdict::kHolds ? "holds" : verdict == Verdict::kDoesNotHold ? "fails" : "open";
  return html_element("span", html_text(name_of(verdict)), fmt::format("class=\"badge {}\"", style));
}

}  // namespace

Html claim_table(std::span<const DecidedClaim> claims) {
  if (claims.empty()) return {};
  std::vector<std::string> titles = {"Claim", "Verdict", "Statistic", "Adjusted p"};
  const std::optional<Decision>& fewer = claims.front().at_paper_runs;
  if (fewer) titles.push_back(fmt::format("With the planned {} runs", fewer->runs));
  std::vector<std::vector<Html>> rows;
  for (const DecidedClaim& one : claims) {
    const Decision& decision = one.decision;
    rows.push_back({html_text(one.claim.text), badge(decision.verdict), html_text(decision.statistic),
                    html_text(adjusted_p_text(decision))});
    if (one.at_paper_runs) rows.back().push_back(badge(one.at_paper_runs->verdict));
  }
  return html_table(titles, rows);
}

}  // namespace retropg::app
