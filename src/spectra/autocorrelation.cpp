// autocorrelation: how alike elements are that lie some way apart.

#include <algorithm>
#include <bit>
#include <utility>

#include "core/missing.h"
#include "spectra/lags.h"
#include "spectra/lines.h"
#include "spectra/transform.h"

namespace pileus::operators {
namespace {

using spectra::Detrend;
using spectra::Lags;
using spectra::Lanes;
using spectra::Modes;

/// Products of all pairs at once, as the transform of the squares of modes. Where lines end, as many zeros
/// follow as keep the ends apart.
class Correlations {
 public:
  explicit Correlations(const Lags& lags)
      : size_(transformed_size(lags)), transform_(size_), modes_(size_ / 2 + 1), powers_(size_) {}

  void make(std::vector<Lanes>& line, std::span<Lanes> made) {
    line.resize(size_, 0);
    transform_.of_real(line, modes_);
    for (std::size_t i = 0; i < size_; ++i) {
      const Modes& mode = modes_[std::min(i, size_ - i)];
      powers_[i] = spectra::common_power(mode, mode);
    }
    transform_.of_real(powers_, modes_);
    for (std::size_t lag = 0; lag < made.size(); ++lag) {
      const Lanes sum = modes_[std::min(lag, size_ - lag)].real, whole = modes_[0].real;
      for (std::size_t lane = 0; lane < spectra::kLanes; ++lane)
        made[lag].of[lane] = whole.of[lane] == 0 ? kMissing : sum.of[lane] / whole.of[lane];
    }
  }

 private:
  static std::size_t transformed_size(const Lags& lags) {
    if (lags.is_periodic) return static_cast<std::size_t>(lags.axis.size);
    return std::bit_ceil(static_cast<std::size_t>(lags.axis.size + lags.last));
  }

  std::size_t size_;
  spectra::Transform transform_;
  std::vector<Modes> modes_;
  std::vector<Lanes> powers_;
};

Prepared prepare_autocorrelation(const Rule& rule) {
  const Lags lags = spectra::lags_of(rule);
  const Detrend detrend = spectra::detrend_of(rule);
  Prepared prepared;
  prepared.result = spectra::result_by_lag(rule, lags);
  prepared.result.missing = kMissing;  // of lines without variance too
  prepared.region = spectra::region_of_one(rule.input("field"), prepared.result, 1);
  prepared.compute = [lags, detrend](const std::vector<Part>& inputs, const ResultPart& result) {
    Correlations correlations(lags);
    const auto make = [&](spectra::LinesOfSources& lines, std::span<Lanes> made) {
      spectra::detrend(detrend, lines[0]);
      correlations.make(lines[0], made);
    };
    spectra::make_by_line(lags.axis, lags.sources, inputs, result, make);
  };
  return prepared;
}

}  // namespace

Operator autocorrelation() {
  std::vector<Parameter> parameters = spectra::lag_parameters();
  parameters.push_back({"detrend",
                        ParameterKind::word,
                        false,
                        "mean",
                        {"none", "mean", "linear"},
                        "what is taken off each line: nothing, its mean, or its line of least squares"});
  return {
      "autocorrelation",
      "The products of elements that lie some way apart along one dimension, added up and divided by the sum "
      "of squares.",
      std::move(parameters),
      prepare_autocorrelation,
      true,
      "dimensions"};
}

}  // namespace pileus::operators
