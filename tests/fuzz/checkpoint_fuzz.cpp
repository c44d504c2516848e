#include <memory>
#include <vector>

#include "fuzz/checkpoint_input.hpp"
#include "fuzz/fuzz.hpp"
#include "support/checkpoint_sample.hpp"
#include "support/restamp.hpp"

using namespace retropg;

namespace {

const std::vector<std::unique_ptr<test::CheckpointSample>>& samples() {
  static const auto made = [] {
    std::vector<std::unique_ptr<test::CheckpointSample>> result;
    for (const std::vector<std::string>& settings : test::checkpoint_settings()) {
      result.push_back(std::make_unique<test::CheckpointSample>(settings));
    }
    return result;
  }();
  return made;
}

SavedState state_of(Trainer& trainer) {
  Archive archive(Archive::Mode::kSave);
  trainer.state(archive);
  return archive.state();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const test::CheckpointInput input = test::CheckpointInput::parse(test::as_text(data, size));
  test::reads_or_refuses([&] { parse_checkpoint(input.checkpoint, "checkpoint"); });
  const std::string checkpoint = test::restamped(std::string(input.checkpoint), input.window);
  test::CheckpointSample& sample = *samples()[input.sample % samples().size()];
  const SavedState before = state_of(sample.trainer());
  const bool restored = test::reads_or_refuses([&] { sample.restore(checkpoint, input.window); });
  if (restored) sample.go_on_and_back();
  test::expect(state_of(sample.trainer()) == before, "a refused state changes nothing");
  return 0;
}
