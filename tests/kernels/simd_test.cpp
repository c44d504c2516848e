#include "retropg/kernels/simd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "retropg/kernels/cart_pole.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

/// The bits of a short Cart Pole run, which differ between targets with and without a fused multiply-add.
std::vector<std::uint64_t> fingerprint() {
  std::vector<double> state(16, 0.03), observations(16), rewards(4), terminated(4);
  const std::vector<double> forces(4, 0.7), live(4, 1.0);
  for (int t = 0; t < 20; ++t) {
    kernels::cart_pole_step(4, 4, forces.data(), live.data(), state.data(), observations.data(), rewards.data(),
                            terminated.data());
  }
  return bits(state);
}

/// Sets RETROPG_SIMD while it lives.
class SimdVariable {
 public:
  explicit SimdVariable(const std::string& value) {
    if (const char* before = std::getenv("RETROPG_SIMD"); before != nullptr) before_ = before;
    setenv("RETROPG_SIMD", value.c_str(), 1);
  }
  ~SimdVariable() {
    if (before_.empty()) {
      unsetenv("RETROPG_SIMD");
    } else {
      setenv("RETROPG_SIMD", before_.c_str(), 1);
    }
  }
  SimdVariable(const SimdVariable&) = delete;
  SimdVariable& operator=(const SimdVariable&) = delete;

 private:
  std::string before_;
};

TEST(Simd, ListsTargetsFromSlowToFast) {
  const ForcedTarget best("");
  const std::vector<std::string> known{"sse", "avx2", "avx512"}, targets = kernels::available_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), "sse");  // the baseline of every build
  std::vector<std::string> in_order;
  for (const std::string& name : known) {
    if (std::ranges::find(targets, name) != targets.end()) in_order.push_back(name);
  }
  EXPECT_EQ(targets, in_order);
}

TEST(Simd, UsesTheBestTargetUnlessForced) {
  const ForcedTarget best("");
  const std::vector<std::string> targets = kernels::available_targets();
  EXPECT_EQ(kernels::active_target(), targets.back());
  for (const std::string& name : targets) {
    {
      const ForcedTarget forced(name);
      EXPECT_EQ(kernels::active_target(), name);
    }
    EXPECT_EQ(kernels::active_target(), targets.back());
  }
}

TEST(Simd, ForcingATargetDoesNotChangeWhatTheMachineHas) {
  const ForcedTarget best("");
  const std::vector<std::string> targets = kernels::available_targets();
  for (const std::string& name : targets) {
    const ForcedTarget forced(name);
    EXPECT_EQ(kernels::available_targets(), targets) << name;
  }
}

TEST(Simd, ForcingATargetReachesTheKernels) {
  std::vector<std::uint64_t> plain;
  {
    const ForcedTarget forced("sse");
    plain = fingerprint();
  }
  for (const std::string& name : fused_targets()) {
    const ForcedTarget forced(name);
    EXPECT_NE(fingerprint(), plain) << name;
  }
  if (fused_targets().empty()) GTEST_SKIP() << "this CPU has no target with fused multiply-add";
}

TEST(Simd, RefusesUnknownTargetsAndSaysWhichThereAre) {
  for (const std::string name : {"avx", "AVX2", "avx1024", "sse "}) {
    expect_throw([&] { kernels::force_target(name); }, "'" + name + "' is not available; this machine has sse");
  }
}

TEST(Simd, ARefusedTargetLeavesKernelsAndAnswerInAgreement) {
  std::vector<std::uint64_t> of_best = fingerprint();
  const std::string best = kernels::active_target();
  kernels::force_target("sse");
  expect_throw([] { kernels::force_target("nonsense"); }, "'nonsense' is not available; this machine has sse");
  EXPECT_EQ(kernels::active_target(), best);
  EXPECT_EQ(fingerprint(), of_best);
  kernels::force_target("");
}

TEST(Simd, ChecksTheEnvironmentVariable) {
  {
    const SimdVariable variable("nonsense");
    expect_throw([] { kernels::check_environment_target(); },
                 "RETROPG_SIMD: 'nonsense' is not available; this machine has sse");
  }
  {
    const SimdVariable variable("");
    EXPECT_NO_THROW(kernels::check_environment_target());
  }
  const SimdVariable variable(kernels::active_target());
  EXPECT_NO_THROW(kernels::check_environment_target());
}

}  // namespace
}  // namespace retropg::test
