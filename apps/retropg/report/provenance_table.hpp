#pragma once

#include "report/html.hpp"
#include "retropg/storage/place.hpp"

namespace retropg::app {

/// Versions and dates of every start, from a results folder's provenance.json. What the file lacks stays empty.
Html provenance_table(const Place& file);

}  // namespace retropg::app
