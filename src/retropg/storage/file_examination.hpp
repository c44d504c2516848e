#pragma once

#include <set>
#include <string>

#include "retropg/storage/findings.hpp"

namespace retropg {

/// provenance.json, command.txt and failure.safetensors of a run, which do not depend on anything else.
void examine_small_files(Findings& findings);

/// Files for TensorBoard, of which only the newest can be expected to be whole, and only if the run has `ended`.
void examine_event_files(Findings& findings, bool ended);

/// Files in the folder and its folders policy and checkpoints that have no finding yet and are not known. With
/// `running`, a file that is just being written is not mentioned.
void examine_other_files(Findings& findings, std::set<std::string> known, bool running);

}  // namespace retropg
