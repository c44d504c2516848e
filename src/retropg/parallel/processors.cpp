#include "retropg/parallel/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <sstream>
#include <thread>
#include <vector>

#include "retropg/core/control_groups.hpp"

namespace retropg {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Those that the process may run on; 0 if the system does not say.
Index affine_processors() {
  constexpr std::size_t kFirst = 1024, kLast = std::size_t{1} << 20;
  for (std::size_t size = kFirst; size <= kLast; size *= 2) {  // the mask must have room for all of the machine
    std::vector<cpu_set_t> mask(CPU_ALLOC_SIZE(size) / sizeof(cpu_set_t));
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
    if (errno != EINVAL) break;
  }
  return 0;
}

/// Quota over period, in microseconds both; "max" and negative quotas are no limit.
double share(const std::string& quota_and_period) {
  std::istringstream numbers(quota_and_period);
  double quota = 0.0, period = 0.0;
  return numbers >> quota >> period && quota > 0.0 && period > 0.0 ? quota / period : kNoLimit;
}

}  // namespace

double processor_quota(const std::string& root) {
  double smallest = kNoLimit;
  for_control_groups(root, "cpu", [&](const std::string& folder, int version) {
    const std::string text =
        version == 2 ? system_text(folder + "/cpu.max")
                     : system_text(folder + "/cpu.cfs_quota_us") + " " + system_text(folder + "/cpu.cfs_period_us");
    smallest = std::min(smallest, share(text));
  });
  return smallest;
}

Index usable_processors(const std::string& root) {
  const Index affine = affine_processors();
  const Index there = affine > 0 ? affine : static_cast<Index>(std::thread::hardware_concurrency());
  const double allowed = std::min(std::ceil(processor_quota(root)), static_cast<double>(there));
  return std::max<Index>(1, static_cast<Index>(allowed));
}

}  // namespace retropg
