#pragma once
// What a model rank registers. Every call is checked at once: the call that brings a wrong rank, count, name
// or coordinate reports it, and leaves nothing behind.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/gather.h"
#include "client/points.h"
#include "core/model_description.h"

namespace pileus {

/// The array that a model hands a field over from.
struct OwnArray {
  Extents counts;             ///< as the model gave them to pileus_field
  PointDimensions along = 0;  ///< which of its dimensions are those of the points; none: it is a box
};

/// "double of 64 x 50", "a single integer": what an array holds, for messages.
std::string kind_text(ElementType type, std::span<const Index> counts);

class Registration {
 public:
  /// Errors: UsageError for an empty key or one that has a value already.
  void option(std::string key, std::string value);
  /// Errors: UsageError for an empty or known name, a size below 0, coordinates that are not finite or not
  /// `size` many.
  void dimension(ModelDimension dimension);
  /// Lower and upper end of the cell of each coordinate of a registered dimension, 2 × size values.
  /// Errors: UsageError for an unknown dimension, one without coordinates or with bounds already, and for
  /// bounds that are not finite or do not hold their coordinate.
  void dimension_bounds(const std::string& name, std::vector<double> bounds);
  /// Points of the domain, of which this rank holds some. `counts`: of its own arrays along the points;
  /// `indices`: that of the point for each element of these, fastest first; negative where there is none.
  /// Errors: UsageError for an empty name or one of a dimension or of other points, no dimensions or unknown
  /// ones, no counts or negative ones, and those of hold_points().
  void points(ModelPoints points, const Extents& counts, const Index* indices);
  /// The calendar, and the date of model time 0. An empty epoch leaves the date to the configuration.
  /// Errors: UsageError for a second call, an unknown calendar, or a date that the calendar does not have.
  void calendar(const std::string& calendar, const std::string& epoch);
  /// The run continues after this step. Errors: UsageError for a negative step, and for a second call.
  void continue_after(std::int64_t step);
  /// Path of a JSON file that will describe what all ranks registered; "" for none.
  void describe_model(std::string path) { description_.describe_model = std::move(path); }
  /// Returns the number of the field, from 0. With counts but no `dimensions` it has a nameless shape. Where
  /// `dimensions` names points, once for each dimension of the rank's own arrays along these, it lies on
  /// them.
  /// Errors: UsageError for an empty or known name, an unregistered dimension, a negative or too large start
  /// or count, and a start in a nameless shape; on points for other counts than theirs, and for another
  /// dimension that is not whole.
  int field(ModelField field);
  /// A field of texts of at most `length` bytes each. It gets the dimension "string_<length>" before its own.
  /// Errors: those of field(); UsageError also for a length below 1, and for an array without names for its
  /// dimensions.
  int text_field(ModelField field, Index length);
  /// What files say about a registered field where the configuration says nothing.
  /// Errors: UsageError for a number that is no field, and for a second call for one field.
  void field_metadata(int field, ModelMetadata metadata);
  void static_field(int field);
  /// A map of as many pairs of texts as the dimension has indices, or fewer. The dimensions
  /// "string_<length>" and "key_and_value" come before that one.
  int map_field(std::string name, Index length, const std::string& dimension);

  const RankDescription& description() const { return description_; }
  const ModelField& operator[](int field) const {
    return description_.fields[static_cast<std::size_t>(field)];
  }
  int field_count() const { return static_cast<int>(description_.fields.size()); }
  std::vector<std::string> field_names() const;
  const OwnArray& own_array(int field) const { return own_arrays_[static_cast<std::size_t>(field)]; }
  /// The points on which a field lies. REQUIRES: it lies on some.
  const HeldPoints& points_of(int field) const { return held_[*(*this)[field].points]; }
  /// Which points this rank holds, by set. They are given away.
  std::vector<IndexRanges> take_point_indices();

 private:
  int add_text_field(ModelField field, Index length, std::vector<ModelDimension> pairs);
  void require_dimension(const ModelDimension& inner, const std::string& field) const;
  void require_no_points(const ModelField& field) const;
  Index size_of_points(const ModelPoints& points) const;
  std::optional<std::uint32_t> points_among(const ModelField& field) const;
  PointDimensions dimensions_along(std::uint32_t points, const ModelField& field) const;
  PointDimensions lay_on_points(std::uint32_t points, ModelField& field) const;

  RankDescription description_;
  std::vector<HeldPoints> held_;      ///< by index into RankDescription::points
  std::vector<OwnArray> own_arrays_;  ///< by field
};

}  // namespace pileus
