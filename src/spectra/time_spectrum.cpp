// time_spectrum, time_cospectrum: how the variance of each element in time, or the covariance of two, is
// spread over frequencies. The windows of files give these segments of samples
// (time/segments/segments_window.h).

#include <utility>

#include "core/catalogue.h"
#include "core/missing.h"
#include "spectra/line_spectra.h"

namespace pileus::operators {
namespace {

/// Samples in the place of one dimension more, the slowest.
spectra::Axis axis_of(const Rule& rule, const Quantity& field) {
  spectra::Axis axis;
  axis.at = field.dimensions.size();
  axis.name = "time";
  axis.size = rule.whole_number("samples");
  axis.spacing = rule.number("interval");
  if (axis.size < 2) throw ParameterError("samples", "a segment has at least 2 samples");
  if (!(axis.spacing > 1e-150 && axis.spacing < 1e150))
    throw ParameterError("interval", "from one sample to the next there is some time");
  const spectra::Window window = spectra::window_of(rule);
  axis.weights = spectra::weights_of(window, axis.size);
  axis.has_window = window != spectra::Window::none;
  axis.units = "s-1";
  return axis;
}

Dimension frequencies_of(const spectra::Axis& axis, const std::string& name) {
  Dimension made{name, axis.modes(), {}, axis.units, "frequency"};
  for (Index i = 0; i < axis.modes(); ++i) made.coordinates.push_back(static_cast<double>(i) * axis.step());
  return made;
}

Prepared prepare_time_spectrum(const Rule& rule, std::size_t count) {
  const Quantity& field = rule.inputs.front();
  const spectra::Axis axis = axis_of(rule, field);
  std::vector<spectra::Source> sources;
  for (std::size_t input = 0; input < count; ++input) sources.push_back({input, {axis.at}, kMissing});
  Prepared prepared;
  prepared.result = {"", Type::float64, field.dimensions, kMissing};
  prepared.result.dimensions.push_back(frequencies_of(axis, rule.text("dimension")));
  prepared.compute = [spectra = spectra::LineSpectra(axis, spectra::detrend_of(rule), std::move(sources))](
                         const std::vector<Part>& segments, const ResultPart& result) {
    spectra.compute(segments, result);
  };
  return prepared;
}

Declaration declared(const char* name, const char* help, std::vector<Parameter> fields) {
  const std::size_t count = fields.size();
  std::vector<Parameter> parameters = std::move(fields);
  parameters.insert(
      parameters.end(),
      {{"samples", ParameterKind::whole_number, true, "", {}, "how many a segment has"},
       {"interval", ParameterKind::number, true, "", {}, "from one to the next", "s"},
       {"dimension", ParameterKind::text, false, "frequency", {}, "the name of the dimension of frequencies"},
       {"window",
        ParameterKind::word,
        false,
        "none",
        {"none", "hann"},
        "what samples are multiplied with before the transform; the result is scaled by its mean square"},
       {"detrend",
        ParameterKind::word,
        false,
        "mean",
        {"none", "mean", "linear"},
        "what is taken off each segment: nothing, its mean, or its line of least squares"}});
  Declaration declaration(Operator{name, help, std::move(parameters),
                                   [count](const Rule& rule) { return prepare_time_spectrum(rule, count); },
                                   true});
  declaration.is_in_time = true;
  return declaration;
}

}  // namespace

Declaration time_spectrum();
Declaration time_cospectrum();

Declaration time_spectrum() {
  return declared("time_spectrum",
                  "The power spectral density in time of each element, which a file makes with "
                  "time_manipulation=\"time_spectrum\".",
                  {{"field", ParameterKind::name, true, "", {}, "the field or result"}});
}

Declaration time_cospectrum() {
  return declared("time_cospectrum",
                  "The co-spectral density in time of two elements, which a file makes with "
                  "time_manipulation=\"time_spectrum\" and with=\"v\".",
                  {{"field", ParameterKind::name, true, "", {}, "the field or result"},
                   {"with", ParameterKind::name, true, "", {}, "the other one, on the same dimensions"}});
}

}  // namespace pileus::operators
