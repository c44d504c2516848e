#include "retropg/configuration/toml_depth.hpp"

#include <gtest/gtest.h>

#include <string>

#include "retropg/configuration/configuration.hpp"
#include "support/expect_throw.hpp"

namespace retropg::test {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// A key of that many parts.
std::string key(int parts, const std::string& part = "a", const std::string& dot = ".") {
  return part + repeated(dot + part, parts - 1);
}

TEST(TomlDepth, CountsThePartsOfKeys) {
  EXPECT_EQ(line_of_deep_key(key(16) + " = 1"), std::nullopt);
  EXPECT_EQ(line_of_deep_key(key(17) + " = 1"), 1);
  EXPECT_EQ(line_of_deep_key("\n\n[" + key(17) + "]\n"), 3);
  EXPECT_EQ(line_of_deep_key("[[" + key(17) + "]]"), 1);
  EXPECT_EQ(line_of_deep_key("x = 1\ny = {" + key(17) + " = 1}"), 2);
  EXPECT_EQ(line_of_deep_key(key(17, "a", " . ") + " = 1"), 1);
  EXPECT_EQ(line_of_deep_key(key(17, "\"a\"") + " = 1"), 1);
  EXPECT_EQ(line_of_deep_key(key(17, "'#'", "\t.\t") + " = 1"), 1);
}

TEST(TomlDepth, TakesNothingElseForAKey) {
  for (const std::string& text :
       {"x = [" + repeated("0.1, ", 50) + "0.2]", repeated("x.y = 1.5\n", 50), "x = \"" + key(50) + "\"",
        "x = '" + key(50) + "'", "x = \"\"\"\n" + key(50) + "\n\"\"\"", "x = '''\n" + key(50) + "\n'''", "# " + key(50),
        "x = 1 # " + key(50), "x = \"\\\"" + key(50) + "\"", "x = '\\' # " + key(50), "\"" + key(50) + "\" = 1",
        "x = {" + repeated("a.b = 1.0, ", 50) + "c = 1}", "x = \"\"\"\\\"\"\"" + key(50) + "\"\"\"", std::string(),
        std::string("\""), "x = \"" + key(50) + "\n"}) {
    EXPECT_EQ(line_of_deep_key(text), std::nullopt) << text;
  }
}

TEST(TomlDepth, DeepFilesAreRefusedWithTheirLine) {
  for (const std::string& text : {"[" + key(50000) + "]", key(50000) + " = 1", "x = {" + key(50000) + " = 1}"}) {
    expect_throw([&] { parse_configuration("\n" + text, "deep.toml"); },
                 "deep.toml:2: a key has more than 16 parts; write it as section.key");
  }
}

TEST(TomlDepth, DeepValuesAreRefused) {
  const std::string arrays = repeated("[", 50000) + repeated("]", 50000);
  const std::string tables = repeated("{a=", 50000) + "1" + repeated("}", 50000);
  const std::string both = repeated("{" + key(16) + "=", 250) + "1" + repeated("}", 250);
  for (const std::string& value : {arrays, tables, both, "{" + key(50000) + "=1}"}) {
    EXPECT_THROW(parse_configuration("[algo]\nlambda = " + value, "deep.toml"), Error);
    Configuration configuration;
    EXPECT_THROW(apply_setting(configuration, "algo.lambda=" + value), Error);
    EXPECT_THROW(apply_setting(configuration, value + "=1"), Error);
  }
  Configuration configuration;
  EXPECT_THROW(apply_setting(configuration, key(50000) + "=1"), Error);
}

}  // namespace
}  // namespace retropg::test
