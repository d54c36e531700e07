#pragma once
// What a model rank registers to be read for it, what its server answers, and the frames that carry both.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/element_type.h"
#include "core/encoder.h"
#include "core/region.h"
#include "inputs/input_axis.h"

namespace pileus {

/// An input as one model rank has it.
struct ModelInput {
  std::string name;
  ElementType type = ElementType::float64;
  std::vector<std::string> dimensions;  ///< names, fastest first
  Region region;                        ///< what this rank gets
  std::vector<Index> sizes;             ///< of the whole dimensions
  std::string units;                    ///< "": the model does not say
};

/// A file brings the input. The server knows it by its number among those that the rank registered.
struct BroughtInput {
  InputAxis axis;
  std::int64_t ahead = 0;  ///< records that the server sends before they are asked for
  /// float32 where it has all that is in the values, otherwise float64.
  ElementType wire_type = ElementType::float64;
  std::string source;  ///< for people: "forcing.nc: w"

  void encode(Encoder& out) const;
  static BroughtInput decode(Decoder& in);
};

void encode_inputs(std::span<const ModelInput> inputs, Encoder& out);
/// Errors: TransportError where the bytes are none.
std::vector<ModelInput> decode_inputs(Decoder& in);

/// By number; nullopt: the configuration does not bring it.
using BroughtInputs = std::vector<std::optional<BroughtInput>>;
void encode_brought(const BroughtInputs& brought, Encoder& out);
BroughtInputs decode_brought(Decoder& in);

/// The records that a rank asks for: `count` from `first` on.
struct WantedRecords {
  std::uint32_t input = 0;
  std::int64_t first = 0, count = 0;

  void encode(Encoder& out) const;
  static WantedRecords decode(Decoder& in);
};

/// Stands before the values of a record, which are dense, fastest first.
struct RecordHead {
  std::uint32_t input = 0;
  std::int64_t record = 0;

  void encode(Encoder& out) const;
  static RecordHead decode(Decoder& in);
};

}  // namespace pileus
