#include "retropg/storage/agent_file.hpp"

#include <gtest/gtest.h>

#include "retropg/core/version.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/configuration_text.hpp"

namespace retropg::test {
namespace {

SavedAgent agent() {
  return {.configuration = "[algo]\nname = \"rpg\"\n",
          .state = {.numbers = {{"trainer/parameters", {1.0, -2.5}}, {"trainer/empty", {}}},
                    .counts = {{"trainer/iteration", {7}}},
                    .batches = {{3, {0.5, 0.25}}, {10, {1e-300}}}}};
}

TEST(AgentFile, ReadsBackWhatWasWritten) {
  const SavedAgent read = parse_agent(to_bytes(agent()), "agent");
  EXPECT_EQ(read.state, agent().state);
  EXPECT_EQ(read.configuration, agent().configuration);
  EXPECT_EQ(read.version, version());
  EXPECT_FALSE(read.simd.empty());
  EXPECT_EQ(to_bytes(read), to_bytes(agent()));
}

TEST(AgentFile, RefusesEveryChangedByte) {
  const std::string bytes = to_bytes(agent());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(error_of([&] { parse_agent(changed, "agent"); }), "no error") << "byte " << i;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(error_of([&] { parse_agent(bytes.substr(0, size), "agent"); }), "no error") << "first " << size;
  }
}

TEST(AgentFile, RefusesAnotherFile) {
  const std::string other = to_safetensors({.metadata = {{"format", "retropg-policy-1"}}, .values = {}});
  EXPECT_EQ(error_of([&] { parse_agent(other, "a"); }),
            "a: has another format than 'retropg-agent-2', which this version reads");
  EXPECT_EQ(error_of([&] { parse_agent(to_safetensors({.metadata = {}, .values = {}}), "a"); }),
            "a: is no saved agent (no 'format')");
}

}  // namespace
}  // namespace retropg::test
