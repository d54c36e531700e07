#pragma once
// The values that go into one result: of a part, those along some dimensions at one place of the others.

#include <cstdint>
#include <optional>
#include <vector>

#include "pileus/operator.hpp"

namespace pileus::distributions {

using operators::Index;

/// Stands in the result of what reduces all dimensions, which only one model rank has.
inline constexpr const char* kOne = "one_value";

/// Tells which elements stand for no value.
class Missing {
 public:
  explicit Missing(const operators::Quantity& value);
  bool is(double value) const { return missing_ && value == *missing_; }
  bool may_be() const { return missing_.has_value(); }

 private:
  std::optional<double> missing_;  ///< as elements are stored
};

class Groups {
 public:
  /// Along the dimensions that the parameter lists. Errors: ParameterError.
  Groups(const operators::Rule& rule, const operators::Quantity& field, const std::string& parameter);

  /// The dimensions of the field that are left.
  std::vector<operators::Dimension> others() const;
  const operators::Dimension& first_axis() const { return field_.dimensions[axes_.front()]; }
  std::size_t first_axis_at() const { return axes_.front(); }
  bool has_others() const { return axes_.size() < field_.dimensions.size(); }
  const Missing& missing() const { return missing_; }

  /// How the groups lie in a part.
  struct Laid {
    std::vector<Index> begins;     ///< of each group, in the order of the other dimensions
    std::vector<Index> rows;       ///< from the begin of a group
    Index length = 0, stride = 0;  ///< of a row

    std::size_t size() const { return rows.size() * static_cast<std::size_t>(length); }
  };
  /// Rows come in the order of the field's dimensions.
  Laid laid(const operators::Region& part) const;

  /// The values of a group that are there, in their order. Tells whether one is NaN.
  bool gather(const operators::Part& part, const Laid& laid, std::size_t group,
              std::vector<double>& values) const;

  /// For a result of which `made` are the dimensions: all of it or nothing, where no others are left.
  std::function<operators::Region(const std::vector<operators::Region>&)> region_of_one(
      const std::vector<operators::Dimension>& made) const;

 private:
  operators::Quantity field_;
  std::vector<std::size_t> axes_;  ///< positions in the field, rising
  Missing missing_;
};

}  // namespace pileus::distributions
