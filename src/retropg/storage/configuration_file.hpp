#pragma once

#include <filesystem>

#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// The defaults with the file's keys on top. Errors: run.toml:7: unknown key 'algo.windw'; did you mean 'algo.window'?
Configuration load_configuration(const std::filesystem::path& file);

/// The configuration of a run folder, whose keys may have the names of an earlier version.
Configuration load_run_configuration(const std::filesystem::path& file);

/// Puts the keys of a file on top of the configuration.
void apply_file(Configuration& configuration, const std::filesystem::path& file);

}  // namespace retropg
