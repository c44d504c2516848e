#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "retropg/configuration/memory.hpp"

namespace retropg {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// The text of a small file of the system; empty if it cannot be read.
std::string text_of(const std::string& file) {
  const auto close = [](std::FILE* open) { std::fclose(open); };
  const std::unique_ptr<std::FILE, decltype(close)> open(std::fopen(file.c_str(), "re"));
  std::string text(open == nullptr ? 0 : 65536, '\0');
  if (open != nullptr) text.resize(std::fread(text.data(), 1, text.size(), open.get()));
  return text;
}

/// The part of the text before the separator; the text becomes what follows it.
std::string_view cut(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

/// The number in a file; unlimited if it has none, such as the word max, or cannot be read.
double limit_in(const std::string& file) {
  const std::string contents = text_of(file);
  std::string_view rest = contents;
  const std::string_view text = cut(rest, '\n');
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? static_cast<double>(bytes) : kUnlimited;
}

/// The smallest limit of a group and the groups it is in. A container may not see its own group, but sees its root.
double limit_of_group(const std::string& mount, std::string_view group, const std::string& file) {
  double limit = limit_in(mount + file);
  std::string folder = mount;
  while (!group.empty()) {
    const std::string_view part = cut(group, '/');
    if (part.empty()) continue;
    folder.append("/").append(part);
    limit = std::min(limit, limit_in(folder + file));
  }
  return limit;
}

/// The groups of this process, a line each: 0::/group in the second version, number:controllers:/group in the first.
double limit_of_groups(const std::string& root) {
  const std::string mounts = root + "/sys/fs/cgroup", contents = text_of(root + "/proc/self/cgroup");
  double limit = kUnlimited;
  for (std::string_view lines = contents; !lines.empty();) {
    std::string_view group = cut(lines, '\n');
    cut(group, ':');
    const std::string controllers = "," + std::string(cut(group, ':')) + ",";
    if (controllers == ",,") {
      limit = std::min(limit, limit_of_group(mounts, group, "/memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = std::min(limit, limit_of_group(mounts + "/memory", group, "/memory.limit_in_bytes"));
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

double memory_limit(const std::string& root) {
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return std::min({machine, limit_of_groups(root), limit_of_address_space()});
}

}  // namespace retropg
