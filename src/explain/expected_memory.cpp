#include "explain/expected_memory.h"

#include <algorithm>
#include <set>

#include "analytics/partial_bytes.h"
#include "analytics/sample_bytes.h"
#include "explain/expected_traffic.h"
#include "explain/packed_variables.h"
#include "explain/step_memory.h"
#include "levels/block_means.h"
#include "messaging/tree_shape.h"
#include "plan/step_kinds.h"
#include "publishing/chunks/pack_chunk.h"
#include "server/gate/step_costs.h"
#include "streams/deferral.h"
#include "time/schedule_cursor.h"
#include "time/window_bytes.h"

namespace pileus::explain {
namespace {

/// A server keeps at most so many bytes of unused buffers.
constexpr std::uint64_t kMostSpareBytes = std::uint64_t{1} << 30;

void add_windows(const Plan& plan, const StepMemory& steps, std::vector<ExpectedMemory>& servers) {
  const std::vector<std::uint64_t> statics = static_bytes_by_server(plan);
  for (std::size_t s = 0; s < servers.size(); ++s) servers[s].window_bytes = statics[s];
  for (const Variable& variable : plan.variables) {
    const ValueId sampled = variable.sampled();
    const Value& value = plan[sampled];
    const std::uint64_t bytes = window_bytes_of_element(plan, variable);
    if (value.spread == Spread::rooted) servers[value.root].window_bytes += bytes * steps.elements(sampled);
    for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) {
      const bool is_of_rank =
          value.spread == Spread::distributed || (value.spread == Spread::same && rank == 0);
      if (is_of_rank)
        servers[plan.layout.server_of(rank)].window_bytes += bytes * steps.elements(rank, sampled);
    }
  }
}

/// The sums on their way between servers. They wait for other model ranks, other servers or a record.
class TreeMemory {
 public:
  TreeMemory(const Plan& plan, const StepMemory& steps)
      : plan_(plan),
        steps_(steps),
        cursors_(plan),
        deferral_(plan),
        kinds_(plan),
        trees_(plan.trees.size()),
        most_(plan.layout.servers) {
    for (std::size_t t = 0; t < trees_.size(); ++t) find_places(plan.trees[t], trees_[t]);
  }

  void take(const Step& step, double start_time_s, const NeedTracker& needs) {
    const std::vector<bool>& is_due = deferral_.due(step, cursors_.advance(step, start_time_s));
    const std::size_t kind = kinds_.of(needs);
    if (kind == of_kind_.size()) of_kind_.push_back(kind_of(needs));
    std::vector<std::uint64_t> now(plan_.layout.servers, 0);
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      OfTree& tree = trees_[t];
      const auto [held, sent] = of_kind_[kind][t];
      tree.held += held;
      tree.sent += sent;
      // A server that waits for others has the sums of all steps whose batches have not arrived.
      for (const ServerRank server : tree.waiting) now[server] += tree.held;
      for (const ServerRank server : tree.others) now[server] += held;
      if (is_due[t] || !deferral_.is_deferred(t) || tree.sent > kLargestBatchBytes) tree.held = tree.sent = 0;
    }
    for (std::size_t s = 0; s < now.size(); ++s) most_[s] = std::max(most_[s], now[s]);
  }
  std::uint64_t most(ServerRank server) const { return most_[server]; }

 private:
  struct OfTree {
    std::vector<ServerRank> waiting, others;  ///< members of the tree with children, and members without
    std::uint64_t held = 0, sent = 0;         ///< bytes since the last batch: as Partials in memory, and the
                                              ///< least as sent
  };

  void find_places(const Tree& tree, OfTree& places) const {
    const std::vector<ServerRank> members = plan_.members(tree);
    for (const ServerRank server : members) {
      const bool waits = !tree_seat(members, tree.root, server).children.empty();
      (waits ? places.waiting : places.others).push_back(server);
    }
  }
  using HeldAndSent = std::pair<std::uint64_t, std::uint64_t>;
  std::vector<HeldAndSent> kind_of(const NeedTracker& needs) {
    std::vector<HeldAndSent> trees;
    for (const Tree& tree : plan_.trees) trees.push_back(of_step(tree, needs));
    return trees;
  }
  HeldAndSent of_step(const Tree& tree, const NeedTracker& needs) {
    std::uint64_t held = 0, sent = 0;
    for (const RuleId id : tree.communications) {
      const Rule& rule = plan_[id];
      if (tree.takes_rank_zero || !needs.is_any_met(plan_[rule.output].needs)) continue;
      held += steps_.elements(rule.output) * partial_bytes(plan_, rule.output);
      const auto [place, is_new] = sent_bytes_.try_emplace(id);
      if (is_new) place->second = sample_bytes(plan_, rule, kSummed).least;
      sent += place->second;
    }
    return {held, sent};
  }

