#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/experiment/experiment.hpp"
#include "retropg/storage/place.hpp"

namespace retropg::app {

/// What the page about several experiments says about one of them.
struct IndexedResult {
  std::string part;  // which part of the paper was run
  std::vector<DecidedClaim> claims;
  std::string figure;  // file name; empty: was not drawn
};

struct IndexEntry {
  std::string name, title;                // its results are in the folder `name` beside the page
  std::optional<IndexedResult> result{};  // none until it was run
};

struct IndexSource {
  std::string command;
  std::vector<std::string> left_out;  // experiments that could not be run, one line each
};

/// What the page needs of a result.
IndexedResult indexed(const ExperimentResult& result, const Place& folder);

/// A page that joins experiments: how many claims have which verdict, the claims, a figure of each, and links to the
/// reports.
std::string index_page(const std::vector<IndexEntry>& entries, const IndexSource& source);

}  // namespace retropg::app
