#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

namespace retropg::python {

using Array = nanobind::ndarray<nanobind::numpy, double>;

/// Numbers as an array of NumPy that owns them.
inline Array as_array(std::vector<double> numbers, std::vector<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<double>>(std::move(numbers));
  double* data = owned->data();
  nanobind::capsule owner(owned.release(),
                          [](void* vector) noexcept { delete static_cast<std::vector<double>*>(vector); });
  return Array(data, shape.size(), shape.data(), owner);
}
inline Array as_array(std::vector<double> numbers) {
  const std::size_t size = numbers.size();
  return as_array(std::move(numbers), {size});
}

}  // namespace retropg::python
