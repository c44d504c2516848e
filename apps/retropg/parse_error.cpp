#include "parse_error.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "habits.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/suggest.hpp"

namespace retropg::app {
namespace {

constexpr std::size_t kLongestReason = 300;  // of what the parser says: leaves room for what follows it

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

/// What the parser says, in the same words for arguments of one and of several words.
std::string reason_of(const CLI::ParseError& error) {
  const std::string text = error.what(), required = " is required";
  if (!text.ends_with(required)) return text;
  return "the argument '" + text.substr(0, text.size() - required.size()) + "' is missing";
}

bool has_flag(const std::vector<std::string>& known, const std::string& flag) {
  return std::ranges::find(known, flag) != known.end();
}

/// A name in the place of a flag: the flag that takes it; empty if none of the command does.
std::string flag_of_name(const std::string& name, const std::vector<std::string>& known) {
  const auto is_one = [&](const auto& entries) {
    return std::ranges::any_of(entries, [&](const RegistryEntry& entry) { return is_called(entry, name); });
  };
  const std::string flag = is_one(environments())                              ? "--env"
                           : is_one(policies())                                ? "--policy"
                           : is_one(algorithms()) && has_flag(known, "--algo") ? "--algo"
                           : is_one(algorithms())                              ? "--algos"
                                                                               : "";
  return has_flag(known, flag) ? flag : "";
}

bool is_flag(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0);
}

std::string unknown_flag(const std::string& flag, const std::vector<std::string>& known) {
  if (const auto here = written_here(flag, known)) return fmt::format("unknown option '{}'; write {}", flag, *here);
  return unknown_name_message("option", flag, known);
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* command = &app;
  std::vector<std::string> commands;
  for (const CLI::App* known : app.get_subcommands({})) commands.push_back(known->get_name());
  if (argc < 2)
    return "no command given; expected one of " + CLI::detail::join(commands, ", ") + "; see 'retropg --help'";
  if (app.get_subcommands().empty() && argv[1][0] != '-') return unknown_name_message("command", argv[1], commands);
  if (!app.get_subcommands().empty()) command = app.get_subcommands().front();
  const std::vector<std::string> flags = flags_of(*command);
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (is_flag(word) && word != "-h" && !has_flag(flags, word)) return unknown_flag(word, flags);
  }
  if (const std::vector<std::string> extra = command->remaining(); !extra.empty()) {
    const std::string flag = flag_of_name(extra.front(), flags);
    if (!flag.empty()) return fmt::format("'{0}' is not expected here; write {1} {0}", extra.front(), flag);
  }
  return one_line(reason_of(error), kLongestReason) + "; see 'retropg" +
         (command == &app ? "" : " " + command->get_name()) + " --help'";
}

}  // namespace retropg::app
