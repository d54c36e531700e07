#include "explain/step_memory.h"

#include <algorithm>

#include "analytics/partial_bytes.h"
#include "analytics/rule_runner.h"
#include "server/gate/step_costs.h"
#include "transport/mpi/buffer_class.h"

namespace pileus::explain {
namespace {

std::vector<std::uint64_t> sizes_of(const std::vector<Region>& regions) {
  std::vector<std::uint64_t> sizes;
  for (const Region& region : regions) sizes.push_back(static_cast<std::uint64_t>(region.size()));
  return sizes;
}

bool is_on_rank(const Value& value, ClientRank rank) {
  if (value.spread == Spread::rooted) return false;
  return value.spread != Spread::same || value.is_everywhere || rank == 0;
}

/// Whether the stream of this model rank feeds the windows of the value.
bool is_recorded_by(const Value& value, ClientRank rank) {
  return value.spread == Spread::distributed || (value.spread == Spread::same && rank == 0);
}

/// Whether a record is what its window has gathered; otherwise it is the sample itself.
bool is_made_by_window(const Plan& plan, const Variable& variable) {
  return plan[variable.schedule].manipulation.covers_window();
}

/// What the rule takes for itself while it runs.
std::uint64_t working_bytes(const Rule& rule) {
  const auto* const applied = std::get_if<Apply>(&rule.action);
  return applied == nullptr ? 0 : applied->prepared->working_bytes;
}

std::uint64_t record_element_bytes(const Plan& plan, const Variable& variable) {
  const Value& value = plan[variable.value];
  const bool keeps_type = plan[variable.schedule].keeps_type();
  return size_bytes(keeps_type && value.form == Form::numbers ? value.type : ElementType::float64);
}

}  // namespace

StepMemory::StepMemory(const Plan& plan, const ModelDescription& model, const ServerBudget& budget)
    : plan_(plan), budget_(budget), whole_(sizes_of(whole_regions(plan))), kept_(kept_of_steps(plan)) {
  for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) {
    elements_.push_back(sizes_of(regions_of_client(plan, rank)));
    parcels_.emplace_back(plan, rank, model.ranks[rank]);
  }
}

const StepMemory::OfStep& StepMemory::of(const NeedTracker& needs,
                                         const std::vector<std::uint32_t>& records) {
  Kind kind{std::vector<bool>(plan_.needs.size()), records};
  for (std::size_t i = 0; i < kind.first.size(); ++i) kind.first[i] = needs.is_met(i);
  const auto found = known_.find(kind);
  return found != known_.end() ? found->second
                               : known_.emplace(std::move(kind), made(needs, records)).first->second;
}

StepMemory::OfStep StepMemory::of_end(const std::vector<std::uint32_t>& records) const {
  OfStep step{std::vector<OfRank>(plan_.layout.clients), std::vector<OfServer>(plan_.layout.servers)};
  add_records(step, records);
  return step;
}

StepMemory::OfStep StepMemory::made(const NeedTracker& needs, const std::vector<std::uint32_t>& records) {
  OfStep step = of_end(records);
  add_parcels(step, needs);
  add_results(step, needs, records);
  return step;
}

void StepMemory::add_parcels(OfStep& step, const NeedTracker& needs) {
  for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank) {
    OfServer& server = step.servers[plan_.layout.server_of(rank)];
    step.ranks[rank].by_group.assign(plan_.groups.size(), 0);
    for (const auto& [group, bytes] : parcels_[rank].sizes_bytes(needs)) {
      step.ranks[rank].by_group[group] = bytes;
      step.ranks[rank].parcels += bytes;
      server.parcels += bytes;
      server.by_buffer[buffer_class(bytes)] += bytes;
    }
  }
}

void StepMemory::add_records(OfStep& step, const std::vector<std::uint32_t>& records) const {
  for (const Variable& variable : plan_.variables) {
    const std::uint64_t count = records[variable.schedule.index];
    if (count == 0 || !is_made_by_window(plan_, variable)) continue;
    const Value& value = plan_[variable.value];
    const std::uint64_t bytes = count * record_element_bytes(plan_, variable);
    if (value.spread == Spread::rooted) step.servers[value.root].records += bytes * elements(variable.value);
    for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank) {
      if (!is_recorded_by(value, rank)) continue;
      step.ranks[rank].records += bytes * elements(rank, variable.value);
      step.servers[plan_.layout.server_of(rank)].records += bytes * elements(rank, variable.value);
    }
  }
}

std::uint64_t StepMemory::bytes_of_element(ValueId value) const {
  return plan_[value].form == Form::partials ? partial_bytes(plan_, value) : size_bytes(plan_[value].type);
}

