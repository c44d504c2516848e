#include "retropg/core/printable.hpp"

#include <gtest/gtest.h>

namespace retropg {
namespace {

TEST(Printable, LeavesTextOfAllLanguagesAsItIs) {
  for (const char* text : {"", "plain ~\n", "ä ω € 😀 中文 עברית", "a\u00a0b"}) {
    EXPECT_EQ(printable(text), text);
  }
  EXPECT_TRUE(is_plain("ä ω € 😀 中文 עברית"));
}

TEST(Printable, ReplacesWhatActsOnATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\ac\rd"), "a\uFFFD[31mb\uFFFDc\uFFFDd");
  for (const char* control : {"\x01", "\x7f", "\u0080", "\u009b", "\u009f", "\u061c", "\u200e", "\u200f", "\u2028",
                              "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"}) {
    EXPECT_EQ(printable(control), "\uFFFD");
    EXPECT_FALSE(is_plain(control));
  }
  EXPECT_FALSE(is_plain("\n"));
}

TEST(Printable, ReplacesEachByteThatIsNoLetter) {
  EXPECT_EQ(printable("a\x9bz"), "a\uFFFDz");
  EXPECT_EQ(printable("\xc3"), "\uFFFD");
  EXPECT_EQ(printable("\xe2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xc0\x9b"), "\uFFFD\uFFFD") << "longer than needed";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "half of a pair";
  EXPECT_FALSE(is_plain("\xff"));
}

}  // namespace
}  // namespace retropg
