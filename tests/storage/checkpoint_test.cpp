#include <gtest/gtest.h>

#include "retropg/storage/checkpoint.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/checkpoint_sample.hpp"
#include "support/configuration_text.hpp"
#include "support/restamp.hpp"

namespace retropg::test {
namespace {

TEST(Checkpoint, OfAnEarlierVersionIsRefusedAsSuch) {
  CheckpointSample sample({});
  Tensors tensors = parse_safetensors(sample.checkpoint(), "checkpoint");
  tensors.metadata["format"] = "retropg-checkpoint-1";
  restamp(tensors, sample.window());
  EXPECT_EQ(error_of([&] { parse_checkpoint(to_safetensors(tensors), "7.safetensors"); }),
            "7.safetensors: has the format 'retropg-checkpoint-1' of another version of retropg; this one reads "
            "'retropg-checkpoint-4'");
}

}  // namespace
}  // namespace retropg::test
