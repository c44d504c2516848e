#include "retropg/experiment/arm.hpp"

#include <algorithm>

namespace retropg {
namespace {

constexpr std::size_t kLongestName = 100;

bool fits(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '=' || c == '-';
}

}  // namespace

std::vector<std::string> file_names(std::span<const Arm> arms) {
  std::vector<std::string> names;
  for (const Arm& arm : arms) {
    std::string name = arm.label.substr(0, kLongestName);
    std::ranges::replace_if(
        name, [](char c) { return !fits(c); }, '_');
    if (name == "." || name == "..") name.insert(0, 1, '_');  // which are other folders
    if (name.empty()) name = "_";
    std::string free = name;
    for (int n = 2; std::ranges::find(names, free) != names.end(); ++n) free = name + "-" + std::to_string(n);
    names.push_back(free);
  }
  return names;
}

}  // namespace retropg
