#pragma once
// Numbers as GRIB has them: the first octet is the highest, and negative ones have a sign in their first bit.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pileus::grib {

class Octets {
 public:
  void put(std::uint64_t value, unsigned octets) {
    for (unsigned i = octets; i-- > 0;) bytes_.push_back(static_cast<std::byte>(value >> 8 * i & 0xffU));
  }
  void put_signed(std::int64_t value, unsigned octets) {
    const std::uint64_t sign = value < 0 ? std::uint64_t{1} << (8 * octets - 1) : 0;
    put(sign | static_cast<std::uint64_t>(value < 0 ? -value : value), octets);
  }
  void put_all(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

inline std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t octets) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < octets; ++i)
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

}  // namespace pileus::grib
