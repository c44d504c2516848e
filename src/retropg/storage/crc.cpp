#include "retropg/storage/crc.hpp"

#include <boost/crc.hpp>

namespace retropg {
namespace {

template <std::uint32_t kPolynomial>
std::uint32_t crc(std::string_view bytes) {
  boost::crc_optimal<32, kPolynomial, 0xFFFFFFFF, 0xFFFFFFFF, true, true> sum;
  sum.process_bytes(bytes.data(), bytes.size());
  return sum.checksum();
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  return crc<0x04C11DB7>(bytes);
}

std::uint32_t crc32c(std::string_view bytes) {
  return crc<0x1EDC6F41>(bytes);
}

}  // namespace retropg
