#include "distributions/groups.h"

#include <algorithm>
#include <cmath>

#include "core/missing.h"

namespace pileus::distributions {
namespace {

using operators::ParameterError;
using operators::Part;
using operators::Quantity;
using operators::Region;
using operators::Type;

/// Where all combinations of some dimensions lie, the first the fastest.
std::vector<Index> places(const std::vector<Index>& counts, const std::vector<Index>& strides) {
  std::vector<Index> all = {0};
  for (std::size_t d = 0; d < counts.size(); ++d) {
    const std::size_t before = all.size();
    for (Index i = 1; i < counts[d]; ++i)
      for (std::size_t k = 0; k < before; ++k) all.push_back(all[k] + i * strides[d]);
  }
  return all;
}

}  // namespace

Missing::Missing(const Quantity& value) : missing_(value.missing) {
  if (missing_ && value.type == Type::float32) missing_ = as_stored(*missing_, ElementType::float32);
}

Groups::Groups(const operators::Rule& rule, const Quantity& field, const std::string& parameter)
    : field_(field), missing_(field) {
  for (const std::string& name : rule.list(parameter)) {
    const auto at = static_cast<std::size_t>(rule.axis(parameter, field, name));
    if (std::ranges::count(axes_, at) > 0) throw ParameterError(parameter, "\"" + name + "\" is there twice");
    axes_.push_back(at);
  }
  if (axes_.empty()) throw ParameterError(parameter, "there is no dimension");
  std::ranges::sort(axes_);
}

std::vector<operators::Dimension> Groups::others() const {
  std::vector<operators::Dimension> others;
  for (std::size_t d = 0; d < field_.dimensions.size(); ++d)
    if (std::ranges::count(axes_, d) == 0) others.push_back(field_.dimensions[d]);
  return others;
}

Groups::Laid Groups::laid(const Region& part) const {
  std::vector<Index> counts[2], strides[2];
  Index stride = 1;
  for (std::size_t d = 0; d < part.count.size(); ++d) {
    const std::size_t is_along = std::ranges::count(axes_, d) > 0 ? 1 : 0;
    // What follows without a gap is one row.
    if (is_along == 1 && !counts[1].empty() && strides[1].back() * counts[1].back() == stride) {
      counts[1].back() *= part.count[d];
    } else {
      counts[is_along].push_back(part.count[d]);
      strides[is_along].push_back(stride);
    }
    stride *= part.count[d];
  }
  Laid laid;
  laid.length = counts[1].front();
  laid.stride = strides[1].front();
  counts[1].erase(counts[1].begin());
  strides[1].erase(strides[1].begin());
  laid.begins = places(counts[0], strides[0]);
  laid.rows = places(counts[1], strides[1]);
  return laid;
}

bool Groups::gather(const Part& part, const Laid& laid, std::size_t group,
                    std::vector<double>& values) const {
  values.resize(laid.size());
  double* to = values.data();
  std::int64_t nans = 0;
  const auto take = [&](auto value) {
    for (Index i = 0; i < laid.length; ++i) {
      to[i] = value(i);
      nans += std::isnan(to[i]) ? 1 : 0;
    }
    to += laid.length;
  };
  for (const Index row : laid.rows) {
    const Index first = laid.begins[group] + row;
    const double* const from = static_cast<const double*>(part.first) + first;
    if (part.type != Type::float64)
      take([&](Index i) { return part.number(first + i * laid.stride); });
    else if (laid.stride == 1)
      take([&](Index i) { return from[i]; });
    else
      take([&](Index i) { return from[i * laid.stride]; });
  }
  if (missing_.may_be()) std::erase_if(values, [&](double value) { return missing_.is(value); });
  return nans > 0;
}

std::function<Region(const std::vector<Region>&)> Groups::region_of_one(
    const std::vector<operators::Dimension>& made) const {
  if (has_others()) return {};
  return [made](const std::vector<Region>& inputs) {
    const bool has_all = std::ranges::all_of(inputs, [](const Region& one) { return one.size() > 0; });
    Region region;
    for (const operators::Dimension& one : made) {
      region.start.push_back(0);
      region.count.push_back(has_all ? one.size : 0);
    }
    return region;
  };
}

}  // namespace pileus::distributions
