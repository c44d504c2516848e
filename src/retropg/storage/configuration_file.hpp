#pragma once

#include "retropg/configuration/configuration.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// Overrides the defaults with the keys of a file. A typical error: run.toml:7: unknown key 'algo.windw'; did you mean
/// 'algo.window'?
Configuration load_configuration(const Place& file);

/// Loads the configuration of a run folder, whose keys may have names from an earlier version. Refuses a file that is
/// cut, whose missing keys would silently count as defaults.
Configuration load_run_configuration(const Place& file);

/// Overrides the configuration with the keys of a file.
void apply_file(Configuration& configuration, const Place& file);

}  // namespace retropg
