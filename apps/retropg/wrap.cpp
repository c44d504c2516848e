#include "wrap.hpp"

#include <algorithm>

namespace retropg::app {

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
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

std::string fitted(const std::string& text, std::size_t width) {
  std::string result;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t last = std::min(text.find('\n', first), text.size());
    const std::string line = text.substr(first, last - first);
    if (line.size() <= width) {
      result += line;
    } else {
      const std::size_t begin = line.find_first_not_of(' ');
      const std::string head = line.substr(0, begin + 2);
      result += head + wrapped(line.substr(begin + 2), begin + 2, width);
    }
    if (last < text.size()) result += '\n';
    first = last + 1;
  }
  return result;
}

}  // namespace retropg::app
