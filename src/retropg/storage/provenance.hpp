#pragma once

#include <optional>
#include <string>

#include "retropg/core/types.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// How a result was produced, as a JSON object: version, compiler, instruction set, MuJoCo, host, cores and time.
std::string provenance_json();

/// The object in a file, with the present one added to its list "resumed". A file that cannot be read counts as empty.
std::string resumed_provenance_json(const Place& file, std::optional<Index> iteration = {});

}  // namespace retropg