  const Plan& plan_;
  const StepMemory& steps_;
  ScheduleCursors cursors_;
  Deferral deferral_;
  StepKinds kinds_;
  std::vector<std::vector<HeldAndSent>> of_kind_;  ///< by tree
  std::vector<OfTree> trees_;
  std::map<RuleId, std::uint64_t> sent_bytes_;
  std::vector<std::uint64_t> most_;  ///< by server
};

/// The memory for a record of compressed variables besides its parts, by server: what arrives, is cut out for
/// others, is put together and compressed, and waits for the rest of the record.
std::vector<std::uint64_t> packing_bytes(const Plan& plan, const ServerBudget& budget) {
  std::vector<std::uint64_t> most(plan.layout.servers, 0);
  const PackedVariables packed(plan);
  if (!packed.are_any()) return most;
  std::vector<std::uint64_t> compared(most.size(), 0);
  std::vector<std::vector<std::uint64_t>> of_variables(plan.variables.size(), most);
  for (std::size_t v = 0; v < plan.variable_count(); ++v) {
    const Variable& variable = plan[VariableId(v)];
    if (!variable.storage.compression.is_packed()) continue;
    const auto& chunks = packed.packing().chunks(VariableId(v));
    std::vector<std::uint64_t> held(most.size(), 0), largest(most.size(), 0), count(most.size(), 0);
    for (const Packing::Chunk& chunk : chunks) {
      const Region in_file =
          variable.level ? blocks_of_region(chunk.region, variable.level->lengths) : chunk.region;
      const std::uint64_t bytes = static_cast<std::uint64_t>(in_file.size()) * size_bytes(variable.type);
      // Beside it the numbers as they were given, and their errors.
      const std::uint64_t audited = variable.storage.is_audited
                                        ? 3 * static_cast<std::uint64_t>(chunk.region.size()) * sizeof(double)
                                        : 0;
      const std::uint64_t together = variable.level ? static_cast<std::uint64_t>(kBlocksAtOnce) : 0;
      largest[chunk.packer] = std::max(largest[chunk.packer], bytes + audited + together);
      ++count[chunk.packer];
      held[plan[variable.file].owner] += bytes;
      // What was written, what is compared with it, and the last one: of each variable, all the time.
      if (variable.storage.write_if) compared[chunk.packer] += 3 * bytes;
    }
    const bool is_distributed = plan[variable.value].spread == Spread::distributed;
    for (ClientRank rank = 0; is_distributed && rank < plan.layout.clients; ++rank) {
      const Region region = in_file(packed.region(VariableId(v), rank), value_layout(plan, VariableId(v)));
      for (const Packing::Chunk& chunk : chunks) {
        const ServerRank from = plan.layout.server_of(rank);
        if (from == chunk.packer || region.size() == 0) continue;
        const auto bytes = static_cast<std::uint64_t>(common(region, chunk.region).size()) *
                           size_bytes(plan[variable.value].type);
        held[from] += 2 * bytes;  // the message, and the buffer that it is sent from
        held[chunk.packer] += bytes;
      }
    }
    for (std::size_t s = 0; s < most.size(); ++s) {
      const std::uint64_t at_once =
          std::min(count[s], budget.workers ? static_cast<std::uint64_t>(*budget.workers) : count[s]);
      // All levels of a record are made at once.
      const std::size_t finest = variable.level ? variable.level->of.index : v;
      of_variables[finest][s] += held[s] + 3 * largest[s] * at_once;
    }
  }
  for (const auto& needed : of_variables)
    for (std::size_t s = 0; s < most.size(); ++s) most[s] = std::max(most[s], needed[s]);
  for (std::size_t s = 0; s < most.size(); ++s) most[s] += compared[s];
  return most;
}

