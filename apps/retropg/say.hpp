#pragma once

#include <string>
#include <string_view>

namespace retropg::app {

/// Writes "retropg: TEXT" as one short line on stderr. A message that cannot be written is lost: it must never cost the
/// work.
void say(const std::string& text);

/// Writes the text as it is on stderr; errors are ignored here too.
void show_on_stderr(std::string_view text);

}  // namespace retropg::app
