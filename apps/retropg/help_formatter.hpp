#pragma once

#include <CLI/CLI.hpp>

namespace retropg::app {

/// Help that fits a terminal of 80 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace retropg::app
