// in_bins, joint_histogram: into which bins values go.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/catalogue.h"
#include "core/error.h"
#include "core/missing.h"
#include "distributions/bin_finder.h"
#include "distributions/groups.h"
#include "expression/bin_edges.h"

namespace pileus::operators {
namespace {

using distributions::Missing;
using planning::middle_of_bin;

std::vector<double> edges_of(const Rule& rule, const std::string& parameter) {
  if (rule.text(parameter).find('{') != std::string::npos) return {0, 1};  // an option, in a check alone
  try {
    return planning::parse_edges(rule.text(parameter));
  } catch (const Error& error) {
    throw ParameterError(parameter, error.what());
  }
}

std::vector<double> bounds_of(const std::vector<double>& edges) {
  std::vector<double> bounds;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) bounds.insert(bounds.end(), {edges[i], edges[i + 1]});
  return bounds;
}

Dimension dimension_of(std::string name, const std::vector<double>& edges, std::string units) {
  Dimension made{std::move(name), static_cast<Index>(edges.size()) - 1, {}, std::move(units)};
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) made.coordinates.push_back(middle_of_bin(edges, i));
  return made;
}

std::string name_of_bins(const Rule& rule) {
  if (!rule.text("bins").empty()) return rule.text("bins");
  const std::string& of = rule.text("field");
  const bool is_usual =
      std::ranges::all_of(of, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return (is_usual ? of : "value") + "_in_" + std::to_string(edges_of(rule, "edges").size() - 1);
}

/// The bins of the elements of parts, of some at once.
class PartBins {
 public:
  static constexpr std::size_t kSome = 512;
  static constexpr std::uint32_t kNoValue = std::numeric_limits<std::uint32_t>::max();

  PartBins(const std::vector<double>& edges, Missing missing)
      : finder_(std::make_shared<const std::vector<double>>(edges)), missing_(missing) {}

  std::size_t count() const { return finder_.count(); }
  /// As BinFinder numbers them, kNoValue where elements stand for none. REQUIRES: at most kSome.
  void find(const Part& part, std::size_t first, std::span<std::uint32_t> bins) const {
    std::array<double, kSome> taken;
    std::span<const double> values;
    if (part.type == Type::float64) {
      values = part.as<double>().subspan(first, bins.size());
    } else {
      for (std::size_t i = 0; i < bins.size(); ++i) taken[i] = part.number(static_cast<Index>(first + i));
      values = std::span<const double>(taken).first(bins.size());
    }
    finder_.find(values, bins);
    for (std::size_t i = 0; missing_.may_be() && i < bins.size(); ++i)
      if (missing_.is(values[i])) bins[i] = kNoValue;
  }

 private:
  distributions::BinFinder finder_;
  Missing missing_;
};

Prepared prepare_in_bins(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const std::vector<double> edges = edges_of(rule, "edges");
  Prepared prepared;
  prepared.result.dimensions = field.dimensions;
  prepared.result.dimensions.push_back(dimension_of(name_of_bins(rule), edges, rule.text("units")));
  if (field.missing) prepared.result.missing = kMissing;
  prepared.compute = [finder = PartBins(edges, Missing(field))](const std::vector<Part>& inputs,
                                                                const ResultPart& result) {
    const auto size = static_cast<std::size_t>(inputs[0].region.size());
    double* const to = result.as<double>().data();
    std::array<std::uint32_t, PartBins::kSome> bins;
    for (std::size_t first = 0; first < size; first += bins.size()) {
      const std::size_t some = std::min(bins.size(), size - first);
      finder.find(inputs[0], first, std::span(bins).first(some));
      for (std::size_t i = first; i < first + some; ++i) {
        const std::size_t bin = bins[i - first];
        if (bin == PartBins::kNoValue)
          for (std::size_t b = 0; b < finder.count(); ++b) to[b * size + i] = kMissing;
        else if (bin - 1 < finder.count())
          to[(bin - 1) * size + i] = 1;
      }
    }
  };
  return prepared;
}

constexpr const char* kJoint[] = {"a", "b", "c"};

/// Of the values that are given.
std::vector<std::vector<double>> joint_edges(const Rule& rule) {
  std::vector<std::vector<double>> all;
  double bins = 1;
  for (const std::string one : kJoint) {
    const bool has_value = !rule.text(one).empty(), has_edges = !rule.text(one + "_edges").empty();
    if (has_value != has_edges)
      throw ParameterError(has_value ? one : one + "_edges",
                           one + " and " + one + "_edges are given together or left out together");
    if (has_value) all.push_back(edges_of(rule, one + "_edges"));
    if (has_value) bins *= static_cast<double>(all.back().size() - 1);
  }
  if (bins > 16384) throw ParameterError("b_edges", "more than 16384 bins of all values together");
  return all;
}

/// The number of the bin that an element's values have together, the first value's the fastest.
Prepared prepare_number(const Rule& rule) {
  std::vector<std::vector<double>> edges = joint_edges(rule);
  std::vector<std::pair<std::size_t, PartBins>> values;  // which input, and its bins
  for (const std::string one : kJoint) {
    if (rule.text(one).empty()) continue;
    const Quantity &value = rule.input(one), &first = rule.input("a");
    if (!std::ranges::equal(value.dimensions, first.dimensions, {}, &Dimension::name, &Dimension::name))
      throw ParameterError(one, "\"" + value.name + "\" and \"" + first.name +
                                    "\" need the same dimensions, in the same order");
    values.emplace_back(static_cast<std::size_t>(&value - rule.inputs.data()),
                        PartBins(edges[values.size()], Missing(value)));
  }
  Prepared prepared;
  prepared.result.dimensions = rule.input("a").dimensions;
  prepared.result.missing = kMissing;
  prepared.compute = [values](const std::vector<Part>& inputs, const ResultPart& result) {
    const std::span<double> to = result.as<double>();
    std::array<std::uint32_t, PartBins::kSome> bins;
    for (std::size_t first = 0; first < to.size(); first += bins.size()) {
      const std::size_t some = std::min(bins.size(), to.size() - first);
      double step = 1;
      for (const auto& [input, finder] : values) {
        finder.find(inputs[input], first, std::span(bins).first(some));
        const auto count = static_cast<std::uint32_t>(finder.count());
        for (std::size_t i = 0; i < some; ++i) {
          double& number = to[first + i];  // 0 at first
          number = bins[i] - 1 < count && number != kMissing ? number + step * (bins[i] - 1) : kMissing;
        }
        step *= count;
      }
    }
  };
  return prepared;
}

std::string name_of_joint(const Rule& rule, const std::string& one, std::size_t bins) {
  const std::string& of = rule.text(one);
  const bool is_usual =
      std::ranges::all_of(of, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return (is_usual ? of : one) + "_in_" + std::to_string(bins);
}

/// The last dimension of the input are the bins of all values.
Prepared prepare_unfold(const Rule& rule) {
  const std::vector<std::vector<double>> edges = joint_edges(rule);
  Prepared prepared;
  prepared.result.dimensions = rule.inputs.front().dimensions;
  if (!prepared.result.dimensions.empty()) prepared.result.dimensions.pop_back();
  prepared.result.missing = rule.inputs.front().missing;
  for (std::size_t v = 0; v < edges.size(); ++v)
    prepared.result.dimensions.push_back(
        dimension_of(name_of_joint(rule, kJoint[v], edges[v].size() - 1), edges[v], ""));
  prepared.compute = [](const std::vector<Part>& inputs, const ResultPart& result) {
    std::ranges::copy(inputs[0].as<double>(), result.as<double>().begin());
  };
  return prepared;
}

Parameter edges_parameter(const std::string& name, bool is_required, const std::string& help) {
  return {name, ParameterKind::text, is_required, "", {}, help};
}

}  // namespace

Declaration in_bins() {
  Declaration declaration(Operator{
      "in_bins",
      "1 in the bin in which a value lies and 0 in the others, which are a last dimension: averaged or "
      "accumulated over time it is the histogram of each point.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result"},
       edges_parameter(
           "edges", true,
           "the edges of the bins: \"-5:5:0.5\", \"[0, 1, 5]\", \"log:1e-6:1e-2:20\"; with \"outer:\" "
           "before them there is one more bin at either end for what lies outside"),
       {"bins", ParameterKind::text, false, "", {}, "the name of their dimension; \"w_in_20\" when left out"},
       {"units", ParameterKind::text, false, "", {}, "the unit of the edges"}},
      prepare_in_bins,
      true});
  declaration.bounds = [](const Rule& rule, const std::string& dimension) {
    return dimension == name_of_bins(rule) ? bounds_of(edges_of(rule, "edges")) : std::vector<double>();
  };
  return declaration;
}

