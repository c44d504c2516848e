#include "help_formatter.hpp"

#include "wrap.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kWidth = 80;

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return described(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option),
                   get_column_width(), kWidth);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return described(command->get_name(), command->get_description(), get_column_width(), kWidth);
}

}  // namespace retropg::app
