// quantile, median, mode: numbers that tell how the values along some dimensions are spread.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/catalogue.h"
#include "core/missing.h"
#include "distributions/groups.h"
#include "distributions/keys.h"
#include "distributions/lanes.h"
#include "distributions/order_statistics.h"

namespace pileus::operators {
namespace {

using distributions::Groups;
using distributions::kKeys;

/// Values that are brought together, 128 MiB in double precision. More are counted by their first bits.
constexpr Index kMostBroughtTogether = Index{1} << 24;
constexpr const char* kKey = "quantile_key";

std::vector<double> quantiles_of(const Rule& rule) {
  if (!rule.parameters.contains("q")) return {0.5};
  const std::vector<double> quantiles = rule.numbers("q");
  if (quantiles.empty()) throw ParameterError("q", "there is no quantile");
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    if (!(quantiles[i] >= 0 && quantiles[i] <= 1))
      throw ParameterError("q", "quantiles are from 0 to 1, for example 0.95 for the 95th percentile");
    if (i > 0 && quantiles[i] <= quantiles[i - 1]) throw ParameterError("q", "the quantiles have to rise");
  }
  return quantiles;
}

/// What is left of the field, and behind it one dimension of several quantiles.
std::vector<Dimension> dimensions_made(std::vector<Dimension> others, const Rule& rule,
                                       const std::vector<double>& quantiles) {
  if (quantiles.size() > 1) {
    Dimension made{rule.text("levels"), static_cast<Index>(quantiles.size()), quantiles, "1"};
    made.long_name = "share of the values that are below";
    others.push_back(std::move(made));
  }
  if (others.empty()) others.push_back({distributions::kOne, 1});
  return others;
}

/// A result whose groups are `made` of the values of those of the field, each by itself. `make` gets the
/// values that are there, of which there are some and none is NaN, and writes `count` numbers.
template <class Make>
Prepared reducing(const Rule& rule, const Groups& groups, std::vector<Dimension> made, std::size_t count,
                  Make make) {
  Prepared prepared;
  prepared.region = groups.region_of_one(made);
  prepared.result.dimensions = std::move(made);
  if (rule.input("field").missing) prepared.result.missing = kMissing;
  prepared.compute = [groups, count, make](const std::vector<Part>& inputs, const ResultPart& result) {
    const Groups::Laid laid = groups.laid(inputs[0].region);
    const std::span<double> to = result.as<double>();
    std::vector<double> values, found(count);
    for (std::size_t group = 0; group < laid.begins.size(); ++group) {
      const bool has_nan = groups.gather(inputs[0], laid, group, values);
      if (values.empty() || has_nan)
        std::ranges::fill(found, has_nan ? std::numeric_limits<double>::quiet_NaN() : kMissing);
      else
        make(values, found);
      for (std::size_t i = 0; i < count; ++i) to[i * laid.begins.size() + group] = found[i];
    }
  };
  return prepared;
}

/// Quantiles of small groups side by side, and of those that lack values one by one.
class SmallGroups {
 public:
  SmallGroups(const Groups& groups, const Groups::Laid& laid, std::span<const double> quantiles)
      : groups_(groups), laid_(laid), quantiles_(quantiles), lanes_(laid.size(), quantiles) {}

  /// `to`: by quantile, then by group.
  void find(const Part& part, std::span<double> to) {
    const std::size_t all = laid_.begins.size();
    std::vector<double> rows(laid_.size() * kLanes), found(quantiles_.size() * kLanes), values;
    std::vector<double> of_one(quantiles_.size());
    for (std::size_t group = 0; group < all; group += kLanes) {
      const std::size_t some = std::min(kLanes, all - group);
      bool is_whole[kLanes];
      gather(part, group, some, rows.data(), is_whole);
      lanes_.find(rows.data(), found.data());
      for (std::size_t lane = 0; lane < some; ++lane) {
        if (!is_whole[lane]) find_one(part, group + lane, values, of_one);
        for (std::size_t q = 0; q < quantiles_.size(); ++q)
          to[q * all + group + lane] = is_whole[lane] ? found[q * kLanes + lane] : of_one[q];
      }
    }
  }

