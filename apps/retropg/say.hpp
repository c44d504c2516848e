#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace retropg::app {

/// Writes "retropg: TEXT" as one short line on stderr. A message that cannot be written is lost: it must never cost the
/// work.
void say(const std::string& text);

void show_on_stdout(std::string_view text);

/// Writes on stdout, all that the program writes there. Names, titles and labels may come from files of others: what
/// would act on a terminal is replaced.
template <typename... Values>
void show(fmt::format_string<const Values&...> text, const Values&... values) {
  show_on_stdout(fmt::format(text, values...));
}

/// Writes the text as it is on stderr; errors are ignored here too.
void show_on_stderr(std::string_view text);

}  // namespace retropg::app
