#pragma once
// The windows of manipulations of pairs: of a field and the one that it is taken with. A pair counts where
// both have values.

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "loops/double_double.h"
#include "math/square_root.h"
#include "time/manipulations/central_moments.h"
#include "time/manipulations/elementwise.h"
#include "time/manipulations/exact_moments.h"

namespace pileus {

using Pair = std::pair<double, double>;

/// State: as of ElementwiseWindow, with add(weight, Pair).
template <class State>
class PairWindow : public ElementwiseWindow<State> {
 public:
  using ElementwiseWindow<State>::ElementwiseWindow;

  void add_pair(const Sample& sample, const Sample& other, SampleTime time) override {
    if (time.weight_s <= 0 || is_absent(sample) || is_absent(other)) return;
    this->begin(pileus::extents(sample));
    if (pileus::extents(other) != pileus::extents(sample))
      throw UsageError("the fields of a pair have different shapes");
    this->has_sample_ = true;
    const std::optional<double> missing = missing_in(sample, this->missing_);
    const std::optional<double> other_missing = missing_in(other, this->missing_);
    const std::vector<double> values = to_doubles(sample), others = to_doubles(other);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != missing && others[i] != other_missing) this->take(i, time, Pair(values[i], others[i]));
  }
};

/// What all states of pairs have for samples that are no pairs, of which `explain` asks how large they are.
template <class State>
struct OfPairs {
  void add(double weight, double value) { self().add(weight, Pair(value, value)); }
  void add(double weight, const Partial& partial) { add(weight, partial.value()); }

 private:
  State& self() { return static_cast<State&>(*this); }
};

/// Σ w·v / Σ w of products of numbers, without rounding.
class ExactMeanOfProducts {
 public:
  void add(double weight, double a, double b = 1) {
    is_lost_ = is_lost_ || !std::isfinite(a) || !std::isfinite(b);
    if (is_lost_) return;
    mean_.add_sum(ExactNumber(weight) * ExactNumber(a) * ExactNumber(b), ExactNumber(1));
    ExactSum weights;
    weights.add(weight);
    mean_.add_weights(weights);
  }
  std::optional<ExactFraction> exact() const {
    const auto fraction = is_lost_ ? std::nullopt : mean_.exact();
    if (!fraction) return std::nullopt;
    return ExactFraction{fraction->first, fraction->second};
  }
  std::size_t allocated_bytes() const { return mean_.allocated_bytes(); }
  void encode(Bytes& out) const {
    Encoder(out).put(is_lost_);
    mean_.encode(out);
  }
  static ExactMeanOfProducts decode(std::span<const std::byte>& in) {
    ExactMeanOfProducts one;
    Decoder decoder(in);
    one.is_lost_ = decoder.get<std::uint8_t>() != 0;
    in = decoder.rest();
    one.mean_ = decode_weighted_mean(in);
    return one;
  }

 private:
  ExactWeightedMean mean_;
  bool is_lost_ = false;  ///< something is not finite, and so is no moment
};

/// Of x, y, xy, x² and y², in this order: the first N.
template <int N>
class ExactMeansOfPairs {
 public:
  void add(double weight, const Pair& pair) {
    const auto [x, y] = pair;
    const std::array<Pair, 5> products = {{{x, 1}, {y, 1}, {x, y}, {x, x}, {y, y}}};
    for (int n = 0; n < N; ++n) means_[n].add(weight, products[n].first, products[n].second);
  }
  std::optional<std::array<ExactFraction, N>> exact() const {
    std::array<ExactFraction, N> fractions;
    for (int n = 0; n < N; ++n) {
      const auto mean = means_[n].exact();
      if (!mean) return std::nullopt;
      fractions[n] = *mean;
    }
    return fractions;
  }
  std::size_t allocated_bytes() const {
    std::size_t bytes = 0;
    for (const ExactMeanOfProducts& mean : means_) bytes += mean.allocated_bytes();
    return bytes;
  }
  void encode(Bytes& out) const {
    for (const ExactMeanOfProducts& mean : means_) mean.encode(out);
  }
  void take_from(std::span<const std::byte>& in) {
    for (ExactMeanOfProducts& mean : means_) mean = ExactMeanOfProducts::decode(in);
  }

 private:
  std::array<ExactMeanOfProducts, N> means_;
};

/// The same with about 100 bits, of deviations from the first pair, in the order of the steps.
class RunningMeansOfPairs {
 public:
  void add(double weight, const Pair& pair) {
    if (!has_first_) first_ = pair;
    has_first_ = true;
    const WithError x = two_sum(pair.first, -first_.first), y = two_sum(pair.second, -first_.second);
    const DoubleDouble dx{x.high, x.error}, dy{y.high, y.error}, w{weight, 0};
    weights_.add(weight);
    const std::array<DoubleDouble, 5> products = {{dx, dy, dx * dy, dx * dx, dy * dy}};
    for (int n = 0; n < 5; ++n) sums_[n].add(w * products[n]);
  }
  /// Of x, y, xy, x² and y², as deviations.
  std::array<DoubleDouble, 5> means() const {
    std::array<DoubleDouble, 5> means;
    for (int n = 0; n < 5; ++n) means[n] = sums_[n] / weights_;
    return means;
  }
  void encode(Bytes& out) const {
    Encoder(out).put(first_.first);
    Encoder(out).put(first_.second);
    Encoder(out).put(has_first_);
    pileus::encode(weights_, out);
    for (const DoubleDouble& sum : sums_) pileus::encode(sum, out);
  }
  void take_from(std::span<const std::byte>& in) {
    Decoder decoder(in);
    first_.first = decoder.get<double>();
    first_.second = decoder.get<double>();
    has_first_ = decoder.get<std::uint8_t>() != 0;
    in = decoder.rest();
    weights_ = decode_double_double(in);
    for (DoubleDouble& sum : sums_) sum = decode_double_double(in);
  }

 private:
  Pair first_ = {0, 0};
  bool has_first_ = false;
  DoubleDouble weights_;
  std::array<DoubleDouble, 5> sums_;
};

template <class State>
State decoded(std::span<const std::byte>& in) {
  State state;
  state.take_from(in);
  return state;
}

}  // namespace pileus