/// The memory for what travels to the writers of slabs, of a record of each axis: a copy and the buffer that
/// it is sent from, and what arrives.
std::vector<std::uint64_t> slab_bytes(const Plan& plan) {
  std::vector<std::uint64_t> bytes(plan.layout.servers, 0);
  const PackedVariables packed(plan);
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    if (!is_in_slabs(plan, VariableId(v))) continue;
    const std::size_t element = size_bytes(plan[plan.variables[v].value].type);
    for (const PartOfSlab& part : packed.packing().parts_of_slabs(VariableId(v))) {
      const std::uint64_t size = static_cast<std::uint64_t>(part.elements) * element;
      bytes[part.from] += 2 * size;
      bytes[part.writer] += size;
    }
  }
  return bytes;
}

bool has_checkpoints(const Plan& plan) {
  const CheckpointReasons& reasons = plan.checkpoints;
  return reasons.steps > 0 || reasons.frequency.is_given() || reasons.wall_time_s > 0 ||
         !reasons.signals.empty();
}

/// What a model rank may have under way over the whole run.
struct RankExtremes {
  std::vector<std::uint64_t> by_group;  ///< its largest parcels, by group
  std::uint64_t all = 0;                ///< bytes of all parcels of the run
  std::uint64_t least = UINT64_MAX;     ///< bytes of the smallest step of which something is made
  std::uint64_t smallest = UINT64_MAX;  ///< bytes of the smallest step that sends anything
  std::uint64_t made = 0;               ///< the most bytes that are made in one step
  std::uint64_t steps = 0;              ///< number of steps that send anything

  void take(const StepMemory::OfRank& step) {
    if (step.parcels == 0) return;
    by_group.resize(step.by_group.size(), 0);
    for (std::size_t g = 0; g < by_group.size(); ++g) by_group[g] = std::max(by_group[g], step.by_group[g]);
    all += step.parcels;
    smallest = std::min(smallest, step.parcels);
    ++steps;
    const std::uint64_t makes = step.records + step.kept + step.passing;
    made = std::max(made, makes);
    if (makes > 0) least = std::min(least, step.parcels);
  }
  /// So many steps it may be ahead with parcels of so many bytes.
  std::uint64_t ahead(std::uint64_t parcels_bytes) const {
    return steps == 0 ? 0 : std::min(steps, parcels_bytes / smallest);
  }
  /// The parcels that the budget allows; the first message of each group is always allowed.
  std::uint64_t parcels(std::uint64_t budget_bytes) const {
    std::uint64_t largest = 0, smallest = UINT64_MAX;
    for (const std::uint64_t bytes : by_group) {
      largest += bytes;
      if (bytes > 0) smallest = std::min(smallest, bytes);
    }
    if (largest == 0) return 0;
    return std::max(largest, budget_bytes + largest - smallest);
  }
};

/// Follows the run step by step.
class Memory {
 public:
  Memory(const Plan& plan, const ModelDescription& model, const Steps& steps, const ServerBudget& budget)
      : plan_(plan),
        run_(steps),
        budget_(budget),
        steps_(plan, model, budget),
        trees_(plan, steps_),
        ranks_(plan.layout.clients),
        by_buffer_(plan.layout.servers),
        results_(plan.layout.servers, 0),
        servers_(plan.layout.servers) {
    add_windows(plan, steps_, servers_);
    for (std::size_t s = 0; s < plan.schedules.size(); ++s)
      cursors_.push_back(make_cursor(plan, ScheduleId(s), steps.start_time_s));
  }

  std::vector<ExpectedMemory> all() {
    NeedTracker needs = plan_.tracker(run_.start_time_s);
    for (const Step& step : run_.steps) {
      needs.advance(step);
      trees_.take(step, run_.start_time_s, needs);
      take(steps_.of(needs, records([&](ScheduleCursor& cursor) { return cursor.advance(step); })));
    }
    if (run_.is_whole_run)
      take(steps_.of_end(records([](ScheduleCursor& cursor) { return cursor.finish(); })));
    finish();
    return servers_;
  }

 private:
  template <class Follow>
  std::vector<std::uint32_t> records(Follow follow) {
    std::vector<std::uint32_t> counts;
    for (ScheduleCursor& cursor : cursors_) {
      const std::vector<SampleAction> actions = follow(cursor);
      const auto ends = std::ranges::count_if(actions, &SampleAction::ends_record);
      // The first record of a trigger comes with those before it.
      const std::int64_t before = ends > 0 ? plan_.schedules[counts.size()].lookback.records : 0;
      counts.push_back(static_cast<std::uint32_t>(ends + before));
    }
    return counts;
  }

