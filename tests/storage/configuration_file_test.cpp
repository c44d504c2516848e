#include "retropg/storage/configuration_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

/// A file as a run writes it, changed by hand.
class RunConfiguration : public testing::Test {
 protected:
  void refuse(const std::string& text, const std::string& what) {
    write_file(file_, text);
    expect_throw([&] { load_run_configuration(file_); }, file_.string() + what);
  }
  void accept(const std::string& text) {
    write_file(file_, text);
    EXPECT_EQ(load_run_configuration(file_), configuration_);
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "config.toml";
  const Configuration configuration_ = configured({"env.horizon=77", "algo.name=pgpe", "hyperpolicy.variance=0.5"});
  const std::string text_ = to_toml(configuration_);
};

TEST_F(RunConfiguration, IsWhatTheRunWrote) {
  accept(text_);
  accept("# a comment of the user\n\n" + text_ + "\n\n");
}

TEST_F(RunConfiguration, NamesTheFirstKeyThatACutFileLacks) {
  refuse("", ": is cut: it has no key 'env.id'");
  refuse("\n# nothing\n", ": is cut: it has no key 'env.id'");
  refuse(text_.substr(0, text_.find("[algo]")), ": is cut: it has no key 'algo.name'");
  refuse(text_.substr(0, text_.find("window =")), ": is cut: it has no key 'algo.window'");
  refuse(text_.substr(0, text_.rfind("learn_deviation")), ": is cut: it has no key 'hyperpolicy.learn_deviation'");
}

TEST_F(RunConfiguration, IsRefusedWhereverItIsCut) {
  // What comes after these sections does not change results, and earlier versions did not have it.
  const std::size_t later = text_.find("\n[checkpoint]");
  for (std::size_t size = 0; size < later; ++size) refuse(text_.substr(0, size), "");
  for (std::size_t size = later; size < text_.size(); ++size) {
    if (text_[size - 1] != '\n') refuse(text_.substr(0, size), "");
  }
}

TEST_F(RunConfiguration, MayLackWhatEarlierVersionsDidNotHave) {
  accept(text_.substr(0, text_.find("\n[checkpoint]")));
  accept(text_.substr(0, text_.find("\n[log]")));
}

TEST_F(RunConfiguration, TakesNoMemoryForAHugeFile) {
  write_file(file_, text_);
  std::filesystem::resize_file(file_, std::uintmax_t{1} << 42);  // holes: no disk has that
  expect_throw([&] { load_run_configuration(file_); }, "it is longer than 1048576 bytes");
}

TEST_F(RunConfiguration, OfAUserMayHaveAsFewKeysAsItLikes) {
  write_file(file_, "");
  EXPECT_EQ(load_configuration(file_), Configuration());
}

}  // namespace
}  // namespace retropg::test
