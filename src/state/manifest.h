#pragma once
// The first file of a checkpoint. It names the run and the step, and describes what the parts must look like.
// It is written last, so that a checkpoint with a manifest is whole.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "core/step.h"
#include "state/checkpoint_part.h"
#include "state/checksum.h"

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
  std::vector<StateName> names;  ///< all that the parts have state of, ascending
  std::vector<PartSummary> parts;  ///< part-0000, part-0001, …, one for each server, with numbers of `names`
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// A part of which others know so much.
struct NamedPart {
  std::vector<StateName> names;  ///< ascending
  PartSummary summary;           ///< with numbers of these
};
void encode(const NamedPart& part, Encoder& out);
/// Errors: TransportError.
NamedPart decode_named_part(Decoder& in);
/// Gives the manifest these parts, in their order.
void set_parts(Manifest& manifest, std::vector<NamedPart> parts);

/// "part-0003"
std::string part_name(std::size_t part);

Bytes encode_manifest(const Manifest& manifest);
/// Errors: TransportError when the bytes are not those of encode_manifest.
Manifest decode_manifest(std::span<const std::byte> bytes);

}  // namespace pileus
