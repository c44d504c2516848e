#include "retropg/storage/read_lines.hpp"

#include <fstream>
#include <string>

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = std::size_t{16} << 20;

}  // namespace

Index read_lines(const std::filesystem::path& path, FunctionRef<bool(const Line&)> visit) {
  std::error_code error;
  require(std::filesystem::exists(path, error), path.string() + ": is missing");
  require(std::filesystem::is_regular_file(path, error), path.string() + ": is not a regular file");
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), path.string() + ": cannot be read");
  std::string waiting;  // begins with a line
  Line line;
  bool going = true;
  while (going && file) {
    const std::size_t before = waiting.size();
    waiting.resize(before + kPiece);
    file.read(waiting.data() + before, static_cast<std::streamsize>(kPiece));
    waiting.resize(before + as_size(file.gcount()));
    std::size_t begin = 0;
    for (std::size_t end = waiting.find('\n', before); going && end != std::string::npos;
         end = waiting.find('\n', begin)) {
      ++line.number;
      line.text = std::string_view(waiting).substr(begin, end - begin);
      line.begin = line.end;
      line.end += as_index(end + 1 - begin);
      begin = end + 1;
      going = visit(line);
    }
    waiting.erase(0, begin);
    require(waiting.size() <= kLongestLine, path.string() + ": has a line that is longer than 16 MiB");
  }
  require(!file.bad(), path.string() + ": cannot be read");
  return going ? line.end + as_index(waiting.size()) : as_index(std::filesystem::file_size(path));
}

}  // namespace retropg
