#include "report/provenance_table.hpp"

#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::json;

Json read_object(const Place& file) {
  try {
    const Json json = Json::parse(read_file(file), nullptr, false);
    return json.is_object() ? json : Json::object();
  } catch (const Error&) {
    return Json::object();
  }
}

Html cell(const Json& start, const char* key) {
  const auto found = start.find(key);
  const bool said = found != start.end() && found->is_string() && !found->get_ref<const std::string&>().empty();
  return html_text(said ? found->get_ref<const std::string&>() : "-");
}

}  // namespace

Html provenance_table(const Place& file) {
  const Json json = read_object(file);
  std::vector<std::vector<Html>> rows;
  const auto add = [&](const Json& start) {
    if (!start.is_object() || !start.contains("started")) return;
    rows.push_back({cell(start, "started"), cell(start, "retropg"), cell(start, "commit"), cell(start, "compiler"),
                    cell(start, "simd"), cell(start, "mujoco")});
  };
  add(json);
  if (const auto resumed = json.find("resumed"); resumed != json.end() && resumed->is_array()) {
    for (const Json& start : *resumed) add(start);
  }
  return html_table({"started", "retropg", "commit", "compiler", "instructions", "MuJoCo"}, rows, "numbers");
}

}  // namespace retropg::app
