#include "interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace retropg::app {
namespace {

// Signals change the process, so each test has its own.
class InterruptDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void finish(bool as_expected) {
  std::exit(as_expected ? EXIT_SUCCESS : EXIT_FAILURE);
}

TEST_F(InterruptDeathTest, TheFirstSignalCounts) {
  const auto body = [] {
    watch_for_signals();
    const bool none = interrupt_status() == 0 && interrupt_name().empty() && !save_requested();
    std::raise(SIGTERM);
    std::raise(SIGINT);
    std::raise(SIGTERM);
    finish(none && interrupt_status() == 128 + SIGTERM && interrupt_name() == "SIGTERM");
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

TEST_F(InterruptDeathTest, ARequestToSaveIsAnsweredOnce) {
  const auto body = [] {
    watch_for_signals();
    std::raise(SIGUSR1);
    const bool first = save_requested(), second = save_requested();
    std::raise(SIGUSR1);
    finish(first && !second && save_requested() && interrupt_status() == 0);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

}  // namespace
}  // namespace retropg::app
