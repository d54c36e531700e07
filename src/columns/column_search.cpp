#include "columns/column_search.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "functions/elementary.h"

namespace pileus::operators {
ColumnSearch::ColumnSearch(std::vector<double> places, Method method, Outside outside)
    : places_(std::move(places)),
      scaled_(places_),
      method_(method),
      outside_(outside),
      rising_(places_.size()) {
  std::iota(rising_.begin(), rising_.end(), std::size_t{0});
  if (places_.size() > 1 && places_[0] > places_[1]) std::ranges::reverse(rising_);
  if (method_ != Method::log) return;
  for (double& place : scaled_) place = logarithm(place);
}

/// Two places may have one logarithm: then the node with the lower place counts.
void ColumnSearch::take_logarithms(std::span<Bracket> brackets) {
  constexpr std::size_t kAtOnce = 32;
  std::array<double, 2 * kAtOnce> places, logarithms_of_them;
  for (; !brackets.empty(); brackets = brackets.subspan(std::min(kAtOnce, brackets.size()))) {
    const std::span<Bracket> some = brackets.first(std::min(kAtOnce, brackets.size()));
    for (std::size_t i = 0; i < some.size(); ++i) {
      // What has no value, or that of one node, needs none.
      places[2 * i] = some[i].lower == some[i].upper ? 1 : some[i].at_lower;
      places[2 * i + 1] = some[i].lower == some[i].upper ? 1 : some[i].at_upper;
    }
    logarithms(std::span(places).first(2 * some.size()), logarithms_of_them.data());
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i].at_lower = logarithms_of_them[2 * i];
      some[i].at_upper = logarithms_of_them[2 * i + 1];
      if (some[i].at_lower == some[i].at_upper) some[i].upper = some[i].lower;
    }
  }
}

}  // namespace pileus::operators
