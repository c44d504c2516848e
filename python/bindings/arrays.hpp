#pragma once

#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "retropg/core/types.hpp"

namespace retropg::python {

// NumPy arrays of doubles that are read where they are.
using Vector = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Matrix = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using NumpyArray = nanobind::ndarray<nanobind::numpy, double, nanobind::c_contig, nanobind::device::cpu>;

template <class Array>
std::span<const double> numbers(const Array& array) {
  return {array.data(), array.size()};
}

inline std::vector<double> copied(const Vector& array) {
  const std::span<const double> from = numbers(array);
  return {from.begin(), from.end()};
}

/// Takes the numbers over: they live as long as the array. `width` > 0: a matrix with rows of that many numbers.
inline NumpyArray numpy_array(std::vector<double> values, Index width = 0) {
  auto* owned = new std::vector<double>(std::move(values));
  const nanobind::capsule owner(owned,
                                [](void* pointer) noexcept { delete static_cast<std::vector<double>*>(pointer); });
  if (width == 0) return NumpyArray(owned->data(), {owned->size()}, owner);
  return NumpyArray(owned->data(), {owned->size() / as_size(width), as_size(width)}, owner);
}

}  // namespace retropg::python
