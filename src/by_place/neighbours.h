#pragma once
// What operators on neighbours share: weights of differences along a dimension, the metric of the sphere, and
// loops over a part with its halo. The order of the operations is part of the interface
// (docs/decisions/076).

#include <optional>
#include <string>
#include <vector>

#include "pileus/operator.hpp"

namespace pileus::operators {

enum class Border { periodic, one_sided, missing };
enum class Derivative { first, second };

/// Derivatives along one dimension by three neighbours, whose distances may differ. At an element whose
/// neighbours are `before` and `behind` away from it the first one is
///   before_weight * (f0 - f-) + behind_weight * (f+ - f0), with
///   before_weight = behind / (before * (before + behind)), behind_weight = before / (behind * (...));
/// the second one behind_weight * (f+ - f0) - before_weight * (f0 - f-), where each weight is
///   2 / (its own distance * (before + behind)).
class Differences {
 public:
  /// Of the dimension `axis` of `field`, with border, period and spacing of the rule. Longitudes
  /// and latitudes count in radians. Errors: ParameterError. Where the size is not known yet, it is for the
  /// desk alone.
  Differences(const Rule& rule, const Quantity& field, int axis, const std::string& parameter,
              Derivative which);

  Halo halo() const;
  Border border() const { return border_; }
  bool may_be_missing() const { return border_ == Border::missing; }
  /// Fills the result; what has no value is kMissing. The result has the dimensions of the input.
  void compute(const Part& input, std::optional<double> missing, const Region& region, double* result) const;

 private:
  /// What one element is made of: of those around `middle`, by weights; 0 where a side is not used.
  struct Element {
    Index middle = 0;
    double before = 0, behind = 0;
    bool takes_before = true, takes_behind = true, is_missing = false;
  };
  void weigh(const std::vector<double>& coordinates, double period);
  template <bool may_miss>
  void compute_row(const Element& element, const double* middle, Index stride, double missing, Index count,
                   double* to) const;
  template <bool may_miss>
  void compute_line(const double* line, Index begin, Index end, double missing, double* to) const;

  std::size_t axis_;
  Derivative which_;
  Border border_ = Border::one_sided;
  std::vector<Element> elements_;                        ///< by index
  std::vector<double> before_weights_, behind_weights_;  ///< likewise, of the differences there
};

/// Latitudes and longitudes have units that say so (CF 4.1 and 4.2).
bool is_longitude(const Dimension& dimension);
bool is_latitude(const Dimension& dimension);
/// Whether longitudes go once around the globe: the last is as far from the first as others from the next.
bool go_around(const std::vector<double>& longitudes);

/// Cosines of latitude and the radius, for fields on the sphere. At the poles nothing is defined.
class Sphere {
 public:
  /// REQUIRES: the dimension `latitude` of a field has latitudes.
  Sphere(const Rule& rule, const Dimension& latitudes, std::size_t axis);
  double radius() const { return radius_; }
  bool has_poles() const { return has_poles_; }
  /// The part times cos(latitude), in the memory of `to`; missing values stay.
  Part times_cosine(const Part& part, std::optional<double> missing, std::vector<double>& to) const;
  /// Divides what is not missing by radius * cos(latitude), or its square.
  void divide(const Region& region, bool is_squared, double* values) const;

 private:
  std::size_t axis_;
  double radius_;
  bool has_poles_ = false;
  std::vector<double> cosines_;  ///< 0 at the poles
};

/// Which elements of an input that comes in double precision are missing.
std::optional<double> missing_of(const Quantity& field);
double radius_of(const Rule& rule);
/// Along which dimension a field has latitudes, or -1.
int latitude_of(const Quantity& field);
/// border, period, spacing, radius: those of all derivatives.
std::vector<Parameter> derivative_parameters();

}  // namespace pileus::operators
