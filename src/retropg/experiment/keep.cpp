#include "retropg/experiment/keep.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"

namespace retropg {
namespace {

constexpr std::array<std::pair<const char*, bool Keep::*>, 3> kParts = {
    {{"policies", &Keep::policies}, {"metrics", &Keep::metrics}, {"checkpoints", &Keep::checkpoints}}};

std::vector<std::string> words() {
  std::vector<std::string> result;
  for (const auto& [word, part] : kParts) result.emplace_back(word);
  result.insert(result.end(), {"all", "none", "curves"});
  return result;
}

}  // namespace

Keep parse_keep(const std::string& text) {
  if (same_name(text, "all")) return {.policies = true, .metrics = true, .checkpoints = true};
  Keep keep{.policies = false};
  if (same_name(text, "none")) return keep;
  if (same_name(text, "curves")) return {.policies = false, .curves = true};
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    bool known = false;
    for (const auto& [name, part] : kParts) {
      if (same_name(word, name)) known = keep.*part = true;
    }
    require(known, "--keep: " + unknown_name_message("word", word, words()));
    begin = end + 1;
  }
  return keep;
}

std::string to_text(const Keep& keep) {
  if (keep.curves) return "curves";
  std::string text;
  for (const auto& [word, part] : kParts) {
    if (keep.*part) text += (text.empty() ? "" : ",") + std::string(word);
  }
  return text.empty() ? "none" : text;
}

}  // namespace retropg
