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
#include "loops/double_double.h"
#include "loops/running_sums.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_window.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

/// Σ w·x / Σ w per grid point as below, where elements may be missing: each point has a weight of its own.
struct AverageOfPresent {
  void add(double weight, double value) {
    sum.add_product(weight, value);
    weights.add(weight);
  }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }
  double value() const { return sum.divide(weights); }

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
  void add(const Sample& sample, SampleTime time) override {
    const double weight_s = time.weight_s;
    if (weight_s <= 0 || is_absent(sample)) return;
    begin(extents(sample));
    weight_.add(weight_s);
    for (DoubleDouble& weight : weights_) weight.add(weight_s);
    const auto* array = std::get_if<Array>(&sample);
    if (!array) return add_all(loops_.add_doubles, to_doubles(sample).data(), weight_s);
    switch (array->type) {
      case ElementType::float64: return add_all(loops_.add_doubles, array->as<double>().data(), weight_s);
      case ElementType::float32: return add_all(loops_.add_floats, array->as<float>().data(), weight_s);
      case ElementType::int32:
        return add_all(loops_.add_integers, array->as<std::int32_t>().data(), weight_s);
      case ElementType::int64: return add_large(array->as<std::int64_t>(), weight_s);
      case ElementType::boolean: return add_all(loops_.add_doubles, to_doubles(sample).data(), weight_s);
      case ElementType::character: return;  // the Plan has no averages of texts
    }
  }

  std::optional<Array> take_record(double) override {
    if (!extents_) return std::nullopt;
    std::vector<double> values(high_.size(), kMissing);
    if (weights_.empty() && weight_.high > 0)
      loops_.divide(high_.data(), low_.data(), weight_, values.data(), values.size());
    for (std::size_t i = 0; i < weights_.size(); ++i)
      if (weights_[i].high > 0) values[i] = DoubleDouble{high_[i], low_[i]}.divide(weights_[i]);
    high_.clear();
    low_.clear();
    weights_.clear();
    weight_ = DoubleDouble{};
    return make_array(std::move(values), *std::exchange(extents_, std::nullopt));
  }

  std::size_t most_bytes() const override {
    return (high_.capacity() + low_.capacity()) * sizeof(double) + weights_.capacity() * sizeof(DoubleDouble);
  }

  std::optional<WindowState> state() const override {
    if (!extents_) return std::nullopt;
    WindowState kept{kForm, *extents_, {}, 0, {}, {}};
    if (weights_.empty()) {
      encode(weight_, kept.common);
      kept.element_bytes = 2 * sizeof(double);
      kept.elements.reserve(high_.size() * kept.element_bytes);
      for (std::size_t i = 0; i < high_.size(); ++i) encode({high_[i], low_[i]}, kept.elements);
      return kept;
    }
    for (std::size_t i = 0; i < high_.size(); ++i) {
      Bytes element;
      encode({high_[i], low_[i]}, element);
      encode(weights_[i], element);
      kept.add(element);
    }
    return kept;
  }

  void restore(const Extents& shape, const std::vector<WindowPiece>& pieces) override {
    begin(shape);
    // Pieces that were not absent alike have weights of their own.
    weights_.resize(high_.size());
    for (const WindowPiece& piece : pieces) {
      require_form(piece, kForm);
      for_each_element(piece, shape, [&](std::size_t place, std::span<const std::byte> bytes) {
        const DoubleDouble sum = decode_double_double(bytes);
        high_[place] = sum.high;
        low_[place] = sum.low;
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

  void begin(const Extents& shape) {
    if (extents_ && *extents_ != shape) throw UsageError("the shape of a field has changed within a window");
    if (extents_) return;
    extents_ = shape;
    const auto size = static_cast<std::size_t>(Region{{}, shape}.size());
    high_.assign(size, 0);
    low_.assign(size, 0);
  }
  template <class Add, class T>
  void add_all(Add add, const T* values, double weight_s) {
    add(weight_s, values, high_.data(), low_.data(), high_.size());
  }
  /// Adds integers in two doubles, which hold all of them.
  void add_large(std::span<const std::int64_t> values, double weight_s) {
    std::vector<double> upper(values.size()), lower(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t low = values[i] & 0xFFFFFFFF;
      upper[i] = static_cast<double>(values[i] - low);
      lower[i] = static_cast<double>(low);
    }
    add_all(loops_.add_doubles, upper.data(), weight_s);
    add_all(loops_.add_doubles, lower.data(), weight_s);
  }

  const detail::RunningSumLoops& loops_ = detail::running_sum_loops();
  std::optional<Extents> extents_;  ///< of the window's samples, once there is one
  std::vector<double> high_, low_;  ///< the sum of element i is high_[i] + low_[i]
  DoubleDouble weight_;
  std::vector<DoubleDouble> weights_;  ///< of each element, where they differ; else empty
};

std::unique_ptr<Window> make_average(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<ExactWindow>(ExactWindow::Result::mean, "exact mean", missing);
  if (missing) return std::make_unique<ElementwiseWindow<AverageOfPresent>>(missing);
  return std::make_unique<RunningAverage>();
}

}  // namespace

const ManipulationDeclaration& manipulations::averaged() {
  static const ManipulationDeclaration declaration = {
      .name = "averaged",
      .help = "Mean over each output period; a sample counts for the time that it stands for.",
      .cell_method = "mean",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .make_window = make_average,
      .exact_bytes = exact_window_bytes,
      .can_share_windows = true,
      .origin = UnitOrigin::kept,
      .is_of_parts = true,
      .monc_suffix = "_timeaveraged",
  };
  return declaration;
}

}  // namespace pileus
