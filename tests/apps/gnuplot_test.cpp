#include "report/gnuplot.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "support/files.hpp"

namespace retropg::app {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// A folder with a stand-in for gnuplot, which comes first in PATH.
class Gnuplot : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::getenv("PATH");
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }

  /// $3 is format='png', 'svg', or 'pdf', and $here the test's folder; the current one is gnuplot's own.
  void become(const std::string& script) {
    std::ofstream(folder_ / "gnuplot") << "#!/bin/sh\neval \"$3\"\nhere=${0%/*}\n" << script << "\n";
    fs::permissions(folder_ / "gnuplot", fs::perms::owner_all);
  }
  std::string run(milliseconds timeout = kGnuplotTimeout) {
    return run_gnuplot(folder_ / "figure", {.data = "", .script = ""}, timeout);
  }

  test::TemporaryFolder folder_;
  std::string path_;
};

TEST_F(Gnuplot, ThatDrawsAllFilesIsASuccess) {
  become("echo picture > figure.$format; echo a warning >&2");
  EXPECT_EQ(run(), "");
}

TEST_F(Gnuplot, ThatHangsIsKilledWithWhatItStarted) {
  become("echo $$ > $here/pid.$format; sleep 1000 & echo $! > $here/child.$format; wait");
  EXPECT_EQ(run(milliseconds(500)), "gnuplot did not end within 0.5 s");
  for (const char* file : {"pid.png", "pid.svg", "pid.pdf", "child.png", "child.svg", "child.pdf"}) {
    pid_t process = 0;
    std::ifstream(folder_ / file) >> process;
    ASSERT_GT(process, 0) << file;
    // A killed grandchild may be waited for by another process: gone, or a zombie.
    const auto alive = [&] {
      std::string number, command, state = "gone";
      std::ifstream(fs::path("/proc") / std::to_string(process) / "stat") >> number >> command >> state;
      return state != "gone" && state != "Z" && state != "X";
    };
    // A killed process that has not run since is not dead yet.
    for (int wait = 0; wait < 1000 && alive(); ++wait) std::this_thread::sleep_for(milliseconds(10));
    EXPECT_FALSE(alive()) << file;
  }
}

TEST_F(Gnuplot, ThatDrawsNothingIsAFailure) {
  become("exit 0");
  EXPECT_EQ(run(), "gnuplot drew no figure.png: no error message");
  become("[ $format = png ] && echo picture > figure.png; exit 0");
  EXPECT_EQ(run(), "gnuplot drew no figure.svg: no error message");
  become("[ $format = pdf ] || echo picture > figure.$format; exit 0");
  EXPECT_EQ(run(), "gnuplot drew no figure.pdf: no error message");
  become(": > figure.$format; echo no font >&2");
  EXPECT_EQ(run(), "gnuplot drew no figure.png: no font ");
}

TEST_F(Gnuplot, ThatLeavesAnOldFigureIsAFailure) {
  for (const char* file : {"figure.png", "figure.svg", "figure.pdf"}) std::ofstream(folder_ / file) << "old";
  become("exit 0");
  EXPECT_EQ(run(), "gnuplot drew no figure.png: no error message");
}

TEST_F(Gnuplot, ThatFailsIsQuotedInOneShortLine) {
  become("printf 'line 1\\n\\033[31mline 2\\n' >&2; exit 3");
  EXPECT_EQ(run(), "gnuplot failed: line 1  [31mline 2 ");
  become("head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 3");
  EXPECT_EQ(run(), "gnuplot failed: " + std::string(200, 'x') + "...");
  become("kill -SEGV $$");
  EXPECT_EQ(run(), "gnuplot failed: no error message");
}

TEST_F(Gnuplot, ThatIsNotAProgramCannotBeStarted) {
  fs::create_directory(folder_ / "empty");
  setenv("PATH", (folder_ / "empty").c_str(), 1);
  EXPECT_EQ(run(), "gnuplot is not installed (Debian and Ubuntu: apt-get install gnuplot-nox)");
}

}  // namespace
}  // namespace retropg::app
