#include <string>

#include "fuzz/fuzz.hpp"
#include "retropg/storage/agent_file.hpp"
#include "retropg/storage/safetensors.hpp"

using namespace retropg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(test::as_text(data, size));
  test::reads_or_refuses([&] { parse_agent(bytes, "agent"); });
  // With the checksum of what it holds, so that what lies behind it is reached.
  test::reads_or_refuses([&] {
    const Tensors tensors = parse_safetensors(bytes, "agent");
    SavedAgent agent{.state = {.numbers = tensors.values, .counts = tensors.counts}};
    const auto configuration = tensors.metadata.find("configuration");
    if (configuration != tensors.metadata.end()) agent.configuration = configuration->second;
    const SavedAgent read = parse_agent(to_bytes(agent), "again");
    test::expect(parse_agent(to_bytes(read), "twice").state == read.state, "what was read is written and read again");
  });
  return 0;
}
