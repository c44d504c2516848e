#include "retropg/core/control_groups.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

#include <fmt/format.h>

namespace retropg {
namespace {

/// The part of the text before the separator; the text becomes what follows it.
std::string_view cut(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

void walk(std::string folder, std::string_view group, int version,
          FunctionRef<void(const std::string& folder, int version)> see) {
  see(folder, version);
  while (!group.empty()) {
    const std::string_view part = cut(group, '/');
    if (part == "..") return;  // a group outside of what this process sees
    if (part.empty()) continue;
    folder.append("/").append(part);
    see(folder, version);
  }
}

}  // namespace

std::string system_text(const std::string& file) {
  const auto close = [](std::FILE* open) { std::fclose(open); };
  const std::unique_ptr<std::FILE, decltype(close)> open(std::fopen(file.c_str(), "re"));
  std::string text(open == nullptr ? 0 : 65536, '\0');
  if (open != nullptr) text.resize(std::fread(text.data(), 1, text.size(), open.get()));
  return text;
}

/// A line for each: 0::/group in the second version, number:controllers:/group in the first.
void for_control_groups(const std::string& root, const std::string& controller,
                        FunctionRef<void(const std::string& folder, int version)> see) {
  const std::string mounts = root + "/sys/fs/cgroup", contents = system_text(root + "/proc/self/cgroup");
  const std::string wanted = fmt::format(",{},", controller);
  for (std::string_view lines = contents; !lines.empty();) {
    std::string_view group = cut(lines, '\n');
    cut(group, ':');
    const std::string controllers = fmt::format(",{},", cut(group, ':'));
    if (controllers == ",,") {
      walk(mounts, group, 2, see);
    } else if (controllers.find(wanted) != std::string::npos) {
      walk(fmt::format("{}/{}", mounts, controller), group, 1, see);
    }
  }
}

}  // namespace retropg
