#include "retropg/storage/provenance.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "retropg/core/version.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/kernels/simd.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/storage/output_folder.hpp"

namespace retropg {

std::string provenance_json() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  const nlohmann::json values = {
      {"retropg", version()},       {"compiler", compiler()}, {"simd", kernels::active_target()},
      {"mujoco", mujoco_version()}, {"host", host},           {"cores", thread_count(0)},
      {"started", utc_time()}};
  return values.dump(2) + "\n";
}

}  // namespace retropg
