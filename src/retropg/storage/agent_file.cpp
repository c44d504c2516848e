#include "retropg/storage/agent_file.hpp"

#include <charconv>

#include "retropg/core/error.hpp"
#include "retropg/core/version.hpp"
#include "retropg/kernels/simd.hpp"
#include "retropg/storage/checksum.hpp"
#include "retropg/storage/safetensors.hpp"

namespace retropg {
namespace {

constexpr const char* kFormat = "retropg-agent-2";
constexpr std::string_view kBatch = "batch/";  // a batch of the window, by number

template <typename Number>
std::string line(const std::string& name, const std::vector<Number>& numbers) {
  return name + " " + checksum_text({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)}) +
         "\n";
}

/// Of everything but the checksum itself.
std::string total_checksum(const Tensors& tensors) {
  std::string text;
  for (const auto& [key, value] : tensors.metadata) {
    if (key != "checksum") text += key + " " + checksum_text(value) + "\n";
  }
  for (const auto& [name, numbers] : tensors.values) text += line(name, numbers);
  for (const auto& [name, counts] : tensors.counts) text += line(name, counts);
  return checksum_text(text);
}

/// The number of a batch; -1 if the name has none.
Index batch_number(std::string_view name) {
  const std::string_view digits = name.substr(kBatch.size());
  Index number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

std::string to_bytes(const SavedAgent& agent) {
  Tensors tensors;
  tensors.metadata = {{"format", kFormat},
                      {"configuration", agent.configuration},
                      {"retropg", version()},
                      {"simd", kernels::active_target()}};
  tensors.values = agent.state.numbers;
  tensors.counts = agent.state.counts;
  for (const auto& [number, numbers] : agent.state.batches) {
    tensors.values[std::string(kBatch) + std::to_string(number)] = numbers;
  }
  tensors.metadata["checksum"] = total_checksum(tensors);
  return to_safetensors(tensors);
}

SavedAgent parse_agent(std::string_view bytes, const std::string& name) {
  Tensors tensors = parse_safetensors(bytes, name);
  const auto text = [&](const char* key) {
    const auto found = tensors.metadata.find(key);
    require(found != tensors.metadata.end(), name + ": is no saved agent (no '" + key + "')");
    return found->second;
  };
  require(text("format") == kFormat, name + ": has another format than '" + kFormat + "', which this version reads");
  require(text("checksum") == total_checksum(tensors), name + ": is damaged: its checksum does not match");
  SavedAgent agent{.configuration = text("configuration"), .version = text("retropg"), .simd = text("simd")};
  agent.state.counts = std::move(tensors.counts);
  for (auto& [key, numbers] : tensors.values) {
    if (!key.starts_with(kBatch)) {
      agent.state.numbers[key] = std::move(numbers);
      continue;
    }
    const Index number = batch_number(key);
    require(number >= 0, name + ": has an unknown entry '" + key + "'");
    agent.state.batches[number] = std::move(numbers);
  }
  return agent;
}

}  // namespace retropg
