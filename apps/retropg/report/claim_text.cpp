#include "report/claim_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/count_text.hpp"

namespace retropg::app {

std::string adjusted_p_text(const Decision& decision) {
  if (!decision.adjusted_p) return "-";
  return *decision.adjusted_p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", *decision.adjusted_p);
}

Index verdict_count(std::span<const DecidedClaim> claims, Verdict verdict) {
  return std::ranges::count_if(claims, [&](const DecidedClaim& one) { return one.decision.verdict == verdict; });
}

std::string verdict_counts(std::span<const DecidedClaim> claims) {
  const auto count = [&](Verdict verdict) { return verdict_count(claims, verdict); };
  const Index holds = count(Verdict::kHolds), fails = count(Verdict::kDoesNotHold), open = count(Verdict::kNotDecided);
  return fmt::format("Of {}, {} {}, {} {} not hold, {} {} not decided at this scale.",
                     count_text(std::ssize(claims), "claim"), holds, holds == 1 ? "holds" : "hold", fails,
                     fails == 1 ? "does" : "do", open, open == 1 ? "is" : "are");
}

std::string how_decided(std::span<const DecidedClaim> claims) {
  const auto is_ratio = [](const DecidedClaim& one) { return one.claim.check == Check::kRatio; };
  std::string text;
  if (!std::ranges::all_of(claims, is_ratio)) {
    text =
        "Tests are at 5 % with Holm's correction over all those of an experiment; intervals are 95 % and not adjusted.";
  }
  if (std::ranges::any_of(claims, is_ratio)) {
    text += text.empty() ? "" : " ";
    text += "A ratio holds if its interval overlaps the paper's: the wider, the easier.";
  }
  return text;
}

}  // namespace retropg::app
