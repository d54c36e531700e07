#include "lags/lag_sources.h"

#include <algorithm>
#include <utility>

#include "plan/held_regions.h"
#include "step/step_facts.h"

namespace pileus {
namespace {

bool come_alike(const Plan& plan, const Rule& one, const Rule& other) {
  return one.inputs.front() == other.inputs.front() &&
         plan[one.output].cadence == plan[other.output].cadence &&
         std::get<Lag>(one.action).at_end == std::get<Lag>(other.action).at_end;
}

std::vector<std::uint64_t> elements_by_rank(const Plan& plan, ValueId value) {
  std::vector<std::uint64_t> elements(plan.layout.clients);
  if (plan[value].spread != Spread::distributed) {
    std::ranges::fill(elements, static_cast<std::uint64_t>(whole_regions(plan)[value.index].size()));
    return elements;
  }
  std::ranges::transform(regions_of_value(plan, value), elements.begin(),
                         [](const Region& region) { return static_cast<std::uint64_t>(region.size()); });
  return elements;
}

}  // namespace

std::vector<LagSource> lag_sources(const Plan& plan, ClientRank client) {
  std::vector<LagSource> sources;
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    const Rule& rule = plan.rules[r];
    const auto* const lag = std::get_if<Lag>(&rule.action);
    if (lag == nullptr || !is_made_by(plan[rule.output], client)) continue;
    auto source = std::ranges::find_if(
        sources, [&](const LagSource& one) { return come_alike(plan, plan[one.rules.front()], rule); });
    if (source == sources.end()) source = sources.insert(source, LagSource{rule.inputs.front(), {}, 0});
    source->rules.emplace_back(r);
    source->most = std::max(source->most, lag->back);
  }
  return sources;
}

/// Rank 0 has sources that others may lack, which are alike among themselves (is_made_by).
std::vector<KeptOfSteps> kept_of_lags(const Plan& plan) {
  std::vector<KeptOfSteps> all;
  for (ClientRank first = 0; first < std::min<ClientRank>(2, plan.layout.clients); ++first) {
    for (const LagSource& source : lag_sources(plan, first)) {
      const std::vector<std::uint64_t> elements = elements_by_rank(plan, source.input);
      KeptOfSteps kept;
      for (const RuleId rule : source.rules) kept.values.push_back(plan[rule].output);
      kept.stays = static_cast<std::uint64_t>(source.most);
      kept.of_ranks.resize(plan.layout.clients);
      for (ClientRank rank = first; rank < (first == 0 ? 1 : plan.layout.clients); ++rank)
        kept.of_ranks[rank] = kKeptArrayBytes + elements[rank] * size_bytes(plan[source.input].type);
      all.push_back(std::move(kept));
    }
  }
  return all;
}

}  // namespace pileus
