#pragma once
// Plans with regriddings between random grids, of inputs that lie on model ranks in random boxes, and where
// each element of these lies. No configuration is needed for them.

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exec/seeded_random.h"
#include "plan/plan.h"

namespace pileus::testing {

/// The input of one rule.
struct RegridInput {
  std::size_t group = 0;
  Spread spread = Spread::distributed;
  ElementType type = ElementType::float64;
  std::optional<double> missing = {};
  Extents extents;
  std::vector<int> axes;
  LinkSum sum = LinkSum::weighted;
  LinkMissing if_missing = LinkMissing::scaled;
  std::vector<Region> held;  ///< by rank
};

/// Rules with the same links.
struct LinkedGrids {
  Extents source, target;
  bool keeps_dimensions = false;  ///< the result has those of the input
  LinkRows links;
};

/// A point of a grid, and the place of an element among those of one point, fastest dimension first.
struct ElementPlace {
  Index point = 0, other = 0;
  friend bool operator==(const ElementPlace&, const ElementPlace&) = default;
};

inline Index product(const Extents& extents) { return Region{{}, extents}.size(); }

/// Goes through the elements of a box, the fastest dimension first, by their positions in the whole.
template <class Visit>
void for_each_position(const Region& box, Visit visit) {
  for (Index element = 0; element < box.size(); ++element) {
    Extents position;
    Index rest = element;
    for (std::size_t d = 0; d < box.count.size(); ++d) {
      position.push_back(box.start[d] + rest % box.count[d]);
      rest /= box.count[d];
    }
    visit(position);
  }
}

inline ElementPlace place_of(const Extents& position, const Extents& extents, const std::vector<int>& axes) {
  ElementPlace place;
  Index points = 1, others = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const bool is_axis = std::ranges::count(axes, static_cast<int>(d)) > 0;
    (is_axis ? place.point : place.other) += position[d] * (is_axis ? points : others);
    (is_axis ? points : others) *= extents[d];
  }
  return place;
}

inline Region whole_of(const Extents& extents) { return {Extents(extents.size()), extents}; }

/// The points of which a box has elements.
inline std::set<Index> points_of(const Region& box, const Extents& extents, const std::vector<int>& axes) {
  std::set<Index> points;
  for_each_position(box, [&](const Extents& at) { points.insert(place_of(at, extents, axes).point); });
  return points;
}

struct RegridModel {
  ClientRank ranks = 1;
  ServerRank servers = 1;
  std::vector<ServerRank> served_by;
  std::vector<LinkedGrids> groups;
  std::vector<RegridInput> inputs;  ///< by rule

  static RegridModel random(std::uint64_t seed, bool has_holes = false);

  ServerRank server_of(ClientRank rank) const { return served_by[rank]; }
  /// The points of the result that the rank's stream gets: of the slowest dimension from r n / ranks on.
  IndexSet::Range range_of(std::size_t group, ClientRank rank) const {
    const Extents& target = groups[group].target;
    const Index rows = target.back(), of_one = product(target) / rows;
    const Index first = rows * rank / ranks, end = rows * (rank + 1) / ranks;
    return {first * of_one, (end - first) * of_one};
  }
  /// Points of the source that the stream needs.
  std::set<Index> needed(std::size_t group, ClientRank rank) const {
    const LinkRows& links = groups[group].links;
    const IndexSet::Range range = range_of(group, rank);
    const auto at = [&](Index row) {
      return links.source.begin() + static_cast<std::ptrdiff_t>(links.begin[static_cast<std::size_t>(row)]);
    };
    return {at(range.first), at(range.end())};
  }
  /// Points of a rule's input that the rank holds. Of what is the same everywhere rank 0's counts.
  std::set<Index> held_points(std::size_t rule, ClientRank rank) const {
    const RegridInput& input = inputs[rule];
    if (input.spread == Spread::same && rank > 0) return {};
    return points_of(input.held[rank], input.extents, input.axes);
  }
  LinkRows rows(std::size_t group, Index first, Index count) const;
  Extents result_extents(std::size_t rule) const;
  std::vector<int> result_axes(std::size_t rule) const;
  Plan plan() const;

