#pragma once
// Finds places in a column: which of its nodes a value at a place is made of. The nodes' own places are the
// values of another field there, such as the pressure. Used by the operators that interpolate along columns.

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

#include "pileus/operator.hpp"

namespace pileus::operators {

enum class Method { linear, log, nearest };
enum class Outside { missing, nearest, linear };

/// A value between two nodes, or that of one node where they are the same; none where `lower` is negative.
struct Bracket {
  Index lower = -1, upper = -1;       ///< the node with the lower place, and the other
  double at_lower = 0, at_upper = 0;  ///< their places, or the logarithms of these
};

/// The places of the nodes of one column, wherever they lie in memory; NaN for one that cannot be used.
template <class Element>
struct Nodes {
  const Element* first = nullptr;
  Index step = 1;
  Index count = 0;
  double missing = 0;  ///< NaN: none
  bool is_for_logarithms = false;

  double operator[](Index node) const {
    const auto place = static_cast<double>(first[node * step]);
    const bool is_usable = place != missing && !(is_for_logarithms && !(place > 0));
    return is_usable ? place : std::numeric_limits<double>::quiet_NaN();
  }
};

/// The places that are looked for in every column. From the column's start, the first node that has the place
/// counts, or the first two neighbours with the place between them. A node that cannot be used is nobody's
/// neighbour. Source of the arithmetic: numpy.interp.
class ColumnSearch {
 public:
  /// REQUIRES: the places rise or fall; with the method log they are above 0.
  ColumnSearch(std::vector<double> places, Method method, Outside outside);

  std::size_t size() const { return places_.size(); }
  Method method() const { return method_; }
  /// Fills a bracket for each place. REQUIRES: a node.
  template <class Element>
  void find(const Nodes<Element>& nodes, Bracket* brackets) const;
  /// The value at place number `i`, of the values at the bracket's nodes.
  double between(std::size_t i, const Bracket& at, double lower, double upper) const {
    return (upper - lower) / (at.at_upper - at.at_lower) * (scaled_[i] - at.at_lower) + lower;
  }

 private:
  template <class IsBefore>
  void walk(const auto& nodes, const auto& numbers, Bracket* brackets) const;
  Bracket scan(const auto& nodes, double place) const;
  Bracket between_nodes(const auto& nodes, Index one, double place) const;
  Bracket outside(const auto& nodes, double place) const;
  static Bracket extrapolated(const auto& nodes, Index end, Index step);
  static Bracket at_node(Index node, double place) { return {node, node, place, place}; }
  static Bracket of_pair(const auto& nodes, Index one, Index other);
  static void take_logarithms(std::span<Bracket> brackets);

  std::vector<double> places_;
  std::vector<double> scaled_;  ///< the places, or their logarithms
  Method method_;
  Outside outside_;
  std::vector<std::size_t> rising_;  ///< the places' numbers, from the lowest place on
};

template <class Element>
void ColumnSearch::find(const Nodes<Element>& nodes, Bracket* brackets) const {
  const double start = nodes[0];
  const auto is_below = [&](std::size_t place) { return !(places_[place] >= start); };
  const auto above = std::ranges::partition_point(rising_, is_below);
  walk<std::less<>>(nodes, std::ranges::subrange(above, rising_.end()), brackets);
  walk<std::greater<>>(nodes, std::ranges::subrange(std::make_reverse_iterator(above), rising_.rend()),
                       brackets);
  if (method_ == Method::log) take_logarithms({brackets, places_.size()});
}

/// Looks for places on one side of the first node, from the nearest on. All nodes that are passed are on that
/// side of the place too, whatever the column does there: so one pass finds all places.
template <class IsBefore>
void ColumnSearch::walk(const auto& nodes, const auto& numbers, Bracket* brackets) const {
  constexpr IsBefore is_before;
  Index node = 0;
  double here = nodes[0];
  for (const std::size_t number : numbers) {
    const double place = places_[number];
    while (node < nodes.count && is_before(here, place)) {
      if (++node < nodes.count) here = nodes[node];
    }
    if (node == nodes.count) {
      brackets[number] = outside(nodes, place);
    } else if (here == place) {
      brackets[number] = at_node(node, place);
    } else if (std::isnan(here)) {
      brackets[number] = scan(nodes, place);
    } else {
      brackets[number] = between_nodes(nodes, node - 1, place);
    }
  }
}

/// Of any column, also one with nodes that cannot be used.
Bracket ColumnSearch::scan(const auto& nodes, double place) const {
  for (Index node = 0; node < nodes.count; ++node) {
    const double here = nodes[node];
    if (here == place) return at_node(node, place);
    if (node + 1 == nodes.count) break;
    const double next = nodes[node + 1];
    if ((here < place && next > place) || (here > place && next < place))
      return between_nodes(nodes, node, place);
  }
  return outside(nodes, place);
}

Bracket ColumnSearch::of_pair(const auto& nodes, Index one, Index other) {
  const double at_one = nodes[one], at_other = nodes[other];
  return at_one <= at_other ? Bracket{one, other, at_one, at_other} : Bracket{other, one, at_other, at_one};
}

/// REQUIRES: the place is between those of the node and of the next.
Bracket ColumnSearch::between_nodes(const auto& nodes, Index one, double place) const {
  const Bracket pair = of_pair(nodes, one, one + 1);
  if (method_ != Method::nearest) return pair;
  const bool is_lower = place - pair.at_lower <= pair.at_upper - place;
  return is_lower ? at_node(pair.lower, pair.at_lower) : at_node(pair.upper, pair.at_upper);
}

/// For a place that is nowhere in the column: beyond its ends, or in a gap.
Bracket ColumnSearch::outside(const auto& nodes, double place) const {
  if (outside_ == Outside::missing) return {};
  Index first = 0, last = nodes.count - 1;
  while (first <= last && std::isnan(nodes[first])) ++first;
  while (last > first && std::isnan(nodes[last])) --last;
  if (first > last) return {};
  const Bracket ends = of_pair(nodes, first, last);
  if (place > ends.at_lower && place < ends.at_upper) return {};
  const bool is_first = std::abs(place - nodes[first]) <= std::abs(place - nodes[last]);
  const Index end = is_first ? first : last;
  return outside_ == Outside::nearest ? at_node(end, nodes[end])
                                      : extrapolated(nodes, end, is_first ? 1 : -1);
}

/// On the line through an end and the next node that can be used.
Bracket ColumnSearch::extrapolated(const auto& nodes, Index end, Index step) {
  Index next = end + step;
  while (next >= 0 && next < nodes.count && std::isnan(nodes[next])) next += step;
  if (next < 0 || next == nodes.count) return {};
  const Bracket pair = of_pair(nodes, end, next);
  return pair.at_lower == pair.at_upper ? Bracket{} : pair;
}

}  // namespace pileus::operators
