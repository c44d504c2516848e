#pragma once

#include <string>

namespace retropg::app {

/// The word as a shell reads it: as it is, or in quotes if it has characters that mean something to a shell.
std::string shell_word(const std::string& word);

}  // namespace retropg::app
