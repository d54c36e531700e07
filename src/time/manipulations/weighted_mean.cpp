// weighted_mean: Σ w v x / Σ w v over the window, with v the other field, in which a sample counts for the
// seconds of the window that it stands for. Where the weights are 0 together there is none: NaN.

#include "time/manipulations/list.h"
#include "time/manipulations/pair_window.h"

namespace pileus {
namespace {

struct ExactMeanByWeight : OfPairs<ExactMeanByWeight> {
  using OfPairs::add;
  void add(double weight, const Pair& pair) {
    if (pair.second == 0) return;  // which does not count, whatever the value
    products.add(weight, pair.first, pair.second);
    weights.add(weight, pair.second);
  }
  double value() const {
    const auto product = products.exact(), sum = weights.exact();
    if (!product || !sum || sum->sign() == 0) return kNoMoment;
    ExactNumber numerator = product->numerator * sum->denominator;
    ExactNumber denominator = product->denominator * sum->numerator;
    return sum->sign() < 0 ? divide_rounded(-numerator, -denominator)
                           : divide_rounded(numerator, denominator);
  }
  std::size_t allocated_bytes() const { return products.allocated_bytes() + weights.allocated_bytes(); }
  void encode(Bytes& out) const {
    products.encode(out);
    weights.encode(out);
  }
  static constexpr const char* kForm = "exact weighted mean";
  static ExactMeanByWeight decode(std::span<const std::byte>& in) {
    ExactMeanByWeight state;
    state.products = ExactMeanOfProducts::decode(in);
    state.weights = ExactMeanOfProducts::decode(in);
    return state;
  }

  ExactMeanOfProducts products, weights;
};

struct RunningMeanByWeight : OfPairs<RunningMeanByWeight> {
  using OfPairs::add;
  void add(double weight, const Pair& pair) {
    if (pair.second == 0) return;
    const DoubleDouble counts = DoubleDouble{weight, 0} * DoubleDouble{pair.second, 0};
    products.add(counts * DoubleDouble{pair.first, 0});
    weights.add(counts);
  }
  double value() const { return weights.value() == 0 ? kNoMoment : (products / weights).value(); }
  void encode(Bytes& out) const {
    pileus::encode(products, out);
    pileus::encode(weights, out);
  }
  static constexpr const char* kForm = "weighted mean";
  static RunningMeanByWeight decode(std::span<const std::byte>& in) {
    RunningMeanByWeight state;
    state.products = decode_double_double(in);
    state.weights = decode_double_double(in);
    return state;
  }

  DoubleDouble products, weights;
};

std::unique_ptr<Window> make_weighted_mean(bool is_exact, std::optional<double> missing) {
  if (is_exact) return std::make_unique<PairWindow<ExactMeanByWeight>>(missing);
  return std::make_unique<PairWindow<RunningMeanByWeight>>(missing);
}

}  // namespace

const ManipulationDeclaration& manipulations::weighted_mean() {
  static const ManipulationDeclaration declaration = {
      .name = "weighted_mean",
      .help =
          "Mean over each output period, in which a sample counts for the time that it stands for times "
          "another field, with=\"v\".",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .make_window = make_weighted_mean,
      .origin = UnitOrigin::kept,
      .takes_pairs = true,
  };
  return declaration;
}

}  // namespace pileus
