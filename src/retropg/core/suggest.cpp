#include "retropg/core/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "retropg/core/one_line.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestQuote = 80;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Optimal string alignment: Levenshtein distance in which swapping two neighbors costs one edit. Row i holds the
// distances of the first i letters of a.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, previous);
    std::swap(previous, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string closest(std::string_view name, std::span<const std::string> candidates) {
  const std::size_t limit = std::max<std::size_t>(2, name.size() / 3);
  std::size_t best = limit + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    if (longer - shorter > limit) continue;  // a lower bound of the distance; keeps very long names cheap
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best && distance < longer) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name_message(std::string_view what, std::string_view name,
                                 std::span<const std::string> candidates) {
  std::string text = fmt::format("unknown {} '{}'", what, one_line(name, kLongestQuote));
  if (const std::string near = closest(name, candidates); !near.empty())
    text += fmt::format("; did you mean '{}'?", near);
  if (!candidates.empty()) text += fmt::format(" (known: {})", fmt::join(candidates, ", "));
  return text;
}

}  // namespace retropg
