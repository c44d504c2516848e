#include "report/panel_labels.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace retropg::app {
namespace {

using Parts = std::vector<std::string>;
using Panels = std::vector<std::vector<Parts>>;  // the parts of every label, by panel

constexpr std::string_view kComma = ", ";

Parts parts_of(const std::string& label) {
  Parts parts;
  for (std::size_t begin = 0; begin <= label.size();) {
    const std::size_t end = std::min(label.find(kComma, begin), label.size());
    parts.push_back(label.substr(begin, end - begin));
    begin = end + kComma.size();
  }
  return parts;
}

std::string label_of(const Parts& parts) {
  return fmt::format("{}", fmt::join(parts, kComma));
}

/// What a part says something about: "N" of "N = 16"; empty if it is only a word.
std::string name_of(const std::string& part) {
  const std::size_t at = part.find(" = ");
  return at == std::string::npos ? "" : part.substr(0, at);
}

/// The labels without the parts for which `is_left_out` holds; a label keeps all of them if nothing else is left.
template <typename Condition>
std::vector<Parts> without(std::vector<Parts> panel, const Condition& is_left_out) {
  for (Parts& parts : panel) {
    if (!std::ranges::all_of(parts, is_left_out)) std::erase_if(parts, is_left_out);
  }
  return panel;
}

bool are_different(const std::vector<Parts>& panel) {
  return std::set<Parts>(panel.begin(), panel.end()).size() == panel.size();
}

std::size_t label_count(const Panels& panels) {
  std::set<Parts> labels;
  for (const std::vector<Parts>& panel : panels) labels.insert(panel.begin(), panel.end());
  return labels.size();
}

std::set<std::string> names_in(const Panels& panels) {
  std::set<std::string> names;
  for (const std::vector<Parts>& panel : panels) {
    for (const Parts& parts : panel) {
      for (const std::string& part : parts) names.insert(name_of(part));
    }
  }
  names.erase("");
  return names;
}

}  // namespace

PanelLabels panel_labels(const std::vector<PanelPlan>& panels) {
  Panels all;
  for (const PanelPlan& panel : panels) {
    std::vector<Parts> labels;
    for (const std::string& arm : panel.arms) labels.push_back(parts_of(arm));
    const Parts title = parts_of(panel.title);
    const std::vector<Parts> shorter =
        without(labels, [&](const std::string& part) { return std::ranges::find(title, part) != title.end(); });
    all.push_back(are_different(shorter) ? shorter : labels);
  }
  PanelLabels result;
  for (const std::string& name : names_in(all)) {
    Panels shorter;
    for (const std::vector<Parts>& panel : all) {
      shorter.push_back(without(panel, [&](const std::string& part) { return name_of(part) == name; }));
    }
    if (!std::ranges::all_of(shorter, are_different) || label_count(shorter) >= label_count(all)) continue;
    all = std::move(shorter);
    result.left_out.push_back(name);
  }
  for (const std::vector<Parts>& panel : all) {
    result.labels.emplace_back();
    for (const Parts& parts : panel) result.labels.back().push_back(label_of(parts));
  }
  return result;
}

}  // namespace retropg::app
