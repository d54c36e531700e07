#include "server/gate/step_costs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analytics/partial_bytes.h"
#include "analytics/rule_runner.h"
#include "followed/followed_groups.h"
#include "held/held_bytes.h"
#include "lags/lag_sources.h"
#include "messaging/tree_shape.h"
#include "plan/held_regions.h"
#include "plan/points.h"
#include "publishing/chunks/packing.h"
#include "publishing/owner/static_parts.h"
#include "time/window_bytes.h"

namespace pileus {
namespace {

/// The notes that are made of the step itself take so much.
constexpr std::uint64_t kStepBytes = 1024;
/// An owner holds so much of a file that may begin with the step, and of each of its variables.
constexpr std::uint64_t kFileBytes = 8192, kVariableBytes = 1024;
/// There are few kinds of steps, but for frequencies that fit nothing: then each may be one of its own.
constexpr std::size_t kMostKinds = 256;

bool is_on_rank(const Value& value, ClientRank rank) {
  if (value.spread == Spread::rooted) return false;
  return value.spread != Spread::same || value.is_everywhere || rank == 0;
}

std::uint64_t size(const Region& region) { return static_cast<std::uint64_t>(region.size()); }

/// Counts the elements that the model ranks of each server hold together, by server and value.
template <class Counts>
std::vector<std::vector<std::uint64_t>> elements_by_server(const Plan& plan, Counts counts) {
  std::vector<std::vector<std::uint64_t>> elements(plan.layout.servers,
                                                   std::vector<std::uint64_t>(plan.values.size(), 0));
  for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) {
    const std::vector<Region> regions = regions_of_client(plan, rank);
    std::vector<std::uint64_t>& of_server = elements[plan.layout.server_of(rank)];
    for (std::size_t v = 0; v < regions.size(); ++v) {
      if (counts(plan.values[v], rank)) of_server[v] += size(regions[v]);
    }
  }
  return elements;
}

/// Of a coarser level, on its way to its file.
std::uint64_t record_bytes_of_level(const Plan& plan, VariableId level) {
  const Index elements = Region{{}, plan.extents_in_file(plan[level])}.size();
  return kVariableBytes + static_cast<std::uint64_t>(elements) * sizeof(double);
}

}  // namespace

StepCosts::StepCosts(const Plan& plan)
    : plan_(plan),
      elements_(elements_by_server(plan, is_on_rank)),
      trees_(plan.values.size()),
      shared_work_(shared_work(plan)) {
  for (KeptOfSteps& kept : kept_of_steps(plan))
    kept_.push_back({std::move(kept.values), kept.by_server(plan.layout)});
  for (const Region& region : whole_regions(plan)) whole_.push_back(size(region));
  for (const Tree& tree : plan.trees) {
    std::set<ValueId> outputs;
    for (const RuleId id : tree.communications) outputs.insert(plan[id].output);
    for (const ValueId output : outputs) trees_[output.index].push_back(children_.size());
    std::vector<std::uint64_t>& counts = children_.emplace_back(plan.layout.servers, 0);
    const std::vector<ServerRank> members = plan.members(tree);
    for (const ServerRank server : members)
      counts[server] = tree_seat(members, tree.root, server).children.size();
  }
  find_work();
  find_slabs();
}

/// What model ranks hold of a slab is copied for the server that writes it, and there it waits for the rest.
void StepCosts::find_slabs() {
  slabs_.resize(plan_.variables.size());
  std::vector<VariableId> in_slabs;
  for (std::size_t v = 0; v < slabs_.size(); ++v)
    if (is_in_slabs(plan_, VariableId(v))) in_slabs.emplace_back(v);
  if (in_slabs.empty()) return;
  const RankRegions regions = regions_of_parts(plan_);
  const Packing packing = Packing::of_slabs(plan_, regions);
  for (const VariableId id : in_slabs) {
    for (const PartOfSlab& part : packing.parts_of_slabs(id)) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(part.elements) * sizeof(double);
      slabs_[id.index][part.from] += bytes;
      slabs_[id.index][part.writer] += bytes;
    }
  }
}