  void take(const StepMemory::OfStep& step) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].take(step.ranks[r]);
    for (std::size_t s = 0; s < servers_.size(); ++s) {
      const StepMemory::OfServer& server = step.servers[s];
      servers_[s].parcel_bytes = std::max(servers_[s].parcel_bytes, server.parcels);
      servers_[s].record_bytes = std::max(servers_[s].record_bytes, server.records);
      results_[s] = std::max(results_[s], server.results);
      for (const auto& [size, bytes] : server.by_buffer) {
        std::uint64_t& most = by_buffer_[s][size];
        most = std::max(most, bytes);
      }
    }
  }

  void finish() {
    const std::vector<std::uint64_t> packing = packing_bytes(plan_, budget_);
    const std::vector<std::uint64_t> slabs = slab_bytes(plan_);
    std::vector<std::vector<ClientRank>> ranks_of(servers_.size());
    for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank)
      ranks_of[plan_.layout.server_of(rank)].push_back(rank);
    for (std::size_t s = 0; s < servers_.size(); ++s) {
      ExpectedMemory& server = servers_[s];
      server.result_bytes = results_[s] + trees_.most(static_cast<ServerRank>(s));
      server.packing_bytes = packing[s];
      server.slab_bytes = slabs[s];
      if (has_checkpoints(plan_)) server.checkpoint_bytes = server.window_bytes;
      std::uint64_t buffers = 0;
      for (const auto& [size, bytes] : by_buffer_[s]) buffers += bytes;
      server.spare_bytes = std::min(kMostSpareBytes, buffers - std::min(buffers, server.parcel_bytes));
      add_most(s, ranks_of[s]);
    }
    add_most_slabs(ranks_of);
  }

  /// Slabs are made of the parts of all servers, of as many steps as their ranks may be ahead; the clock lets
  /// no more of them through than the budget has room for.
  void add_most_slabs(const std::vector<std::vector<ClientRank>>& ranks_of) {
    std::uint64_t ahead = 0;
    for (const std::vector<ClientRank>& ranks : ranks_of)
      for (const ClientRank rank : ranks)
        ahead = std::max(ahead, ranks_[rank].ahead(parcels_of(rank, ranks)));
    for (ExpectedMemory& server : servers_) {
      const std::uint64_t all = server.slab_bytes * (1 + ahead);
      server.most_bytes += std::max(server.slab_bytes, std::min(all, budget_.budget_bytes));
    }
  }
  std::uint64_t parcels_of(ClientRank rank, const std::vector<ClientRank>& of_server) const {
    const std::uint64_t parcels = ranks_[rank].parcels(budget_.budget_bytes / of_server.size());
    return run_.is_whole_run ? std::min(parcels, ranks_[rank].all) : parcels;
  }

  void add_most(std::size_t s, const std::vector<ClientRank>& ranks) {
    ExpectedMemory& server = servers_[s];
    std::uint64_t made = 0;
    for (const ClientRank rank : ranks) {
      const RankExtremes& extremes = ranks_[rank];
      if (extremes.steps == 0) continue;
      const std::uint64_t parcels = parcels_of(rank, ranks);
      server.most_parcel_bytes += parcels;
      if (extremes.made > 0) made += extremes.made * (1 + std::min(extremes.steps, parcels / extremes.least));
    }
    const std::uint64_t buffers = by_buffer_[s].size();
    const std::uint64_t spare =
        buffers == 0 ? 0 : std::min(kMostSpareBytes, (buffers - 1) * server.most_parcel_bytes);
    server.most_bytes = server.window_bytes + server.most_parcel_bytes + std::max(spare, server.spare_bytes) +
                        std::max(made, server.record_bytes) + server.result_bytes + server.packing_bytes +
                        server.checkpoint_bytes;
  }

  const Plan& plan_;
  const Steps& run_;
  const ServerBudget& budget_;
  StepMemory steps_;
  TreeMemory trees_;
  std::vector<ScheduleCursor> cursors_;
  std::vector<RankExtremes> ranks_;
  std::vector<std::map<std::uint64_t, std::uint64_t>>
      by_buffer_;                       ///< by server: the most buffers of each size
  std::vector<std::uint64_t> results_;  ///< by server
  std::vector<ExpectedMemory> servers_;
};

}  // namespace

std::vector<ExpectedMemory> expected_memory(const Plan& plan, const ModelDescription& model,
                                            const Steps& steps, const ServerBudget& budget) {
  return Memory(plan, model, steps, budget).all();
}

}  // namespace pileus::explain
