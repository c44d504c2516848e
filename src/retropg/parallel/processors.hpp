#pragma once

#include <string>

#include "retropg/core/types.hpp"

namespace retropg {

/// How many cores' worth of time the control groups of this process allow it: the smallest quota of its group and those
/// that it is in, of version 2 (cpu.max) or 1 (cpu.cfs_quota_us); infinite without one. `root` stands for "/", see
/// for_control_groups. What cannot be read is no limit.
double processor_quota(const std::string& root = "");

/// The number of processors that this process may use: those of its affinity mask, but no more than the quota, rounded
/// up; at least 1.
Index usable_processors(const std::string& root = "");

}  // namespace retropg
