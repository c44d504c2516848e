#include "retropg/configuration/toml_depth.hpp"

#include <algorithm>

namespace retropg {
namespace {

/// The length of the string that begins the text, with its quotes. Ends at the end of the line, or of the text, if it
/// is not closed.
std::size_t string_length(std::string_view text) {
  const char quote = text[0];
  const bool several_lines = text.size() >= 3 && text[1] == quote && text[2] == quote;
  const std::string_view close = several_lines ? text.substr(0, 3) : text.substr(0, 1);
  for (std::size_t i = close.size(); i < text.size(); ++i) {
    if (text.substr(i, close.size()) == close) return i + close.size();
    if (text[i] == '\n' && !several_lines) return i;
    if (text[i] == '\\' && quote == '"') ++i;
  }
  return text.size();
}

/// The length of what is skipped as a whole: a string, a comment or one character.
std::size_t token_length(std::string_view text) {
  if (text[0] == '"' || text[0] == '\'') return string_length(text);
  if (text[0] == '#') return std::min(text.find('\n'), text.size());
  return 1;
}

}  // namespace

std::optional<Index> line_of_deep_key(std::string_view toml) {
  Index line = 1, dots = 0;  // since the last character that cannot be within a key
  while (!toml.empty()) {
    const std::string_view token = toml.substr(0, token_length(toml));
    if (token == ".") ++dots;
    if (std::string_view("\n=,[]{}").find(token[0]) != std::string_view::npos) dots = 0;
    if (dots >= kMostKeyParts) return line;
    line += std::ranges::count(token, '\n');
    toml.remove_prefix(token.size());
  }
  return std::nullopt;
}

}  // namespace retropg
