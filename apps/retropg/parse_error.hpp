#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace retropg::app {

/// What is wrong with a command line, in one line that says what would be right.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace retropg::app
