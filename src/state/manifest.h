#pragma once
// The first file of a checkpoint. It names the run and the step, and describes what the parts must look like.
// It is written last, so that a checkpoint with a manifest is whole.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "core/step.h"

namespace pileus {

struct Manifest {
  std::string run;           ///< id; the same in all continuations
  std::string history;       ///< the line of the history attribute: when the run first started
  std::int32_t attempt = 0;  ///< how often the run was continued before it wrote this
  Step step;                 ///< the state is that of its end
  std::string version;       ///< the version of Pileus
  std::string configuration, configuration_hash;
  std::string options;           ///< the options that the configuration was read with, as in the attribute of
                                 ///< its files
  std::int64_t model_ranks = 0;  ///< for people only: the run that continues may be spread otherwise
  struct Part {
    std::uint64_t size_bytes = 0;
    std::uint32_t checksum = 0;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;  ///< part-0000, part-0001, …, one for each server
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// The CRC-32 of zlib for bytes that follow others; `before` is the checksum of those others.
std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// "part-0003"
std::string part_name(std::size_t part);

Bytes encode_manifest(const Manifest& manifest);
/// Errors: TransportError when the bytes are not those of encode_manifest.
Manifest decode_manifest(std::span<const std::byte> bytes);

}  // namespace pileus
