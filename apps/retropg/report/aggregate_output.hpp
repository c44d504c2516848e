#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "retropg/experiment/study.hpp"
#include "retropg/storage/place.hpp"

namespace retropg::app {

// The study must have an aggregate.

/// The table for a terminal of a width, the best first, with a legend.
std::string format_aggregate(const Study& study, std::size_t width);

nlohmann::ordered_json aggregate_json(const Study& study);

/// Writes aggregate.csv, aggregate-pairs.csv, normalized.csv and profiles.csv.
void write_aggregate(const Study& study, const Place& folder);

/// Draws the performance profiles, folder/profiles.*. Returns false and sets `problem` to one line if it cannot.
bool draw_profiles(const Study& study, const Place& folder, std::string* problem);

}  // namespace retropg::app
