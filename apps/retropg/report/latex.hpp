#pragma once

#include <span>
#include <string>
#include <string_view>

#include "retropg/experiment/experiment.hpp"

namespace retropg::app {

/// Text for LaTeX. Brackets and stars are safe at the beginning of a row, too.
std::string latex_text(std::string_view text);

/// The arms, and the claims if there are any, as tables for \input in a document that uses the package booktabs. Tables
/// that are too long for a page are split.
std::string latex_tables(const Comparison& comparison, std::span<const DecidedClaim> claims);

}  // namespace retropg::app
