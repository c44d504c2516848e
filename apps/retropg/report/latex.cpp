#include "report/latex.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/claim_text.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kMostArms = 40, kMostClaims = 18;  // that fit on a page

std::string escaped(char c, char before) {
  switch (c) {
    case '\\': return "\\textbackslash{}";
    case '~': return "\\textasciitilde{}";
    case '^': return "\\textasciicircum{}";
    case '`': return "\\textasciigrave{}";
    case '<': return "\\textless{}";
    case '>': return "\\textgreater{}";
    case '|': return "\\textbar{}";
    case '"': return "\\char34{}";
    case '&':
    case '%':
    case '$':
    case '#':
    case '_':
    case '{':
    case '}': return {'\\', c};
    case '[':
    case ']':
    case '*': return {'{', c, '}'};
    case '-':
    case '\'': return before == c ? std::string("{}") + c : std::string(1, c);  // no ligatures
    default: return static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? " " : std::string(1, c);
  }
}

/// Decimals that show two digits of the half-width, but at most four.
int decimals(double half_width) {
  return half_width >= 1.0 ? 1 : half_width >= 0.1 ? 2 : half_width >= 0.01 ? 3 : 4;
}

std::string interval(double low, double high, int digits) {
  return fmt::format("(${:.{}f}$ to ${:.{}f}$)", low, digits, high, digits);
}

std::string area(const MeanEstimate& estimate) {
  const int digits = decimals(estimate.student_t);
  return fmt::format("${:.{}f} \\pm {:.{}f}$", estimate.mean, digits, estimate.student_t, digits);
}

std::string difference(const ArmPair& pair) {
  const int digits = decimals(0.5 * (pair.welch.high - pair.welch.low));
  return fmt::format("${:+.{}f}$ {}", pair.difference, digits, interval(pair.welch.low, pair.welch.high, digits));
}

/// At either end of the search range the value is only a bound.
std::string speedup(const Speedup& speedup) {
  const char* sign = speedup.ratio <= kLowestSpeedup ? "\\leq " : speedup.ratio >= kHighestSpeedup ? "\\geq " : "";
  return fmt::format("${}{:.2f}$ {}", sign, speedup.ratio, interval(speedup.bootstrap.low, speedup.bootstrap.high, 2));
}

struct Table {
  std::string caption, columns, head;
  std::vector<std::string> rows;
  std::size_t most_rows;
};

std::string floats(const Table& table) {
  std::string text;
  for (std::size_t first = 0; first < table.rows.size(); first += table.most_rows) {
    text += fmt::format(
        "\\begin{{table}}[htbp]\n\\centering\n\\footnotesize\n\\caption{{{}{}}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n",
        table.caption, first == 0 ? "" : " (continued)", table.columns);
    text += table.head + " \\\\\n\\midrule\n";
    const std::size_t last = std::min(first + table.most_rows, table.rows.size());
    for (std::size_t i = first; i < last; ++i) text += table.rows[i] + " \\\\\n";
    text += "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
  }
  return text;
}

Table arm_table(const Comparison& comparison) {
  const bool one_reference = comparison.has_one_reference();
  const std::string reference =
      one_reference ? " against " + latex_text(comparison.arms[comparison.arms.front().reference].label) : "";
  Table table{.caption = fmt::format("{}: area over {} runs with the half-width of its 95\\,\\% interval, difference "
                                     "with Welch's 95\\,\\% interval, and speed-up with its 95\\,\\% bootstrap "
                                     "interval{}.",
                                     latex_text(comparison.plan.title), comparison.plan.seeds, reference),
              .columns = one_reference ? "lrrr" : "lrlrr",
              .head = fmt::format("Arm & Area {}& Difference & Speed-up", one_reference ? "" : "& Compared with "),
              .rows = {},
              .most_rows = kMostArms};
  for (const std::size_t i : comparison.order()) {
    const ComparedArm& arm = comparison.arms[i];
    std::string row = latex_text(arm.label) + " & " + area(arm.area);
    if (!one_reference) row += " & " + latex_text(comparison.arms[arm.reference].label);
    if (i == arm.reference) {
      row += " & reference & reference";
    } else {
      const ArmPair& pair = comparison.pair(i, arm.reference);
      row += " & " + difference(pair) + " & " + speedup(pair.speedup);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table claims_table(const Comparison& comparison, std::span<const DecidedClaim> claims) {
  Table table{.caption = latex_text(comparison.plan.title + ": claims. " + how_decided(claims)),
              .columns = "p{0.56\\linewidth}p{0.22\\linewidth}r",
              .head = "Claim & Verdict & Adjusted $p$",
              .rows = {},
              .most_rows = kMostClaims};
  for (const DecidedClaim& one : claims) {
    table.rows.push_back(fmt::format("{} & {} & {}", latex_text(one.claim.text),
                                     latex_text(name_of(one.decision.verdict)),
                                     latex_text(adjusted_p_text(one.decision))));
  }
  return table;
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string result;
  char before = '\0';
  for (const char c : text) {
    result += escaped(c, before);
    before = c;
  }
  return result;
}

std::string latex_tables(const Comparison& comparison, std::span<const DecidedClaim> claims) {
  return "% Needs \\usepackage{booktabs}.\n" + floats(arm_table(comparison)) +
         (claims.empty() ? "" : "\n" + floats(claims_table(comparison, claims)));
}

}  // namespace retropg::app
