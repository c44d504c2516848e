#include "retropg/storage/log_line.hpp"

#include <charconv>

#include <fmt/format.h>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

template <typename Number>
Number parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  require(error == std::errc() && end == text.data() + text.size(), fmt::format("'{}' is not a number", text));
  return number;
}

}  // namespace

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    cells.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells.push_back(line);
  return cells;
}

double number_in(std::string_view cell) {
  return parsed<double>(cell);
}

Index whole_number_in(std::string_view cell) {
  return parsed<Index>(cell);
}

}  // namespace retropg
