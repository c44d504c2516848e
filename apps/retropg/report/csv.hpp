#pragma once

#include <optional>
#include <string>

namespace retropg::app {

/// A text as a CSV cell: quoted if it contains a comma, a quote or a line end. One that a spreadsheet would take for a
/// formula gets an apostrophe in front, which makes it text there.
std::string csv_cell(const std::string& text);

/// An undefined value (a speed-up without bootstrap, a threshold never reached) becomes an empty cell.
std::string csv_cell(std::optional<double> value);

}  // namespace retropg::app