  void find_one(const Part& part, std::size_t group, std::vector<double>& values,
                std::span<double> found) const {
    const bool has_nan = groups_.gather(part, laid_, group, values);
    if (values.empty() || has_nan)
      std::ranges::fill(found, has_nan ? std::numeric_limits<double>::quiet_NaN() : kMissing);
    else
      distributions::find_quantiles(values, quantiles_, found);
  }

 private:
  static constexpr std::size_t kLanes = distributions::kLanes;

  void gather(const Part& part, std::size_t group, std::size_t some, double* rows, bool* is_whole) const {
    const bool is_beside = some == kLanes && part.type == Type::float64 &&
                           laid_.begins[group + kLanes - 1] - laid_.begins[group] == Index{kLanes - 1};
    const auto* const numbers = static_cast<const double*>(part.first);
    double* to = rows;
    for (const Index row : laid_.rows) {
      for (Index i = 0; i < laid_.length; ++i, to += kLanes) {
        const Index from = row + i * laid_.stride;
        if (is_beside)
          std::copy_n(numbers + laid_.begins[group] + from, kLanes, to);
        else
          for (std::size_t lane = 0; lane < kLanes; ++lane)
            to[lane] = part.number(laid_.begins[group + std::min(lane, some - 1)] + from);
      }
    }
    std::fill_n(is_whole, kLanes, true);
    for (const double* one = rows; one < to; one += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        is_whole[lane] &= !std::isnan(one[lane]) & !groups_.missing().is(one[lane]);
  }

  const Groups& groups_;
  const Groups::Laid& laid_;
  std::span<const double> quantiles_;
  distributions::LaneQuantiles lanes_;
};

Prepared prepare_quantile(const Rule& rule) {
  const std::vector<double> quantiles = quantiles_of(rule);
  const Groups groups(rule, rule.input("field"), "dimensions");
  Prepared prepared =
      reducing(rule, groups, dimensions_made(groups.others(), rule, quantiles), quantiles.size(),
               [quantiles](std::span<double> values, std::span<double> found) {
                 distributions::find_quantiles(values, quantiles, found);
               });
  prepared.compute = [quantiles, groups, of_large = std::move(prepared.compute)](
                         const std::vector<Part>& inputs, const ResultPart& result) {
    const Groups::Laid laid = groups.laid(inputs[0].region);
    const std::size_t size = laid.size();
    if (size == 0 || size > distributions::LaneQuantiles::kMost) return of_large(inputs, result);
    SmallGroups(groups, laid, quantiles).find(inputs[0], result.as<double>());
  };
  return prepared;
}

Prepared prepare_mode(const Rule& rule) {
  const Groups groups(rule, rule.input("field"), "dimensions");
  return reducing(rule, groups, dimensions_made(groups.others(), rule, {0.5}), 1,
                  [](std::span<double> values, std::span<double> found) {
                    found[0] = distributions::most_frequent(values);
                  });
}

/// How many values of a part have which key. Parts lie at their first elements, so that each is one element;
/// what is whole lacks its dimensions.
Prepared prepare_counts(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const Groups groups(rule, field, "dimensions");
  (void)quantiles_of(rule);
  Prepared prepared;
  const bool is_whole = rule.text("method") == "whole";
  prepared.result.dimensions = is_whole ? groups.others() : field.dimensions;
  prepared.result.dimensions.insert(prepared.result.dimensions.begin(), {kKey, kKeys});
  std::vector<std::size_t> along;
  for (const std::string& name : rule.list("dimensions"))
    along.push_back(static_cast<std::size_t>(rule.axis("dimensions", field, name)));
  const auto part_of = [along](const std::vector<Region>& inputs) {
    Region region = inputs[0];
    for (const std::size_t axis : along) region.count[axis] = std::min<Index>(region.count[axis], 1);
    region.start.insert(region.start.begin(), 0);
    region.count.insert(region.count.begin(), kKeys);
    return region;
  };
  if (!is_whole) prepared.region = part_of;
  prepared.compute = [groups](const std::vector<Part>& inputs, const ResultPart& result) {
    const Groups::Laid laid = groups.laid(inputs[0].region);
    double* counts = result.as<double>().data();
    for (const Index begin : laid.begins) {
      for (const Index row : laid.rows)
        for (Index i = 0; i < laid.length; ++i) {
          const double value = inputs[0].number(begin + row + i * laid.stride);
          if (!groups.missing().is(value)) ++counts[distributions::key_of(value)];
        }
      counts += kKeys;
    }
  };
  return prepared;
}

/// Of counts, whose first dimension are keys.
Prepared prepare_of_counts(const Rule& rule) {
  const std::vector<double> quantiles = quantiles_of(rule);
  const Quantity& counts = rule.input("field");
  Prepared prepared;
  prepared.result.dimensions =
      dimensions_made({counts.dimensions.begin() + 1, counts.dimensions.end()}, rule, quantiles);
  prepared.result.missing = kMissing;
  prepared.compute = [quantiles](const std::vector<Part>& inputs, const ResultPart& result) {
    const std::span<const double> all = inputs[0].as<double>();
    const std::size_t groups = all.size() / kKeys;
    std::vector<double> found(quantiles.size());
    for (std::size_t group = 0; group < groups; ++group) {
      if (!distributions::find_quantiles_of_counts(all.subspan(group * kKeys, kKeys), quantiles, found))
        std::ranges::fill(found, kMissing);
      for (std::size_t i = 0; i < found.size(); ++i) result.as<double>()[i * groups + group] = found[i];
    }
  };
  return prepared;
}

std::vector<Parameter> common_parameters() {
  return {
      {"field", ParameterKind::name, true, "", {}, "the field or result"},
      {"dimensions", ParameterKind::names, true, "", {}, "the dimensions whose values are taken together"}};
}

Parameter method() {
  return {"method",
          ParameterKind::word,
          false,
          "auto",
          {"auto", "exact", "counts"},
          "exact, of values that one server brings together; or of counts of their first bits, at most 0.4 % "
          "from it; auto counts where more than 16777216 values go into one number"};
}

/// The operator, which counts where values are too many.
Declaration declared(Operator one) {
  Operator counts = one, finish = one;
  counts.prepare = prepare_counts;
  counts.along = "";
  finish.prepare = prepare_of_counts;
  finish.along = "";
  Declaration declaration(std::move(one));
  declaration.unit = distributions::kOne;
  declaration.counting = std::make_shared<const Counting>(
      Counting{"method", kMostBroughtTogether, Declaration(std::move(counts)), Declaration(std::move(finish)),
               "made of counts of the first bits of values: at most 0.4 % (1/256) from the exact quantile"});
  return declaration;
}

}  // namespace

Declaration quantile() {
  std::vector<Parameter> parameters = common_parameters();
  parameters.push_back(
      {"q", ParameterKind::numbers, true, "", {}, "one or several from 0 to 1, rising: 0.05, 0.5, 0.95"});
  parameters.push_back(
      {"levels", ParameterKind::text, false, "quantile", {}, "the name of the dimension of several"});
  parameters.push_back(method());
  return declared({"quantile",
                   "Quantiles of the values along some dimensions: between two values on the line, as "
                   "numpy.quantile has it. Several are a last dimension.",
                   std::move(parameters), prepare_quantile, true, "dimensions"});
}

Declaration median() {
  std::vector<Parameter> parameters = common_parameters();
  parameters.push_back(method());
  return declared({"median", "The median of the values along some dimensions.", std::move(parameters),
                   prepare_quantile, true, "dimensions"});
}

Declaration mode() {
  Declaration declaration(Operator{"mode",
                                   "The value that is there most often along some dimensions, the smallest "
                                   "of several.",
                                   common_parameters(), prepare_mode, true, "dimensions"});
  declaration.unit = distributions::kOne;
  return declaration;
}

}  // namespace pileus::operators
