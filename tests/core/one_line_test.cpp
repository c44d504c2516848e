#include "retropg/core/one_line.hpp"

#include <gtest/gtest.h>

namespace retropg {
namespace {

TEST(OneLine, KeepsShortText) {
  EXPECT_EQ(one_line("", 5), "");
  EXPECT_EQ(one_line("abcde", 5), "abcde");
}

TEST(OneLine, CutsLongText) {
  EXPECT_EQ(one_line("abcdef", 5), "abcde...");
}

TEST(OneLine, ReplacesControlCharacters) {
  EXPECT_EQ(one_line("a\nb\tc\x1b\x7f", 80), "a b c  ");
  EXPECT_EQ(one_line("a\u009b31mb\u202ec\u2066\u200fd", 80), "a 31mb c  d");
}

TEST(OneLine, KeepsLettersWhole) {
  const std::string letters = "aω€😀";  // 1, 2, 3 and 4 bytes
  EXPECT_EQ(one_line(letters, 1), "a...");
  EXPECT_EQ(one_line(letters, 2), "a...");
  EXPECT_EQ(one_line(letters, 3), "aω...");
  EXPECT_EQ(one_line(letters, 5), "aω...");
  EXPECT_EQ(one_line(letters, 6), "aω€...");
  EXPECT_EQ(one_line(letters, 9), "aω€...");
  EXPECT_EQ(one_line(letters, 10), letters);
}

TEST(OneLine, ReplacesBytesThatAreNoLetters) {
  EXPECT_EQ(one_line("a\x9b\xff", 50), "a\uFFFD\uFFFD");
  const std::string cut = one_line(std::string(100, '\x80'), 50);
  EXPECT_EQ(cut.size(), 50 * 3 + 3);
  EXPECT_TRUE(cut.ends_with("\uFFFD..."));
}

}  // namespace
}  // namespace retropg
