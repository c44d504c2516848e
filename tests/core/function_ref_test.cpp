#include "retropg/core/function_ref.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace retropg::test {
namespace {

int twice(FunctionRef<int(int)> f) {
  return f(f(1));
}

TEST(FunctionRef, CallsWhatItWasGiven) {
  int calls = 0;
  EXPECT_EQ(twice([&](int x) {
              ++calls;
              return 3 * x;
            }),
            9);
  EXPECT_EQ(calls, 2);
  const std::function<int(int)> function = [](int x) { return -x; };
  EXPECT_EQ(twice(function), 1);
}

TEST(FunctionRef, ReachesTheCallableItselfAndNoCopyOfIt) {
  struct Counter {
    mutable int count = 0;
    int operator()(int x) const { return x + ++count; }
  } counter;
  twice(counter);
  EXPECT_EQ(counter.count, 2);
}

}  // namespace
}  // namespace retropg::test
