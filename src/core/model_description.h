#pragma once
// What a model registered before its first step: dimensions, fields and where its ranks lie. Client, plan and
// server share these words; nothing here knows how they travel.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/element_type.h"
#include "core/encoder.h"
#include "core/region.h"

namespace pileus {

struct ModelDimension {
  std::string name;
  Index size = 0;
  std::vector<double> coordinates;  ///< one for each index, or empty
  std::string units;                ///< of the coordinates, "" where there are none
  std::vector<double> bounds = {};  ///< lower and upper end of the cell of each coordinate, or empty
  friend bool operator==(const ModelDimension&, const ModelDimension&) = default;
};

/// What the model says of a field for people and files; "" where it says nothing.
struct ModelMetadata {
  std::string units, standard_name, long_name;
  friend bool operator==(const ModelMetadata&, const ModelMetadata&) = default;
};

/// A field as one model rank has it.
struct ModelField {
  std::string name;
  ElementType type = ElementType::float64;
  std::vector<std::string> dimensions;  ///< names, fastest first; empty for a scalar or for a nameless shape
  Region region;                        ///< what this rank holds; start is 0 in a nameless shape
  ModelMetadata metadata = {};          ///< the same on every rank
  bool is_static = false;               ///< it never changes: handed over once; the same on every rank
  friend bool operator==(const ModelField&, const ModelField&) = default;
};

/// The dimension along which a map has its keys and values.
inline constexpr std::string_view kPairDimension = "key_and_value";

/// Texts in pairs of a key and its value.
inline bool is_map(const ModelField& field) {
  return field.type == ElementType::character && field.dimensions.size() == 3 &&
         field.dimensions[1] == kPairDimension;
}

/// The dimensions, the fastest ones, that only the kind of a field brings: the bytes of a text, and for a map
/// keys and values. The configuration does not name them.
inline std::size_t inner_dimensions(const ModelField& field) {
  if (field.type != ElementType::character || field.dimensions.empty()) return 0;
  return is_map(field) ? 2 : 1;
}

/// What one model rank registers.
struct RankDescription {
  std::vector<ModelDimension> dimensions;
  std::vector<ModelField> fields;
  std::map<std::string, std::string> options;
  /// A word of core/calendar.h, and the date of model time 0; "" where the model says nothing.
  std::string calendar, epoch;
  /// The run goes on after this step, whose checkpoint is to be loaded; none: a fresh start.
  std::optional<std::int64_t> continue_after = {};
  std::string describe_model = {};  ///< path of a JSON file for all of this, as rank 0 has it; "" for none

  void encode(Encoder& out) const;
  static RankDescription decode(Decoder& in);
};

/// The whole model, as the Plan is made from it.
struct ModelDescription {
  std::vector<RankDescription> ranks;  ///< by client rank
};

}  // namespace pileus