 private:
  void add_group(SeededRandom& random);
  void add_rule(SeededRandom& random, std::size_t group, bool has_holes);
};

inline LinkRows RegridModel::rows(std::size_t group, Index first, Index count) const {
  const LinkRows& links = groups[group].links;
  LinkRows some;
  for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(first + count); ++row) {
    for (std::uint64_t link = links.begin[row]; link < links.begin[row + 1]; ++link) {
      some.source.push_back(links.source[link]);
      if (!links.weight.empty()) some.weight.push_back(links.weight[link]);
    }
    some.begin.push_back(some.source.size());
  }
  return some;
}

/// The dimensions of the points of the result stand where the first of those of the input did.
inline Extents RegridModel::result_extents(std::size_t rule) const {
  const RegridInput& input = inputs[rule];
  const LinkedGrids& grids = groups[input.group];
  if (grids.keeps_dimensions) return input.extents;
  Extents extents;
  for (std::size_t d = 0; d < input.extents.size(); ++d) {
    if (static_cast<int>(d) == input.axes.front())
      for (const Index size : grids.target) extents.push_back(size);
    if (std::ranges::count(input.axes, static_cast<int>(d)) == 0) extents.push_back(input.extents[d]);
  }
  return extents;
}

inline std::vector<int> RegridModel::result_axes(std::size_t rule) const {
  const LinkedGrids& grids = groups[inputs[rule].group];
  if (grids.keeps_dimensions) return inputs[rule].axes;
  std::vector<int> axes;
  for (std::size_t d = 0; d < grids.target.size(); ++d)
    axes.push_back(inputs[rule].axes.front() + static_cast<int>(d));
  return axes;
}

inline Plan RegridModel::plan() const {
  Plan plan;
  plan.layout = {ranks, servers, served_by};
  plan.regrids.resize(groups.size());
  std::vector<std::vector<Region>> regions(ranks);
  const auto add_value = [&](const Extents& extents) -> Value& {
    Value value;
    for (const Index size : extents) {
      value.dimensions.emplace_back(plan.dimensions.size());
      plan.dimensions.push_back({"d" + std::to_string(plan.dimensions.size()), size, {}, ""});
    }
    return plan.values.emplace_back(std::move(value));
  };
  for (std::size_t r = 0; r < inputs.size(); ++r) {
    const RegridInput& input = inputs[r];
    const LinkedGrids& grids = groups[input.group];
    PlannedField field;
    field.value = ValueId(plan.values.size());
    field.type = input.type;
    plan.fields.push_back(std::move(field));
    Value& given = add_value(input.extents);
    given.spread = input.spread;
    given.type = input.type;
    given.missing = input.missing;
    given.field = FieldId(r);
    for (ClientRank rank = 0; rank < ranks; ++rank) regions[rank].push_back(input.held[rank]);

    auto how = std::make_shared<Regridding>();
    how->axes = input.axes;
    for (const Index size : grids.keeps_dimensions ? Extents() : grids.target)
      how->dimensions.push_back({"", size});
    how->links = [self = *this, group = input.group](Index first, Index count) {
      return self.rows(group, first, count);
    };
    how->links_name = "links " + std::to_string(input.group);
    how->sum = input.sum;
    how->missing = input.if_missing;
    how->has_holes = true;
    how->target_size = product(grids.target);
    how->source_size = product(grids.source);
    const ValueId from(plan.values.size() - 1), to(plan.values.size());
    add_value(result_extents(r)).rule = RuleId(r);
    plan.rules.push_back({"rule " + std::to_string(r), {}, {from}, to, Regrid{std::move(how)}});
    plan.regrids[input.group].rules.emplace_back(r);
  }
  plan.regions = RankRegions(regions);
  return plan;
}

/// Cuts a box into others at random, some of which are empty.
inline std::vector<Region> random_boxes(SeededRandom& random, const Region& box, std::size_t count) {
  if (count == 1) return {box};
  Region low = box, high = box;
  const std::size_t d = random.below(box.count.size());
  low.count[d] = static_cast<Index>(random.below(static_cast<std::uint64_t>(box.count[d]) + 1));
  high.start[d] += low.count[d];
  high.count[d] -= low.count[d];
  const std::size_t below = 1 + random.below(count - 1);
  std::vector<Region> boxes = random_boxes(random, low, below);
  for (const Region& one : random_boxes(random, high, count - below)) boxes.push_back(one);
  return boxes;
}

