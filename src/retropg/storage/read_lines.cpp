#include "retropg/storage/read_lines.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/system_call.hpp"

namespace retropg {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = std::size_t{16} << 20;

}  // namespace

Index read_lines(const Place& place, FunctionRef<bool(const Line&)> visit) {
  require(is_there(place), place.string() + ": is missing");
  const Descriptor file = open_to_read(place);
  std::string waiting;  // begins with a line
  Line line;
  bool going = true;
  while (going) {
    const std::size_t before = waiting.size();
    waiting.resize(before + kPiece);
    const ssize_t count = uninterrupted([&] { return ::read(file.number(), waiting.data() + before, kPiece); });
    require(count >= 0, place.string() + ": cannot be read: " + reason_in_errno());
    waiting.resize(before + as_size(count));
    if (count == 0) return line.end + as_index(waiting.size());
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
    require(waiting.size() <= kLongestLine, place.string() + ": has a line that is longer than 16 MiB");
  }
  struct stat about {};
  require(::fstat(file.number(), &about) == 0, place.string() + ": cannot be read: " + reason_in_errno());
  return about.st_size;
}

}  // namespace retropg
