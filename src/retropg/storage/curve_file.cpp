#include "retropg/storage/curve_file.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/read_lines.hpp"

namespace retropg {
namespace {

constexpr std::string_view kColumns = "trajectories,return_mean";

/// Takes a number and the text after it off the line.
template <typename Number>
bool take(std::string_view& line, Number& number, std::string_view after) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (!line.starts_with(after)) return false;
  line.remove_prefix(after.size());
  return true;
}

}  // namespace

void write_curve_file(const Place& path, const StoredCurve& curve) {
  std::string text = fmt::format("# {} points, {} steps, {:.6f} s\n{}\n", curve.trajectories.size(), curve.steps,
                                 curve.seconds, kColumns);
  for (std::size_t k = 0; k < curve.trajectories.size(); ++k) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},{}\n"), curve.trajectories[k], curve.return_mean[k]);
  }
  write_file(path, text);
}

StoredCurve read_curve_file(const Place& path) {
  StoredCurve curve;
  std::size_t points = 0;
  Index whole = 0;  // bytes
  const auto read = [&](const Line& line) {
    std::string_view text = line.text;
    bool good = false;
    if (line.number == 1) {
      good = text.starts_with("# ") && (text.remove_prefix(2), take(text, points, " points, ")) &&
             take(text, curve.steps, " steps, ") && take(text, curve.seconds, " s") && text.empty();
    } else if (line.number == 2) {
      good = text == kColumns;
    } else {
      double x = 0.0, y = 0.0;
      good = take(text, x, ",") && take(text, y, "") && text.empty() &&
             (curve.trajectories.empty() || x > curve.trajectories.back());
      curve.trajectories.push_back(x);
      curve.return_mean.push_back(y);
    }
    require(good, fmt::format("{}: line {} is damaged", path.string(), line.number));
    whole = line.end;
    return true;
  };
  const Index bytes = read_lines(path, read);
  require(bytes == whole && points > 0 && curve.trajectories.size() == points, path.string() + ": has lost lines");
  return curve;
}

bool is_curve_file(const Place& path) {
  const std::string seed = path.stem();
  return path.extension() == ".csv" && std::ranges::all_of(seed, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace retropg
