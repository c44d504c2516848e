#include "wrap.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace retropg::app {
namespace {

/// Where the text of a line begins: after a title and two spaces, unless that is too far to the right.
std::size_t text_column(const std::string& line, std::size_t width) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", begin);
  const std::size_t column = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
  return column <= width / 2 ? column : begin;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string described(const std::string& name, const std::string& text, std::size_t column, std::size_t width) {
  const bool fits = name.size() + 3 <= column;
  return fmt::format("  {:<{}}{}{}\n", name, fits ? column - 2 : 0, fits ? "" : "\n" + std::string(column, ' '),
                     wrapped(text, column, width));
}

std::string fitted(const std::string& text, std::size_t width) {
  std::string result;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t last = std::min(text.find('\n', first), text.size());
    const std::string line = text.substr(first, last - first);
    const std::size_t column = line.size() <= width ? line.size() : text_column(line, width);
    result += line.substr(0, column) + wrapped(line.substr(column), column, width);
    if (last < text.size()) result += '\n';
    first = last + 1;
  }
  return result;
}

}  // namespace retropg::app
