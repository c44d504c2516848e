#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace retropg {

/// The bytes of a cache line and of the widest vector. Numbers that kernels read begin at a multiple of it: a vector in
/// two cache lines takes twice as long to load, and longer to store.
inline constexpr std::align_val_t kAlignment{64};

template <class T>
struct AlignedAllocator {
  using value_type = T;  // NOLINT(readability-identifier-naming): the standard library's name
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* pointer, std::size_t) { ::operator delete(pointer, kAlignment); }
  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// Numbers that are not set when they are made, so that the thread that writes them is the first to touch their memory.
/// Aligned by hand: memory of many batches that operator new aligns is not reused by glibc 2.36.
class UnsetNumbers {
 public:
  explicit UnsetNumbers(std::size_t count)
      : space_(std::make_unique_for_overwrite<double[]>(count + kExtra)),
        first_(aligned(space_.get())),
        count_(count) {}

  std::size_t size() const { return count_; }
  double* data() { return first_; }
  const double* data() const { return first_; }
  double& operator[](std::size_t i) { return first_[i]; }
  const double& operator[](std::size_t i) const { return first_[i]; }

 private:
  static constexpr auto kBytes = static_cast<std::size_t>(kAlignment);
  static constexpr std::size_t kExtra = kBytes / sizeof(double) - 1;

  static double* aligned(double* numbers) {
    void* place = numbers;
    std::size_t space = kBytes + sizeof(double);
    return static_cast<double*>(std::align(kBytes, sizeof(double), place, space));
  }

  std::unique_ptr<double[]> space_;
  double* first_;
  std::size_t count_;
};

}  // namespace retropg