/// `is_recorded`: by value. `waits`: the step stays until other servers have sent something.
StepMemory::OfRank StepMemory::results_of(ClientRank rank, const NeedTracker& needs,
                                          const std::vector<bool>& is_recorded, bool waits) const {
  OfRank results;
  std::uint64_t reducing = 0;  // for the rule that takes most, as rules run one after the other
  std::vector<bool> is_sent(plan_.values.size(), false);  // values to be reduced, if the reduction waits for
                                                          // its turn
  for (const Rule& rule : plan_.rules) {
    if (std::holds_alternative<Communicate>(rule.action) && needs.is_any_met(plan_[rule.output].needs))
      is_sent[rule.inputs[0].index] = true;
  }
  for (const Rule& rule : plan_.rules) {
    const Value& output = plan_[rule.output];
    if (!needs.is_any_met(output.needs)) continue;
    if (std::holds_alternative<Communicate>(rule.action)) {
      // Other values become Partials before they are reduced.
      const Value& input = plan_[rule.inputs[0]];
      if (input.form == Form::numbers && !std::get<Communicate>(rule.action).takes_rank_zero &&
          is_on_rank(input, rank))
        results.kept += elements(rank, rule.inputs[0]) * partial_bytes(plan_, rule.output);
      continue;
    }
    // What it is made of is copied for others, and brought together.
    if (std::holds_alternative<Regrid>(rule.action)) {
      const double share = static_cast<double>(elements(rank, rule.output)) /
                           static_cast<double>(std::max<std::uint64_t>(1, elements(rule.output)));
      const auto input = static_cast<double>(elements(rule.inputs[0]) * sizeof(double));
      const bool is_halo = !std::get<Regrid>(rule.action).how->halo.empty();
      // Of a halo what comes is no more than the result, which is counted below.
      if (!is_halo) results.kept += static_cast<std::uint64_t>(4 * share * input);
      if (is_halo)
        results.kept += (elements(rank, rule.output) - elements(rank, rule.inputs[0])) * sizeof(double);
      if (is_on_rank(plan_[rule.inputs[0]], rank))
        results.kept += elements(rank, rule.inputs[0]) * sizeof(double);
    }
    if (!is_on_rank(output, rank) || std::holds_alternative<Broadcast>(rule.action)) continue;
    reducing = std::max(reducing, elements(rank, rule.output) * reducing_bytes(rule));
    if (elements(rank, rule.output) > 0) reducing = std::max(reducing, working_bytes(rule));
    const bool stays = waits || is_sent[rule.output.index] ||
                       (is_recorded[rule.output.index] && is_recorded_by(output, rank));
    (stays ? results.kept : results.passing) += elements(rank, rule.output) * bytes_of_element(rule.output);
  }
  results.passing += reducing;
  return results;
}

void StepMemory::add_results(OfStep& step, const NeedTracker& needs,
                             const std::vector<std::uint32_t>& records) const {
  std::vector<bool> is_recorded(plan_.values.size(), false);
  for (const Variable& variable : plan_.variables) {
    if (records[variable.schedule.index] > 0 && !is_made_by_window(plan_, variable))
      is_recorded[variable.value.index] = true;
  }
  const bool waits = std::ranges::any_of(plan_.rules, [&](const Rule& rule) {
    const bool comes =
        std::holds_alternative<Broadcast>(rule.action) || std::holds_alternative<Regrid>(rule.action);
    return comes && needs.is_any_met(plan_[rule.output].needs);
  });
  std::vector<std::vector<std::uint64_t>> passing(plan_.layout.servers);
  for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank) {
    const ServerRank server = plan_.layout.server_of(rank);
    const OfRank results = results_of(rank, needs, is_recorded, waits);
    step.ranks[rank].kept = results.kept;
    step.ranks[rank].passing = results.passing;
    step.servers[server].results += results.kept;
    passing[server].push_back(results.passing);
  }
  for (std::size_t s = 0; s < passing.size(); ++s) {
    std::ranges::sort(passing[s], std::greater());
    const auto at_once = static_cast<std::size_t>(budget_.workers.value_or(std::ssize(passing[s])));
    passing[s].resize(std::min(at_once, passing[s].size()));
    for (const std::uint64_t bytes : passing[s]) step.servers[s].results += bytes;
  }
  add_kept(step, needs);
  add_rooted(step, needs);
}

/// What the step adds to what is kept from step to step.
void StepMemory::add_kept(OfStep& step, const NeedTracker& needs) const {
  for (const KeptOfSteps& kept : kept_) {
    const bool is_wanted =
        std::ranges::any_of(kept.values, [&](ValueId value) { return needs.is_any_met(plan_[value].needs); });
    if (!is_wanted) continue;
    for (std::size_t rank = 0; rank < kept.of_ranks.size(); ++rank)
      step.ranks[rank].kept += kept.of_ranks[rank];
    const std::vector<std::uint64_t> of_servers = kept.by_server(plan_.layout);
    for (std::size_t s = 0; s < of_servers.size(); ++s) step.servers[s].results += of_servers[s];
  }
}

/// Adds what servers make of reduced values. What is under way to them does not belong to a single step.
void StepMemory::add_rooted(OfStep& step, const NeedTracker& needs) const {
  std::vector<std::uint64_t> working(step.servers.size());  // rules run one after the other
  for (const Rule& rule : plan_.rules) {
    const Value& output = plan_[rule.output];
    if (output.spread != Spread::rooted || !needs.is_any_met(output.needs)) continue;
    if (std::holds_alternative<Communicate>(rule.action) || output.is_in_bundle) continue;
    step.servers[output.root].results += elements(rule.output) * bytes_of_element(rule.output);
    working[output.root] = std::max(working[output.root], working_bytes(rule));
  }
  for (std::size_t s = 0; s < working.size(); ++s) step.servers[s].results += working[s];
}

}  // namespace pileus::explain
