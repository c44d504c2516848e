#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "retropg/configuration/memory.hpp"
#include "retropg/core/control_groups.hpp"
#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// The number in a file; unlimited if it has none, such as the word max, or cannot be read.
double limit_in(const std::string& file) {
  const std::string contents = system_text(file);
  const std::string_view text = std::string_view(contents).substr(0, contents.find('\n'));
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? static_cast<double>(bytes) : kUnlimited;
}

double limit_of_groups(const std::string& root) {
  double limit = kUnlimited;
  for_control_groups(root, "memory", [&](const std::string& folder, int version) {
    limit = std::min(limit, limit_in(folder + (version == 2 ? "/memory.max" : "/memory.limit_in_bytes")));
  });
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

void require_memory(double bytes, const std::string& what, const std::string& purpose, const std::string& advice) {
  constexpr double kShare = 0.9;
  const double limit = memory_limit();
  require(bytes < kShare * limit, fmt::format("{} need about {:.3g} GB for {}; this process may take {:.3g} GB: {}",
                                              what, bytes / 1e9, purpose, limit / 1e9, advice));
}

}  // namespace retropg
