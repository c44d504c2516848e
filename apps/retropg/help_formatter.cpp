#include "help_formatter.hpp"

#include <fmt/format.h>

#include "wrap.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kWidth = 80;

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return line(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return line(command->get_name(), command->get_description());
}

std::string HelpFormatter::line(const std::string& name, const std::string& text) const {
  const std::size_t column = get_column_width();
  const bool fits = name.size() + 3 <= column;
  return fmt::format("  {:<{}}{}{}\n", name, fits ? column - 2 : 0, fits ? "" : "\n" + std::string(column, ' '),
                     wrapped(text, column, kWidth));
}

}  // namespace retropg::app
