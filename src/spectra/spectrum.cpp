// spectrum, cospectrum: how the variance of a value, or the covariance of two, is spread over wavenumbers.

#include <algorithm>
#include <utility>

#include "core/missing.h"
#include "spectra/line_spectra.h"
#include "spectra/plane_spectra.h"

namespace pileus::operators {
namespace {

using spectra::Axis;
using spectra::Source;

/// What lies side by side in one has to in the other.
void check_alike(const Rule& rule) {
  const Quantity &one = rule.input("field"), &other = rule.input("with");
  const bool is_alike =
      std::ranges::equal(one.dimensions, other.dimensions, {}, &Dimension::name, &Dimension::name);
  if (is_alike) return;
  throw ParameterError(
      "with", "\"" + one.name + "\" and \"" + other.name + "\" need the same dimensions, in the same order");
}

template <class Spectra>
auto computing(Spectra spectra) {
  return [spectra = std::move(spectra)](const std::vector<Part>& inputs, const ResultPart& result) {
    spectra.compute(inputs, result);
  };
}

Prepared prepare_spectrum(const Rule& rule, const std::vector<std::string>& parameters) {
  const Quantity& field = rule.input("field");
  const std::vector<Axis> axes = spectra::axes_of(rule, field, spectra::window_of(rule));
  if (parameters.size() > 1) check_alike(rule);
  std::vector<Source> sources;
  for (const std::string& one : parameters) sources.push_back(spectra::source_of(rule, one, axes));
  Prepared prepared;
  const Dimension wavenumbers = spectra::wavenumbers_of(axes);
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if (d == axes.front().at) prepared.result.dimensions.push_back(wavenumbers);
    if (std::ranges::find(axes, d, &Axis::at) == axes.end())
      prepared.result.dimensions.push_back(field.dimensions[d]);
  }
  const bool may_be_missing =
      std::ranges::any_of(sources, [](const Source& one) { return one.missing.has_value(); });
  if (may_be_missing) prepared.result.missing = kMissing;
  prepared.region = spectra::region_of_one(field, prepared.result, axes.size());
  const spectra::Detrend detrend = spectra::detrend_of(rule);
  if (axes.size() == 1) {
    prepared.compute = computing(spectra::LineSpectra(axes.front(), detrend, std::move(sources)));
  } else {
    spectra::PlaneSpectra planes(axes, detrend, std::move(sources));
    prepared.working_bytes = planes.working_bytes();
    prepared.compute = computing(std::move(planes));
  }
  return prepared;
}

std::vector<Parameter> options() {
  return {{"dimensions",
           ParameterKind::names,
           true,
           "",
           {},
           "one dimension, or two for rings of wavenumbers around 0; their coordinates are evenly spaced"},
          {"window",
           ParameterKind::word,
           false,
           "none",
           {"none", "hann"},
           "what elements are multiplied with before the transform; the result is scaled by its mean square"},
          {"detrend",
           ParameterKind::word,
           false,
           "mean",
           {"none", "mean", "linear"},
           "what is taken off each line or plane: nothing, its mean, or its line of least squares"},
          {"spacing",
           ParameterKind::numbers,
           false,
           "",
           {},
           "the distance of two elements; that of the coordinates when left out, and 1 without any"}};
}

}  // namespace

Operator spectrum() {
  std::vector<Parameter> parameters = options();
  parameters.insert(parameters.begin(), {"field", ParameterKind::name, true, "", {}, "the field or result"});
  return {
      "spectrum",
      "The power spectral density of a field along one dimension or over a plane. Its sum, times the step "
      "of wavenumbers, is the variance.",
      std::move(parameters),
      [](const Rule& rule) { return prepare_spectrum(rule, {"field"}); },
      true,
      "dimensions"};
}

Operator cospectrum() {
  std::vector<Parameter> parameters = options();
  parameters.insert(parameters.begin(),
                    {{"field", ParameterKind::name, true, "", {}, "the field or result"},
                     {"with", ParameterKind::name, true, "", {}, "the other one, on the same dimensions"}});
  return {
      "cospectrum",
      "The co-spectral density of two fields along one dimension or over a plane. Its sum, times the step "
      "of wavenumbers, is their covariance.",
      std::move(parameters),
      [](const Rule& rule) {
        return prepare_spectrum(rule, {"field", "with"});
      },
      true,
      "dimensions"};
}

}  // namespace pileus::operators
