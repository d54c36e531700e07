#pragma once
// What a model registers before its first step: dimensions, fields and where its ranks lie. Client, plan and
// server share these types; nothing here knows how they travel.

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

/// What the model says about a field for people and files; "" where it says nothing.
struct ModelMetadata {
  std::string units, standard_name, long_name;
  friend bool operator==(const ModelMetadata&, const ModelMetadata&) = default;
};

/// Points of the domain that a model numbers through over some dimensions, and of which each rank holds some
/// in an order of its own. Which ones travels apart from what is registered (client/points.h).
struct ModelPoints {
  std::string name;
  std::vector<std::string> dimensions;  ///< fastest first; the same on every rank
  bool may_be_shared = false;           ///< where several ranks hold a point, that of the lowest counts
  friend bool operator==(const ModelPoints&, const ModelPoints&) = default;
};

/// A field as one model rank has it.
struct ModelField {
  std::string name;
  ElementType type = ElementType::float64;
  std::vector<std::string> dimensions;  ///< names, fastest first; empty for a scalar or for a nameless shape
  Region region;                        ///< what this rank holds; start is 0 in a nameless shape. Of a field
                                        ///< on points: how many it holds, 1 in all dimensions of these but
                                        ///< the first
  ModelMetadata metadata = {};          ///< the same on every rank
  bool is_static = false;               ///< the field never changes and is handed over once; the same on
                                        ///< every rank
  std::optional<std::uint32_t> points = {};  ///< index into RankDescription::points: it lies on these
  friend bool operator==(const ModelField&, const ModelField&) = default;
};

/// The dimension along which a map has its keys and values.
inline constexpr std::string_view kPairDimension = "key_and_value";

/// Whether the field holds pairs of texts, a key and its value.
inline bool is_map(const ModelField& field) {
  return field.type == ElementType::character && field.dimensions.size() == 3 &&
         field.dimensions[1] == kPairDimension;
}

/// The number of leading (fastest) dimensions that the field's kind adds and the configuration does not name:
/// the bytes of a text, and the key and value of a map.
inline std::size_t inner_dimensions(const ModelField& field) {
  if (field.type != ElementType::character || field.dimensions.empty()) return 0;
  return is_map(field) ? 2 : 1;
}

/// What one model rank registers.
struct RankDescription {
  std::vector<ModelDimension> dimensions;
  std::vector<ModelField> fields;
  std::map<std::string, std::string> options;
  /// A word of core/calendar.h, and the date of model time 0; "" where the model gives none.
  std::string calendar, epoch;
  /// The step after which the run continues, whose checkpoint is loaded; none for a fresh start.
  std::optional<std::int64_t> continue_after = {};
  std::string describe_model = {};  ///< path of a JSON file for this description, given by rank 0; "" for
                                    ///< none
  std::vector<ModelPoints> points = {};

  /// All of it, as the two pieces of core/model_ranks.h. decode takes all that is left of the bytes.
  void encode(Encoder& out) const;
  static RankDescription decode(Decoder& in);
  /// All but the regions of the fields.
  void encode_common(Encoder& out) const;
  static RankDescription decode_common(Decoder& in);
};

/// The descriptions of all ranks, from which the Plan is made.
struct ModelDescription {
  std::vector<RankDescription> ranks;  ///< by client rank
};

}  // namespace pileus