void StepCosts::find_work() {
  for (const Rule& rule : plan_.rules) {
    const auto* const applied = std::get_if<Apply>(&rule.action);
    if (applied == nullptr || applied->prepared->working_bytes == 0) continue;
    Work& work = work_.emplace_back(Work{rule.output, applied->prepared->working_bytes, {}});
    const Value& output = plan_[rule.output];
    const std::vector<Region> parts = output.spread == Spread::distributed
                                          ? regions_of_value(plan_, rule.output)
                                          : std::vector<Region>(plan_.layout.clients);
    for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank)
      if (is_on_rank(output, rank) && parts[rank].size() > 0) work.ranks.push_back(rank);
  }
}

StepCosts::Bytes StepCosts::of(const std::vector<bool>& is_met) {
  if (const auto known = known_.find(is_met); known != known_.end()) return known->second;
  if (known_.size() == kMostKinds) known_.clear();
  auto bytes = std::make_shared<const std::vector<std::uint64_t>>(
      made([&](ValueId value) { return is_any_met(plan_[value].needs, is_met); }));
  return known_.emplace(is_met, std::move(bytes)).first->second;
}

std::vector<std::uint64_t> StepCosts::of_largest() const {
  return made([this](ValueId value) { return !plan_[value].needs.empty(); });
}

std::vector<std::uint64_t> StepCosts::made(const IsWanted& is_wanted) const {
  std::vector<std::uint64_t> bytes(plan_.layout.servers, kStepBytes);
  for (const Rule& rule : plan_.rules) {
    if (!is_wanted(rule.output)) continue;
    if (std::holds_alternative<Communicate>(rule.action)) {
      add_communication(rule, bytes);
    } else if (!plan_[rule.output].is_in_bundle) {
      add_result(rule, bytes);
    }
    if (std::holds_alternative<Regrid>(rule.action)) add_gathered(rule, bytes);
  }
  add_kept(is_wanted, bytes);
  add_shared_work(is_wanted, bytes);
  add_work(is_wanted, bytes);
  add_points(is_wanted, bytes);
  add_records(is_wanted, bytes);
  return bytes;
}

/// What is packed for other servers, what comes of them, and what is put together of it.
void StepCosts::add_points(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const {
  for (std::size_t f = 0; f < plan_.fields.size(); ++f) {
    const PlannedField& field = plan_.fields[f];
    // Static fields come once, and are part of what windows hold.
    if (!field.points || field.is_static || !is_wanted(field.value)) continue;
    for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank)
      bytes[plan_.layout.server_of(rank)] += bytes_handed_over(plan_, rank, FieldId(f));
    for (std::size_t s = 0; s < bytes.size(); ++s)
      bytes[s] += 2 * elements_[s][field.value.index] * size_bytes(field.type);
  }
}

std::uint64_t StepCosts::bytes_of_element(ValueId value) const {
  return plan_[value].form == Form::partials ? partial_bytes(plan_, value) : size_bytes(plan_[value].type);
}

/// Each model rank's contribution may wait for its turn; at the root there is the result, too.
void StepCosts::add_communication(const Rule& rule, std::vector<std::uint64_t>& bytes) const {
  const std::uint64_t element = std::get<Communicate>(rule.action).takes_rank_zero
                                    ? size_bytes(plan_[rule.output].type)
                                    : partial_bytes(plan_, rule.output);
  for (std::size_t s = 0; s < bytes.size(); ++s) bytes[s] += elements_[s][rule.inputs[0].index] * element;
  bytes[plan_[rule.output].root] += whole_[rule.output.index] * element;
  for (const std::size_t t : trees_[rule.output.index]) {
    for (std::size_t s = 0; s < bytes.size(); ++s)
      bytes[s] += children_[t][s] * whole_[rule.output.index] * element;
  }
}

