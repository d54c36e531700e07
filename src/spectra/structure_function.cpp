// structure_function: mean powers of the differences of elements that lie some way apart.

#include <algorithm>
#include <utility>

#include "core/missing.h"
#include "spectra/lags.h"
#include "spectra/lines.h"

namespace pileus::operators {
namespace {

using spectra::Lags;
using spectra::Lanes;

constexpr Index kHighestOrder = 16;

Lanes power_of(Lanes base, Index order) {
  Lanes power = base;
  for (Index i = 1; i < order; ++i) power *= base;
  return power;
}

Lanes mean_power(const std::vector<Lanes>& line, std::size_t lag, bool is_periodic, Index order) {
  const std::size_t pairs = is_periodic ? line.size() : line.size() - lag;
  Lanes sum = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t other = i + lag < line.size() ? i + lag : i + lag - line.size();
    sum += power_of(line[other] - line[i], order);
  }
  for (double& one : sum.of) one /= static_cast<double>(pairs);
  return sum;
}

Prepared prepare_structure_function(const Rule& rule) {
  const Lags lags = spectra::lags_of(rule);
  const Index order = rule.whole_number("order");
  if (order < 1 || order > kHighestOrder)
    throw ParameterError("order", "an order is a whole number from 1 to " + std::to_string(kHighestOrder));
  Prepared prepared;
  prepared.result = spectra::result_by_lag(rule, lags);
  if (prepared.result.missing) prepared.result.missing = kMissing;
  prepared.region = spectra::region_of_one(rule.input("field"), prepared.result, 1);
  prepared.compute = [lags, order](const std::vector<Part>& inputs, const ResultPart& result) {
    const auto make = [&](spectra::LinesOfSources& lines, std::span<Lanes> made) {
      for (std::size_t lag = 0; lag < made.size(); ++lag)
        made[lag] = mean_power(lines[0], lag, lags.is_periodic, order);
    };
    spectra::make_by_line(lags.axis, lags.sources, inputs, result, make);
  };
  return prepared;
}

}  // namespace

Operator structure_function() {
  std::vector<Parameter> parameters = spectra::lag_parameters();
  parameters.push_back(
      {"order", ParameterKind::whole_number, false, "2", {}, "the power of the differences"});
  return {"structure_function",
          "The mean power of the differences of elements that lie some way apart along one dimension.",
          std::move(parameters),
          prepare_structure_function,
          true,
          "dimensions"};
}

}  // namespace pileus::operators
