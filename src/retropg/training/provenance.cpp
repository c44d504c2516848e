#include "retropg/training/provenance.hpp"

#include <unistd.h>

#include <ctime>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "retropg/core/version.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/kernels/simd.hpp"

namespace retropg {

std::string provenance_json() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  const nlohmann::json values = {{"retropg", version()},
                                 {"compiler", compiler()},
                                 {"simd", kernels::active_target()},
                                 {"mujoco", mujoco_version()},
                                 {"host", host},
                                 {"cores", std::thread::hardware_concurrency()},
                                 {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  return values.dump(2) + "\n";
}

}  // namespace retropg
