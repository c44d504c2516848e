#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "retropg/experiment/run_batch.hpp"

namespace retropg::app {

/// `out`, or else results/NAME__UTC. Throws Error if it exists or cannot be made, without making it.
std::filesystem::path results_folder(const std::optional<std::string>& out, const std::string& name);

/// Calls work(progress) with a progress line on stderr and signals watched: the exit status of the signal that ended
/// it, or 0. Nothing should be written before it returns 0.
int run_watched(const std::function<void(const RunProgress&)>& work);

}  // namespace retropg::app
