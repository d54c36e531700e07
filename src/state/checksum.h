#pragma once
// The checksum of what a checkpoint holds, and of records in files.

#include <cstddef>
#include <cstdint>
#include <span>

namespace pileus {

/// The CRC-32 of zlib for bytes that follow others; `before` is the checksum of those others.
std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace pileus
