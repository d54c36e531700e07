// averaged: the mean over the window, each sample weighted by the part of the window that it stands for.
// Source: Brown et al. 2018, section III-B; architecture D2, D3, D11.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/missing.h"
#include "math/double_double.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_window.h"

namespace pileus {
namespace {

/// a / b, correct to the last bit but for ties that the 106 bits cannot tell.
double quotient(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  const double rest = std::fma(-first, b.high, a.high) + (a.low - first * b.low);
  const double corrected = first + rest / b.high;
  return std::isfinite(corrected) ? corrected : first;
}

/// Σ w·x / Σ w per grid point as below, where elements may be missing: each point has a weight of its own.
struct AverageOfPresent {
  void add(double weight, double value) {
    sum.add_product(weight, value);
    weights.add(weight);
  }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  double value() const { return quotient(sum, weights); }

  static constexpr const char* kForm = "mean of what is present";
  void encode(Bytes& out) const {
    pileus::encode(sum, out);
    pileus::encode(weights, out);
  }
  static AverageOfPresent decode(std::span<const std::byte>& in) {
    const DoubleDouble sum = decode_double_double(in);
    return {sum, decode_double_double(in)};
  }
  DoubleDouble sum, weights;
};

/// Σ w·x / Σ w per grid point, summed in the order of the steps with about 106 bits. Partials are rounded
/// first.
class RunningAverage : public Window {
 public:
  void add(const Sample& sample, double weight_s) override {
    if (weight_s <= 0 || is_absent(sample)) return;
    begin(extents(sample));
    weight_.add(weight_s);
    for (DoubleDouble& weight : weights_) weight.add(weight_s);
    const auto* array = std::get_if<Array>(&sample);
    if (!array) return add_all(std::span<const double>(to_doubles(sample)), weight_s);
    switch (array->type) {
      case ElementType::float64: return add_all(array->as<double>(), weight_s);
      case ElementType::float32: return add_all(array->as<float>(), weight_s);
      case ElementType::int32: return add_all(array->as<std::int32_t>(), weight_s);
      case ElementType::int64:
        return add_all(std::span<const std::int64_t>(array->as<std::int64_t>()), weight_s);
      case ElementType::boolean: return add_all(array->as<std::int8_t>(), weight_s);
      case ElementType::character: return;  // the Plan has no averages of texts
    }
  }

  std::optional<Array> take_record() override {
    if (!extents_) return std::nullopt;
    std::vector<double> values;
    values.reserve(sums_.size());
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const DoubleDouble& weight = weights_.empty() ? weight_ : weights_[i];
      values.push_back(weight.high > 0 ? quotient(sums_[i], weight) : kMissing);
    }
    sums_.clear();
    weights_.clear();
    weight_ = DoubleDouble{};
    return make_array(std::move(values), *std::exchange(extents_, std::nullopt));
  }

  std::size_t most_bytes() const override {
    return (sums_.capacity() + weights_.capacity()) * sizeof(DoubleDouble);
  }

  std::optional<WindowState> state() const override {
    if (!extents_) return std::nullopt;
    WindowState kept{kForm, *extents_, {}, 0, {}, {}};
    if (weights_.empty()) {
      encode(weight_, kept.common);
      kept.element_bytes = sizeof(DoubleDouble);
      const auto bytes = std::as_bytes(std::span(sums_));
      kept.elements.assign(bytes.begin(), bytes.end());
      return kept;
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      Bytes element;
      encode(sums_[i], element);
      encode(weights_[i], element);
      kept.add(element);
    }
    return kept;
  }

  void restore(const std::vector<Index>& shape, const std::vector<WindowPiece>& pieces) override {
    begin(shape);
    // Pieces that were not absent alike have weights of their own.
    weights_.resize(sums_.size());
    for (const WindowPiece& piece : pieces) {
      require_form(piece, kForm);
      for_each_element(piece, shape, [&](std::size_t place, std::span<const std::byte> bytes) {
        sums_[place] = decode_double_double(bytes);
        std::span<const std::byte> weight = piece.state.common.empty() ? bytes : piece.state.common;
        weights_[place] = decode_double_double(weight);
        require_whole(weight.empty() && (bytes.empty() || piece.state.common.empty()));
      });
    }
    const auto is_like_first = [&](const DoubleDouble& weight) {
      return weight.high == weights_[0].high && weight.low == weights_[0].low;
    };
    if (weights_.empty() || !std::ranges::all_of(weights_, is_like_first)) return;
    weight_ = weights_[0];
    weights_.clear();
  }

 private:
  static constexpr const char* kForm = "mean";
  static_assert(sizeof(DoubleDouble) == 2 * sizeof(double));

  void begin(const std::vector<Index>& shape) {
    if (extents_ && *extents_ != shape) throw UsageError("the shape of a field has changed within a window");
    if (extents_) return;
    extents_ = shape;
    sums_.resize(static_cast<std::size_t>(Region{{}, shape}.size()));
  }
  template <class T>
  void add_all(std::span<const T> values, double weight_s) {
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i].add_product(weight_s, static_cast<double>(values[i]));
  }
  /// In two doubles, which hold all of them.
  void add_all(std::span<const std::int64_t> values, double weight_s) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const std::int64_t low = values[i] & 0xFFFFFFFF;
      sums_[i].add_product(weight_s, static_cast<double>(values[i] - low));
      sums_[i].add_product(weight_s, static_cast<double>(low));
    }
  }

  std::optional<std::vector<Index>> extents_;  ///< of the window's samples, once there is one
  std::vector<DoubleDouble> sums_;
  DoubleDouble weight_;
  std::vector<DoubleDouble> weights_;  ///< of each element, where they differ; else empty
};

}  // namespace

std::unique_ptr<Window> make_exact_average(std::optional<double> missing) {
  return std::make_unique<ExactWindow>(ExactWindow::Result::mean, "exact mean", missing);
}
std::unique_ptr<Window> make_running_average(std::optional<double> missing) {
  if (missing) return std::make_unique<ElementwiseWindow<AverageOfPresent>>(missing);
  return std::make_unique<RunningAverage>();
}

}  // namespace pileus
