#include "retropg/storage/provenance.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "retropg/core/error.hpp"
#include "retropg/core/version.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/kernels/simd.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/output_folder.hpp"

namespace retropg {

namespace {

using Json = nlohmann::json;

Json provenance() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  return {{"retropg", version()},       {"commit", commit()},
          {"compiler", compiler()},     {"simd", kernels::active_target()},
          {"mujoco", mujoco_version()}, {"host", host},
          {"cores", thread_count(0)},   {"started", utc_time()}};
}

std::string text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string provenance_json() {
  return text(provenance());
}

std::string resumed_provenance_json(const Place& file, std::optional<Index> iteration) {
  Json json;
  try {
    json = Json::parse(read_file(file), nullptr, false);
  } catch (const Error&) {
  }
  if (!json.is_object()) json = Json::object();
  Json now = provenance();
  if (iteration) now["iteration"] = *iteration;
  if (!json["resumed"].is_array()) json["resumed"] = Json::array();
  json["resumed"].push_back(std::move(now));
  return text(json);
}

}  // namespace retropg
