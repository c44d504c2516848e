#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "retropg/configuration/memory.hpp"

namespace retropg {
namespace {

namespace fs = std::filesystem;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// The number in a file; unlimited if it has none, such as the word max, or cannot be read.
double limit_in(const fs::path& file) {
  std::string text;
  std::ifstream(file) >> text;
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? static_cast<double>(bytes) : kUnlimited;
}

/// The smallest limit of a group and the groups it is in. A container may not see its own group, but sees its root.
double limit_of_group(const fs::path& mount, std::string_view group, const char* file) {
  double limit = limit_in(mount / file);
  fs::path folder = mount;
  for (const fs::path& part : fs::path(group).relative_path().lexically_normal()) {
    folder /= part;
    limit = std::min(limit, limit_in(folder / file));
  }
  return limit;
}

/// The groups of this process, a line each: 0::/group in the second version, number:controllers:/group in the first.
double limit_of_groups(const fs::path& root) {
  const fs::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  double limit = kUnlimited;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string_view group = std::string_view(line).substr(second + 1);
    if (controllers == ",,") {
      limit = std::min(limit, limit_of_group(mounts, group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = std::min(limit, limit_of_group(mounts / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

double limit_of_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

double memory_limit(const fs::path& root) {
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return std::min({machine, limit_of_groups(root), limit_of_address_space()});
}

}  // namespace retropg
