#include "retropg/experiment/comparison_json.hpp"
#include "report/comparison_output.hpp"

namespace retropg::app {

nlohmann::ordered_json comparison_json(const Comparison& comparison, const std::filesystem::path& folder) {
  auto result = nlohmann::ordered_json::parse(retropg::comparison_json(comparison, !folder.empty()));
  if (!folder.empty()) result["folder"] = folder.string();
  return result;
}

}  // namespace retropg::app