/// What is copied for other servers, and what is brought together here of what they have: as much of the
/// input as of the result, twice where streams share sources, for what came and for what is put together.
/// Of a halo nothing else travels.
void StepCosts::add_gathered(const Rule& rule, std::vector<std::uint64_t>& bytes) const {
  if (!std::get<Regrid>(rule.action).how->halo.empty()) return add_halos(rule, bytes);
  const std::uint64_t input = whole_[rule.inputs[0].index] * sizeof(double);
  const auto result = static_cast<double>(std::max<std::uint64_t>(1, whole_[rule.output.index]));
  for (std::size_t s = 0; s < bytes.size(); ++s) {
    const double share = static_cast<double>(elements_[s][rule.output.index]) / result;
    bytes[s] += elements_[s][rule.inputs[0].index] * sizeof(double) +
                static_cast<std::uint64_t>(4 * share * static_cast<double>(input));
  }
}

/// What comes of other servers, and what is copied for them: no more than what is there, or all halos.
void StepCosts::add_halos(const Rule& rule, std::vector<std::uint64_t>& bytes) const {
  const std::size_t input = rule.inputs[0].index, output = rule.output.index;
  std::uint64_t all = 0;
  for (std::size_t s = 0; s < bytes.size(); ++s) all += elements_[s][output] - elements_[s][input];
  for (std::size_t s = 0; s < bytes.size(); ++s) {
    const std::uint64_t comes = elements_[s][output] - elements_[s][input];
    bytes[s] += (comes + std::min(all, elements_[s][input])) * sizeof(double);
  }
}

