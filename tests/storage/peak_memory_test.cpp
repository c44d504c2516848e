// Counts what the tests of this program allocate, for those that bound it.

#include "support/peak_memory.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace {

thread_local std::ptrdiff_t in_use = 0, most_in_use = 0;

}  // namespace

#ifndef __SANITIZE_ADDRESS__

void* operator new(std::size_t size) {
  void* memory = std::malloc(std::max<std::size_t>(size, 1));
  if (memory == nullptr) throw std::bad_alloc();
  in_use += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  most_in_use = std::max(most_in_use, in_use);
  return memory;
}

void operator delete(void* memory) noexcept {
  in_use -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

#endif

namespace retropg::test {

PeakMemory::PeakMemory() : before_(in_use) {
  most_in_use = in_use;
}

std::size_t PeakMemory::bytes() const {
  return static_cast<std::size_t>(most_in_use - before_);
}

namespace {

TEST(PeakMemory, IsTheMostThatWasInUseAtOnce) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer has its own allocation functions";
#endif
  const PeakMemory peak;
  for (int i = 0; i < 10; ++i) std::vector<char>(100'000).front() = 1;
  EXPECT_GE(peak.bytes(), 100'000u);
  EXPECT_LT(peak.bytes(), 200'000u);
  const auto two = std::pair(std::make_unique<char[]>(100'000), std::make_unique<char[]>(100'000));
  EXPECT_GE(peak.bytes(), 200'000u);
}

}  // namespace
}  // namespace retropg::test
