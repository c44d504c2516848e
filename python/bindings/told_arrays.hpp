#pragma once

#include <span>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace retropg::python {

// NumPy arrays of doubles that are read where they are.
using Vector = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Matrix = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

template <class Array>
std::span<const double> numbers(const Array& array) {
  return {array.data(), array.size()};
}

inline std::vector<double> copied(const Vector& array) {
  return {array.data(), array.data() + array.size()};
}

}  // namespace retropg::python