/// What the step adds to what is kept from step to step, until it is done.
void StepCosts::add_kept(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const {
  for (const Kept& kept : kept_)
    if (std::ranges::any_of(kept.values, is_wanted))
      for (std::size_t s = 0; s < bytes.size(); ++s) bytes[s] += kept.bytes[s];
}

/// What rules find together is there while they run, for each part of a result that they make.
void StepCosts::add_shared_work(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const {
  std::map<RuleId, std::vector<std::uint64_t>> most;
  for (std::size_t r = 0; r < plan_.rules.size(); ++r) {
    const Rule& rule = plan_.rules[r];
    if (!shared_work_[r] || !is_wanted(rule.output)) continue;
    std::vector<std::uint64_t>& of_work = most[*shared_work_[r]];
    of_work.resize(bytes.size());
    const std::uint64_t element = std::get<Apply>(rule.action).prepared->shared->bytes;
    const Value& output = plan_[rule.output];
    for (std::size_t s = 0; s < bytes.size(); ++s) {
      const bool is_root = output.spread == Spread::rooted && output.root == s;
      const std::uint64_t elements = is_root ? whole_[rule.output.index] : elements_[s][rule.output.index];
      of_work[s] = std::max(of_work[s], elements * element);
    }
  }
  for (const auto& [work, of_work] : most)
    for (std::size_t s = 0; s < bytes.size(); ++s) bytes[s] += of_work[s];
}

/// The rule that takes most while it runs, in each of its places.
void StepCosts::add_work(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const {
  std::vector<std::uint64_t> of_ranks(plan_.layout.clients), of_roots(bytes.size());
  for (const Work& work : work_) {
    const Value& output = plan_[work.output];
    if (!is_wanted(work.output)) continue;
    if (output.spread == Spread::rooted) of_roots[output.root] = std::max(of_roots[output.root], work.bytes);
    for (const ClientRank rank : work.ranks) of_ranks[rank] = std::max(of_ranks[rank], work.bytes);
  }
  for (ClientRank rank = 0; rank < of_ranks.size(); ++rank)
    bytes[plan_.layout.server_of(rank)] += of_ranks[rank];
  for (std::size_t s = 0; s < bytes.size(); ++s) bytes[s] += of_roots[s];
}

void StepCosts::add_result(const Rule& rule, std::vector<std::uint64_t>& bytes) const {
  const std::uint64_t element = bytes_of_element(rule.output);
  const Value& output = plan_[rule.output];
  if (output.spread == Spread::rooted) bytes[output.root] += whole_[rule.output.index] * element;
  for (std::size_t s = 0; s < bytes.size(); ++s) bytes[s] += elements_[s][rule.output.index] * element;
}

/// Records on their way to their file, on the server that owns it or writes a slab, and the files.
void StepCosts::add_records(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const {
  std::vector<bool> is_file_wanted(plan_.files.size(), false);
  for (std::size_t v = 0; v < plan_.variables.size(); ++v) {
    const Variable& variable = plan_.variables[v];
    const Value& value = plan_[variable.value];
    if (!is_wanted(variable.sampled())) continue;
    if (!is_file_wanted[variable.file.index]) bytes[plan_[variable.file].owner] += kFileBytes;
    is_file_wanted[variable.file.index] = true;
    bytes[plan_[variable.file].owner] += kVariableBytes;
    for (const auto& [server, of_slabs] : slabs_[v]) bytes[server] += of_slabs;
    if (value.spread == Spread::rooted || variable.storage.compression.is_packed())
      bytes[plan_[variable.file].owner] += whole_[variable.value.index] * sizeof(double);
    for (const VariableId coarser : variable.coarser)
      bytes[plan_[variable.file].owner] += record_bytes_of_level(plan_, coarser);
  }
}

std::vector<KeptOfSteps> kept_of_steps(const Plan& plan) {
  std::vector<KeptOfSteps> all = kept_of_lags(plan);
  std::ranges::move(kept_of_held(plan), std::back_inserter(all));
  std::ranges::move(kept_of_followed(plan), std::back_inserter(all));
  return all;
}

std::vector<std::uint64_t> static_bytes_by_server(const Plan& plan) {
  std::vector<std::uint64_t> bytes(plan.layout.servers, 0);
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const PlannedField& field = plan.fields[f];
    if (!field.is_static) continue;
    const ClientRank ranks = field.is_sent_by_all ? plan.layout.clients : 1;
    for (ClientRank rank = 0; rank < ranks; ++rank)
      bytes[plan.layout.server_of(rank)] += size(plan.regions[rank][f]) * size_bytes(field.type);
  }
  for (const Variable& variable : plan.statics) {
    const std::uint64_t whole = bytes_in_file(plan, variable);
    if (whole <= kMostInMemory) bytes[plan[variable.file].owner] += whole;
  }
  for (const KeptOfSteps& kept : kept_of_steps(plan)) {
    const std::vector<std::uint64_t> copy = kept.by_server(plan.layout);
    for (std::size_t s = 0; s < bytes.size(); ++s) bytes[s] += kept.stays * copy[s];
  }
  return bytes;
}

std::vector<std::uint64_t> window_bytes_by_server(const Plan& plan) {
  const auto is_recorded = [](const Value& value, ClientRank rank) {
    return value.spread == Spread::distributed || (value.spread == Spread::same && rank == 0);
  };
  const auto elements = elements_by_server(plan, is_recorded);
  const std::vector<Region> whole = whole_regions(plan);
  std::vector<std::uint64_t> bytes = static_bytes_by_server(plan);
  for (const Variable& variable : plan.variables) {
    const std::uint64_t element = window_bytes_of_element(plan, variable);
    const ValueId sampled = variable.sampled();
    if (plan[sampled].spread == Spread::rooted)
      bytes[plan[sampled].root] += element * size(whole[sampled.index]);
    for (std::size_t s = 0; s < bytes.size(); ++s) bytes[s] += element * elements[s][sampled.index];
    // When a trigger begins, what was kept is on its way to its file all at once.
    const auto kept = static_cast<std::uint64_t>(plan[variable.schedule].lookback.records);
    const bool is_packed = plan[sampled].spread == Spread::rooted || variable.storage.compression.is_packed();
    bytes[plan[variable.file].owner] +=
        kept * (kVariableBytes + (is_packed ? size(whole[sampled.index]) * sizeof(double) : 0));
    for (const VariableId coarser : variable.coarser)
      bytes[plan[variable.file].owner] += kept * record_bytes_of_level(plan, coarser);
  }
  return bytes;
}

}  // namespace pileus