Declaration joint_histogram() {
  Operator number{
      "joint_histogram",
      "How many elements have their values in each bin of two or three values together; with a weight, how "
      "much weight.",
      {{"a", ParameterKind::name, true, "", {}, "the first value"},
       {"b", ParameterKind::name, true, "", {}, "the second one, on the same dimensions"},
       {"c", ParameterKind::name, false, "", {}, "a third one"},
       {"dimensions", ParameterKind::names, true, "", {}, "the dimensions whose elements are counted"},
       edges_parameter("a_edges", true, "the edges of the bins of the first value, as histogram has them"),
       edges_parameter("b_edges", true, "those of the second"),
       edges_parameter("c_edges", false, "those of the third"),
       {"weight", ParameterKind::name, false, "", {}, "a field whose values are added up instead"}},
      prepare_number,
      true};
  Operator unfold = number;
  unfold.prepare = prepare_unfold;
  Declaration declaration(number);
  declaration.prepare = [](const Rule&) -> Prepared {
    throw std::runtime_error("it is a word of expressions: expression=\"joint_histogram[y,x](...)\"");
  };
  Declaration unfolding(std::move(unfold));
  unfolding.bounds = [](const Rule& rule, const std::string& dimension) {
    const std::vector<std::vector<double>> edges = joint_edges(rule);
    for (std::size_t v = 0; v < edges.size(); ++v)
      if (dimension == name_of_joint(rule, kJoint[v], edges[v].size() - 1)) return bounds_of(edges[v]);
    return std::vector<double>();
  };
  declaration.joint =
      std::make_shared<const JointBins>(JointBins{Declaration(std::move(number)), std::move(unfolding)});
  return declaration;
}

}  // namespace pileus::operators