inline Extents random_extents(SeededRandom& random, std::size_t rank, std::uint64_t most) {
  Extents extents;
  for (std::size_t d = 0; d < rank; ++d) extents.push_back(static_cast<Index>(1 + random.below(most)));
  return extents;
}

inline void RegridModel::add_group(SeededRandom& random) {
  LinkedGrids grids;
  grids.source = random_extents(random, 1 + random.below(3), random.below(4) == 0 ? 14 : 6);
  grids.keeps_dimensions = random.below(3) == 0;
  grids.target = grids.keeps_dimensions ? grids.source : random_extents(random, 1 + random.below(2), 7);
  const bool has_weights = random.below(2) == 0;
  const std::uint64_t gap = 1 + random.below(40);
  for (Index row = 0; row < product(grids.target); ++row) {
    for (auto point = static_cast<Index>(random.below(gap)); point < product(grids.source);
         point += static_cast<Index>(1 + random.below(gap))) {
      grids.links.source.push_back(point);
      if (has_weights) grids.links.weight.push_back(static_cast<double>(random.below(900)) / 7 - 20);
    }
    grids.links.begin.push_back(grids.links.source.size());
  }
  groups.push_back(std::move(grids));
}

inline void RegridModel::add_rule(SeededRandom& random, std::size_t group, bool has_holes) {
  const LinkedGrids& grids = groups[group];
  RegridInput input;
  input.group = group;
  input.spread = random.below(5) == 0 ? Spread::same : Spread::distributed;
  input.type = std::array{ElementType::float64, ElementType::float32, ElementType::int32, ElementType::int64,
                          ElementType::boolean}[random.below(5)];
  const bool is_whole = input.type == ElementType::int32 || input.type == ElementType::int64;
  if (input.type != ElementType::boolean && random.below(2) == 0) input.missing = is_whole ? -9 : -9.1;
  const std::uint64_t before = random.below(2), behind = random.below(2), amid = random.below(3);
  const auto add_other = [&] { input.extents.push_back(static_cast<Index>(1 + random.below(4))); };
  if (before == 1) add_other();
  for (std::size_t d = 0; d < grids.source.size(); ++d) {
    if (d == 1 && amid == 0) add_other();
    input.axes.push_back(static_cast<int>(input.extents.size()));
    input.extents.push_back(grids.source[d]);
  }
  if (behind == 1) add_other();
  input.sum = random.below(3) == 0         ? LinkSum::copy
              : grids.links.weight.empty() ? LinkSum::mean
                                           : LinkSum::weighted;
  input.if_missing = random.below(2) == 0 ? LinkMissing::scaled : LinkMissing::missing;
  input.held.assign(ranks, whole_of(input.extents));
  if (input.spread == Spread::distributed)
    input.held = random_boxes(random, whole_of(input.extents), ranks + (has_holes ? 2 : 0));
  for (std::size_t i = input.held.size(); i > 1; --i)
    std::swap(input.held[i - 1], input.held[random.below(i)]);
  input.held.resize(ranks);
  inputs.push_back(std::move(input));
}

inline RegridModel RegridModel::random(std::uint64_t seed, bool has_holes) {
  SeededRandom random(seed);
  RegridModel model;
  model.ranks = static_cast<ClientRank>(1 + random.below(7));
  model.servers = static_cast<ServerRank>(1 + random.below(4));
  for (ClientRank rank = 0; rank < model.ranks; ++rank)
    model.served_by.push_back(rank == 0 ? 0 : static_cast<ServerRank>(random.below(model.servers)));
  for (std::uint64_t group = 0, count = 1 + random.below(2); group < count; ++group) {
    model.add_group(random);
    for (std::uint64_t rules = 1 + random.below(3); rules > 0; --rules)
      model.add_rule(random, group, has_holes);
  }
  return model;
}

}  // namespace pileus::testing
