#include "report/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/core/types.hpp"
#include "retropg/storage/file.hpp"

namespace retropg::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestMessage = 200;

/// A running gnuplot, the read end of its stderr pipe, and the file it draws.
struct Child {
  pid_t process;
  int error_pipe;
  fs::path figure;
};

/// Starts gnuplot without a shell, so that names need no escaping. On failure sets `error` to an errno value.
std::optional<Child> start(const fs::path& folder, const std::string& name, const std::string& format, int& error) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    error = errno;
    return std::nullopt;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());  // file names in the script are relative to it
  // Its own process group, so that what gnuplot starts ends with it; and the signals that this program ignores.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  // --default-settings ignores the user's start-up file
  std::array<std::string, 5> words = {"gnuplot", "--default-settings", "-e", "format='" + format + "'", name + ".gp"};
  std::array<char*, 6> arguments{};
  std::ranges::transform(words, arguments.begin(), [](std::string& word) { return word.data(); });
  pid_t process = 0;
  error = posix_spawnp(&process, "gnuplot", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) return Child{.process = process, .error_pipe = ends[0], .figure = folder / (name + "." + format)};
  close(ends[0]);
  return std::nullopt;
}

/// Reads until the pipe is closed at its other end, the end of gnuplot. Returns false if that takes too long.
bool read_all(int pipe, Clock::time_point end, std::string& message) {
  std::array<char, 4096> buffer;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{.fd = pipe, .events = POLLIN, .revents = 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = read(pipe, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    const std::size_t room = kLongestMessage + 1 - std::min(kLongestMessage + 1, message.size());
    message.append(buffer.data(), std::min(room, as_size(count)));
  }
}

bool has_contents(const fs::path& file) {
  std::error_code problem;
  const auto size = fs::file_size(file, problem);
  return !problem && size > 0;
}

/// Waits for gnuplot to exit. Returns an error message, or an empty string on success.
std::string finish(const Child& child, Clock::time_point end, std::chrono::milliseconds timeout) {
  std::string message;
  const bool in_time = read_all(child.error_pipe, end, message);
  close(child.error_pipe);
  if (!in_time) kill(-child.process, SIGKILL);
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return fmt::format("gnuplot did not end within {:g} s", static_cast<double>(timeout.count()) / 1000.0);
  const std::string said = message.empty() ? "no error message" : one_line(message, kLongestMessage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return "gnuplot failed: " + said;
  if (!has_contents(child.figure)) {
    return fmt::format("gnuplot drew no {}: {}", child.figure.filename().string(), said);
  }
  return "";
}

/// Replaces the time at which a PDF was drawn: the same data make the same bytes.
std::string without_time(std::string pdf) {
  constexpr std::string_view kBefore = "/CreationDate (D:", kTime = "20000101000000";
  const std::size_t at = pdf.find(kBefore);
  if (at == std::string::npos || at + kBefore.size() + kTime.size() > pdf.size()) return pdf;
  return pdf.replace(at + kBefore.size(), kTime.size(), kTime);
}

/// A new folder that only this user can write to. It goes with the object.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "retropg-figure-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      throw RunError("no folder for temporary files can be made: " + (error ? error.message() : std::strerror(errno)));
    }
    path_ = name;
  }
  ~PrivateFolder() { remove_folder(path_); }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr std::array kFormats = {"png", "svg", "pdf"};

}  // namespace

std::string run_gnuplot(const Place& stem, const GnuplotInput& input, std::chrono::milliseconds timeout) {
  const PrivateFolder folder;
  const std::string name = stem.filename();
  write_file(folder.path() / (name + ".dat"), input.data);
  write_file(folder.path() / (name + ".gp"), input.script);
  std::string problem;
  std::vector<Child> children;
  std::vector<fs::path> drawn;
  const Clock::time_point end = Clock::now() + timeout;
  for (const std::string format : kFormats) {  // in parallel: most of gnuplot's time is start-up
    const Place figure = stem.with("." + format);
    if (!is_folder(figure)) remove_file(figure);  // from earlier: it would be taken for a new one
    int error = 0;
    if (const auto child = start(folder.path(), name, format, error)) {
      children.push_back(*child);
    } else if (error == ENOENT) {
      problem = "gnuplot is not installed (Debian and Ubuntu: apt-get install gnuplot-nox)";
    } else {
      problem = std::string("gnuplot cannot be started: ") + std::strerror(error);
    }
  }
  for (const Child& child : children) {
    const std::string failure = finish(child, end, timeout);
    if (failure.empty()) drawn.push_back(child.figure);
    if (problem.empty()) problem = failure;
  }
  for (const fs::path& figure : drawn) {
    write_file(stem.with(figure.extension().string()), without_time(read_file(figure)));
  }
  return problem;
}

}  // namespace retropg::app
