#pragma once

#include <string>

#include "retropg/core/function_ref.hpp"

namespace retropg {

/// The text of a small file of the system; empty if it cannot be read.
std::string system_text(const std::string& file);

/// Calls see(folder, version) for the folders of this process's control groups, from the outermost one to its own:
/// version 2, or 1 where the controller ("memory", "cpu") has groups of its own. `root` stands for "/" and ends without
/// a slash: proc/self/cgroup names the groups, sys/fs/cgroup has their files. A container may not see its own group,
/// but sees its root.
void for_control_groups(const std::string& root, const std::string& controller,
                        FunctionRef<void(const std::string& folder, int version)> see);

}  // namespace retropg
