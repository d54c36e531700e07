// averaged: the mean over the window, each sample weighted by the part of the window that it stands for.
// Source: Brown et al. 2018, section III-B; architecture D2, D3, D11.

#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/missing.h"
#include "math/double_double.h"
#include "math/weighted_mean.h"
#include "time/manipulations/missing_elements.h"
#include "time/window.h"

namespace pileus {
namespace {

void require_same_shape(const std::vector<Index>& first, const std::vector<Index>& now) {
  if (first != now) throw UsageError("the shape of a field has changed within a window");
}

/// a / b, correct to the last bit but for ties that the 106 bits cannot tell.
double quotient(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  const double rest = std::fma(-first, b.high, a.high) + (a.low - first * b.low);
  const double corrected = first + rest / b.high;
  return std::isfinite(corrected) ? corrected : first;
}

/// round(Σ w·v / Σ w) with exact sums: one rounding, whatever the order.
class ExactAverage : public Window {
 public:
  explicit ExactAverage(std::optional<double> missing) : missing_(missing) {}

  void add(const Sample& sample, double weight_s) override {
    if (weight_s <= 0 || is_absent(sample)) return;
    begin(extents(sample));
    if (const auto* partials = std::get_if<PartialArray>(&sample)) {
      for (std::size_t i = 0; i < means_.size(); ++i) {
        const Partial& partial = (*partials->values)[i];
        if (!(missing_ && is_of_nothing(partial))) means_[i].add(weight_s, partial);
      }
    } else {
      const std::optional<double> missing = missing_in(sample, missing_);
      const std::vector<double> values = to_doubles(sample);
      for (std::size_t i = 0; i < means_.size(); ++i) {
        if (values[i] != missing) means_[i].add(weight_s, values[i]);
      }
    }
  }

  std::optional<Array> take_record() override {
    if (!extents_) return std::nullopt;
    std::vector<double> values;
    values.reserve(means_.size());
    for (const ExactWeightedMean& mean : means_) {
      const bool is_missing = missing_ && mean.weight() == 0;
      values.push_back(is_missing ? kMissing : mean.value());
    }
    means_.clear();
    return make_array(std::move(values), *std::exchange(extents_, std::nullopt));
  }

 private:
  void begin(const std::vector<Index>& shape) {
    if (extents_) return require_same_shape(*extents_, shape);
    extents_ = shape;
    means_.resize(static_cast<std::size_t>(Region{{}, shape}.size()));
  }

  std::optional<double> missing_;
  std::optional<std::vector<Index>> extents_;  ///< of the window's samples, once there is one
  std::vector<ExactWeightedMean> means_;
};

/// Σ w·x / Σ w per grid point as below, where elements may be missing: each point has a weight of its own.
class RunningAverageOfPresent : public Window {
 public:
  explicit RunningAverageOfPresent(double missing) : missing_(missing) {}

  void add(const Sample& sample, double weight_s) override {
    if (weight_s <= 0 || is_absent(sample)) return;
    const std::vector<Index> shape = extents(sample);
    if (extents_) {
      require_same_shape(*extents_, shape);
    } else {
      extents_ = shape;
      sums_.resize(static_cast<std::size_t>(Region{{}, shape}.size()));
      weights_.resize(sums_.size());
    }
    const double missing = *missing_in(sample, missing_);
    const std::vector<double> values = to_doubles(sample, missing);
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (values[i] == missing) continue;
      sums_[i].add_product(weight_s, values[i]);
      weights_[i].add(weight_s);
    }
  }

  std::optional<Array> take_record() override {
    if (!extents_) return std::nullopt;
    std::vector<double> values;
    values.reserve(sums_.size());
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      values.push_back(weights_[i].high > 0 ? quotient(sums_[i], weights_[i]) : kMissing);
    }
    sums_.clear();
    weights_.clear();
    return make_array(std::move(values), *std::exchange(extents_, std::nullopt));
  }

 private:
  double missing_;
  std::optional<std::vector<Index>> extents_;
  std::vector<DoubleDouble> sums_, weights_;
};

/// Σ w·x / Σ w per grid point, summed in the order of the steps with about 106 bits. Partials are rounded
/// first.
class RunningAverage : public Window {
 public:
  void add(const Sample& sample, double weight_s) override {
    if (weight_s <= 0 || is_absent(sample)) return;
    begin(extents(sample));
    weight_.add(weight_s);
    const auto* array = std::get_if<Array>(&sample);
    if (!array) return add_all(std::span<const double>(to_doubles(sample)), weight_s);
    switch (array->type) {
      case ElementType::float64: return add_all(array->as<double>(), weight_s);
      case ElementType::float32: return add_all(array->as<float>(), weight_s);
      case ElementType::int32: return add_all(array->as<std::int32_t>(), weight_s);
      case ElementType::int64: return add_all(array->as<std::int64_t>(), weight_s);
      case ElementType::boolean: return add_all(array->as<std::int8_t>(), weight_s);
      case ElementType::character: return;  // the Plan has no averages of texts
    }
  }

  std::optional<Array> take_record() override {
    if (!extents_) return std::nullopt;
    std::vector<double> values;
    values.reserve(sums_.size());
    for (const DoubleDouble& sum : sums_) values.push_back(quotient(sum, weight_));
    sums_.clear();
    weight_ = DoubleDouble{};
    return make_array(std::move(values), *std::exchange(extents_, std::nullopt));
  }

 private:
  void begin(const std::vector<Index>& shape) {
    if (extents_) return require_same_shape(*extents_, shape);
    extents_ = shape;
    sums_.resize(static_cast<std::size_t>(Region{{}, shape}.size()));
  }
  template <class T>
  void add_all(std::span<const T> values, double weight_s) {
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i].add_product(weight_s, static_cast<double>(values[i]));
  }

  std::optional<std::vector<Index>> extents_;  ///< of the window's samples, once there is one
  std::vector<DoubleDouble> sums_;
  DoubleDouble weight_;
};

}  // namespace

std::unique_ptr<Window> make_exact_average(std::optional<double> missing) {
  return std::make_unique<ExactAverage>(missing);
}
std::unique_ptr<Window> make_running_average(std::optional<double> missing) {
  if (missing) return std::make_unique<RunningAverageOfPresent>(*missing);
  return std::make_unique<RunningAverage>();
}

}  // namespace pileus
