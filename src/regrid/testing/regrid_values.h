#pragma once
// What model ranks hand over in a step of a random model, and what each stream's points must become of it:
// element by element, without servers.

#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/missing.h"
#include "regrid/testing/regrid_model.h"
#include "regrid/testing/slow_sums.h"

namespace pileus::testing {

template <class T>
Array array_of(ElementType type, const std::vector<double>& numbers, const Extents& extents) {
  auto values = std::make_shared<std::vector<T>>();
  for (const double number : numbers) values->push_back(static_cast<T>(number));
  const auto* first = reinterpret_cast<const std::byte*>(values->data());
  return {type, extents, std::shared_ptr<const std::byte>(values, first)};
}

inline Array array_of(ElementType type, const std::vector<double>& numbers, const Extents& extents) {
  switch (type) {
    case ElementType::float64: return array_of<double>(type, numbers, extents);
    case ElementType::float32: return array_of<float>(type, numbers, extents);
    case ElementType::int32: return array_of<std::int32_t>(type, numbers, extents);
    case ElementType::int64: return array_of<std::int64_t>(type, numbers, extents);
    default: return array_of<std::uint8_t>(type, numbers, extents);
  }
}

/// One rule in one step.
class RegridValues {
 public:
  RegridValues(const RegridModel& model, std::size_t rule, std::uint64_t seed)
      : model_(model), rule_(rule), input_(model.inputs[rule]), random_(seed) {
    for (Index i = 0; i < product(input_.extents); ++i) whole_.push_back(element());
    Index offset = 0;
    for_each_position(whole_of(input_.extents), [&](const Extents& position) {
      const ElementPlace place = place_of(position, input_.extents, input_.axes);
      const bool is_held = std::ranges::any_of(input_.held, [&](const Region& box) {
        bool lies = true;
        for (std::size_t d = 0; d < position.size(); ++d) lies = lies && box.along(d).contains(position[d]);
        return lies;
      });
      elements_[{place.point, place.other}] = {offset++, is_held};
    });
  }

  /// What a rank has of the input.
  Array handed_over(ClientRank rank) const {
    std::vector<double> numbers;
    const Extents& extents = input_.extents;
    for_each_position(input_.held[rank], [&](const Extents& position) {
      Index offset = 0;
      for (std::size_t d = extents.size(); d-- > 0;) offset = offset * extents[d] + position[d];
      numbers.push_back(whole_[static_cast<std::size_t>(offset)]);
    });
    return array_of(input_.type, numbers, input_.held[rank].count);
  }

  /// Whether a stream gets anything where these ranks have nothing.
  bool is_there(ClientRank to, const std::set<ClientRank>& absent) const {
    bool gets_some = false;
    const std::set<Index> needed = model_.needed(input_.group, to);
    for (ClientRank from = 0; from < model_.ranks; ++from) {
      const std::set<Index> held = model_.held_points(rule_, from);
      const bool gives_some = std::ranges::any_of(held, [&](Index point) { return needed.contains(point); });
      if (gives_some && absent.contains(from)) return false;
      gets_some = gets_some || gives_some;
    }
    return gets_some || input_.spread == Spread::same || !absent.contains(to);
  }

  void expect(ClientRank to, const Sample& sample) const {
    const auto* array = std::get_if<Array>(&sample);
    ASSERT_NE(array, nullptr);
    const IndexSet::Range range = model_.range_of(input_.group, to);
    const std::vector<int> axes = model_.result_axes(rule_);
    Extents extents = model_.result_extents(rule_);
    const Extents& target = model_.groups[input_.group].target;
    extents[static_cast<std::size_t>(axes.back())] = range.count / (product(target) / target.back());
    ASSERT_EQ(array->extents, extents);
    ASSERT_EQ(array->type, ElementType::float64);
    const auto made = array->as<double>();
    std::size_t at = 0;
    for_each_position(whole_of(extents), [&](const Extents& position) {
      const ElementPlace place = place_of(position, extents, axes);
      EXPECT_TRUE(same_bits(made[at++], right(range.first + place.point, place.other)))
          << "point " << range.first + place.point << ", element " << place.other;
    });
  }

 private:
  struct Element {
    Index offset = 0;
    bool is_held = false;
  };
  double element() {
    const std::uint64_t kind = random_.below(24);
    if (input_.type == ElementType::boolean) return static_cast<double>(kind % 2);
    if (kind < 6) return input_.missing ? stored_missing() : 5;
    const double number = static_cast<double>(random_.below(2001)) / 7 - 100;
    if (input_.type == ElementType::int32 || input_.type == ElementType::int64)
      return std::trunc(number) + 0.0;  // never -0
    if (kind == 6) return -0.0;
    if (kind == 7 && random_.below(5) == 0) return std::numeric_limits<double>::quiet_NaN();
    if (kind == 8 && random_.below(5) == 0) return -std::numeric_limits<double>::infinity();
    return input_.type == ElementType::float32 ? static_cast<float>(number) : number;
  }
  double stored_missing() const { return as_stored(*input_.missing, input_.type); }

  double right(Index row, Index other) const {
    const LinkRows links = model_.rows(input_.group, row, 1);
    std::vector<LinkedElement> linked;
    for (std::size_t link = 0; link < links.source.size(); ++link) {
      const Element element = elements_.at({links.source[link], other});
      const double value = whole_[static_cast<std::size_t>(element.offset)];
      if (input_.sum == LinkSum::copy)
        return element.is_held ? value : input_.missing ? stored_missing() : kMissing;
      const bool is_missing = !element.is_held || (input_.missing && value == stored_missing());
      linked.push_back(
          {is_missing ? std::nullopt : std::optional(value), links.weight.empty() ? 1 : links.weight[link]});
    }
    return slow_sum(input_.sum, input_.if_missing, linked);
  }

  const RegridModel& model_;
  std::size_t rule_;
  const RegridInput& input_;
  SeededRandom random_;
  std::vector<double> whole_;                            ///< what is stored, also where nobody holds it
  std::map<std::pair<Index, Index>, Element> elements_;  ///< by point and place among the others
};

}  // namespace pileus::testing
