#include <gtest/gtest.h>

#include <memory>

#include "support/collecting.hpp"
#include "support/many_threads.hpp"
#include "support/single_point_mass.hpp"

namespace retropg::test {
namespace {

TEST(SingleEnvironment, GivesTheSameBitsForAnyNumberOfThreadsWhichMakeSimulatorsInTurn) {
  const ManyThreads many;
  int made = 0;  // no atomic: only one thread at a time makes a simulator
  const Problem problem{.environment = from_single(point_mass(),
                                                   [&made] {
                                                     ++made;
                                                     return std::make_unique<SinglePointMass>(
                                                         SinglePointMassOptions{.noise = 0.1, .patience = 40});
                                                   }),
                        .options = {.observation_size = 2, .action_size = 1, .variance = {0.3}},
                        .theta = {1.0, 0.0}};
  const Request request{.count = 301, .lanes = 8};
  const Results expected = results(collect(problem, request));
  const std::vector<std::uint64_t> steps = bits_of(collect_steps(problem, request));
  for (const Index threads : {2, 3, 4}) {
    made = 0;
    Request parallel = request;
    parallel.threads = threads;
    EXPECT_EQ(results(collect(problem, parallel)), expected) << threads;
    EXPECT_EQ(bits_of(collect_steps(problem, parallel)), steps) << threads;
    EXPECT_GE(made, 8);
  }
}

}  // namespace
}  // namespace retropg::test
