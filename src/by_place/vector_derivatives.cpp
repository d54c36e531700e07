// vorticity, divergence: of the two components of a horizontal vector, across the borders of model ranks.

#include <algorithm>
#include <span>

#include "by_place/neighbours.h"
#include "core/missing.h"

namespace pileus::operators {
namespace {

enum class OfVectors { vorticity, divergence };

/// How the derivatives of two components are put together: that to the east first.
class TwoDerivatives {
 public:
  TwoDerivatives(const Rule& rule, OfVectors what) : what_(what) {
    const Quantity &u = rule.input("u"), &v = rule.input("v");
    const std::vector<std::string> names = rule.list("dimensions");
    if (names.size() != 2)
      throw ParameterError("dimensions", "two are needed, that of x and that of y, for example \"x,y\"");
    const Quantity &to_east = what == OfVectors::vorticity ? v : u,
                   &to_north = what == OfVectors::vorticity ? u : v;
    if (u.dimensions != v.dimensions)
      throw ParameterError("v", "\"" + u.name + "\" and \"" + v.name + "\" have other dimensions");
    for (const std::string& name : names) axes_.push_back(rule.axis("dimensions", u, name));
    if (axes_[0] == axes_[1]) throw ParameterError("dimensions", "\"" + names[0] + "\" is there twice");
    const Dimension &x = to_east.dimensions[axis(0)], &y = to_north.dimensions[axis(1)];
    if (is_longitude(x) != is_latitude(y))
      throw ParameterError("dimensions", "\"" + names[0] + "\" and \"" + names[1] +
                                             "\" have to be the longitudes and the latitudes, in this order, "
                                             "or neither");
    if (is_longitude(x)) sphere_.emplace(rule, y, axis(1));
    x_.emplace(rule, to_east, axes_[0], "dimensions", Derivative::first);
    y_.emplace(along_y(rule), to_north, axes_[1], "dimensions", Derivative::first);
    missing_x_ = missing_of(to_east);
    missing_y_ = missing_of(to_north);
  }

  bool may_be_missing() const {
    return missing_x_ || missing_y_ || x_->may_be_missing() || y_->may_be_missing() ||
           (sphere_ && sphere_->has_poles());
  }

  /// By input, u before v.
  std::vector<std::vector<Halo>> halos(std::size_t rank) const {
    std::vector<Halo> to_east(rank), to_north(rank);
    to_east[axis(0)] = x_->halo();
    to_north[axis(1)] = y_->halo();
    return what_ == OfVectors::vorticity ? std::vector{to_north, to_east} : std::vector{to_east, to_north};
  }

  /// One piece after the other of those that lie behind both dimensions, as they stay in the caches.
  void compute(const std::vector<Part>& inputs, const ResultPart& result) const {
    const bool is_vorticity = what_ == OfVectors::vorticity;
    const std::size_t dimensions = std::max(axis(0), axis(1)) + 1;
    const auto first_of = [&](Region region) {
      for (std::size_t d = dimensions; d < region.count.size(); ++d) region.count[d] = 1;
      return region;
    };
    const Region region = first_of(result.region);
    Part to_east = inputs[is_vorticity ? 1 : 0], to_north = inputs[is_vorticity ? 0 : 1];
    to_east.region = first_of(to_east.region), to_north.region = first_of(to_north.region);
    const Index size = region.size(), pieces = result.region.size() / size;
    std::vector<double> scaled, others(static_cast<std::size_t>(size));
    auto* values = result.as<double>().data();
    for (Index piece = 0; piece < pieces; ++piece, values += size) {
      x_->compute(to_east, missing_x_, region, values);
      const Part north = sphere_ ? sphere_->times_cosine(to_north, missing_y_, scaled) : to_north;
      y_->compute(north, missing_y_, region, others.data());
      put_together(values, others, is_vorticity ? -1 : 1);
      if (sphere_) sphere_->divide(region, false, values);
      for (Part* const one : {&to_east, &to_north})
        one->first = static_cast<const double*>(one->first) + one->region.size();
    }
  }

 private:
  void put_together(double* values, std::span<const double> others, double sign) const {
    if (!may_be_missing()) {
      for (std::size_t i = 0; i < others.size(); ++i) values[i] += sign * others[i];
      return;
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
      const bool is_missing = (values[i] == kMissing) | (others[i] == kMissing);
      values[i] = is_missing ? kMissing : values[i] + sign * others[i];
    }
  }
  std::size_t axis(std::size_t i) const { return static_cast<std::size_t>(axes_[i]); }

  /// Each direction has a border of its own.
  static Rule along_y(Rule rule) {
    for (const std::string parameter : {"border", "period", "spacing"})
      rule.parameters[parameter] = rule.text(parameter + "_y");
    return rule;
  }

  OfVectors what_;
  std::vector<int> axes_;  ///< x, y
  std::optional<Differences> x_, y_;
  std::optional<Sphere> sphere_;
  std::optional<double> missing_x_, missing_y_;
};

Prepared prepare_of_vectors(const Rule& rule, OfVectors what) {
  const TwoDerivatives pair(rule, what);
  Prepared prepared;
  prepared.result = {"", Type::float64, rule.input("u").dimensions};
  if (pair.may_be_missing()) prepared.result.missing = kMissing;
  prepared.halos = pair.halos(prepared.result.dimensions.size());
  prepared.compute = [pair](const std::vector<Part>& inputs, const ResultPart& result) {
    pair.compute(inputs, result);
  };
  return prepared;
}

Operator of_vectors(const std::string& name, const std::string& help, OfVectors what) {
  std::vector<Parameter> parameters = {
      {"u", ParameterKind::name, true, "", {}, "the component along the first dimension, to the east"},
      {"v", ParameterKind::name, true, "", {}, "the component along the second dimension, to the north"},
      {"dimensions", ParameterKind::names, true, "", {}, "the two dimensions, \"x,y\" or \"lon,lat\""}};
  const std::vector<Parameter> shared = derivative_parameters();
  for (const Parameter& one : shared) parameters.push_back(one);
  for (Parameter one : shared) {
    if (one.name == "radius") continue;
    one.name += "_y";
    one.help = "the same for the second dimension";
    parameters.push_back(std::move(one));
  }
  return {name, help, std::move(parameters),
          [what](const Rule& rule) { return prepare_of_vectors(rule, what); }, true};
}

}  // namespace

Operator vorticity() {
  return of_vectors(
      "vorticity",
      "The vertical vorticity dv/dx - du/dy of a horizontal vector; along longitudes and latitudes "
      "that on the sphere.",
      OfVectors::vorticity);
}

Operator divergence() {
  return of_vectors(
      "divergence",
      "The divergence du/dx + dv/dy of a horizontal vector; along longitudes and latitudes that on "
      "the sphere.",
      OfVectors::divergence);
}

}  // namespace pileus::operators
