#include "explain/expected_traffic.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "analytics/sample_bytes.h"
#include "client/frames.h"
#include "explain/file_traffic.h"
#include "explain/parcels.h"
#include "explain/regrid_traffic.h"
#include "messaging/clock_frame.h"
#include "messaging/tree_shape.h"
#include "plan/points.h"
#include "plan/step_kinds.h"
#include "streams/deferral.h"

namespace pileus::explain {
namespace {

std::vector<ServerRank> all_servers(const Plan& plan) {
  std::vector<ServerRank> all(plan.layout.servers);
  std::iota(all.begin(), all.end(), ServerRank{0});
  return all;
}

/// Follows the run and counts messages.
class Count {
 public:
  Count(const Plan& plan, const ModelDescription& model, bool defers, ExpectedRun& run)
      : plan_(plan),
        defers_(defers),
        run_(run),
        cursors_(plan),
        deferral_(plan),
        kinds_(plan),
        regrids_(plan),
        children_(plan.layout.servers),
        batches_(plan.trees.size()) {
    run_.of_server.resize(plan.layout.servers);
    run_.from_ranks.resize(plan.layout.clients);
    for (ClientRank rank = 0; rank < plan.layout.clients; ++rank)
      ranks_.emplace_back(plan, rank, model.ranks[rank]);
    for (const Tree& tree : plan.trees) senders_.push_back(senders_of(tree));
  }

  void take(const Step& step, double start_time_s, const NeedTracker& needs) {
    send_down_from(0, ServerFrame::clock, exactly(ClockTick{false, step, start_time_s}.encode().size()));
    const std::size_t kind = kinds_.of(needs);
    if (kind == of_kind_.size()) of_kind_.push_back(kind_of(needs));
    const OfKind& sent = of_kind_[kind];
    for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank)
      run_.from_ranks[rank] += sent.from_ranks[rank];
    run_.from_ranks[0] += {1, static_cast<std::int64_t>(sizeof(ClockFrame))};
    take_reductions(step, start_time_s, sent);
    for (std::size_t server = 0; server < sent.points.size(); ++server)
      run_.of_server[server].most[kind_index(ServerFrame::points)] += sent.points[server];
    for (std::size_t server = 0; server < sent.regrids.size(); ++server) {
      run_.of_server[server].least[kind_index(ServerFrame::regrid)] += sent.regrids[server].least;
      run_.of_server[server].most[kind_index(ServerFrame::regrid)] += sent.regrids[server].most;
    }
    for (const auto& [root, bytes] : sent.distributions)
      send_down_from(root, ServerFrame::distribution, bytes);
  }

  void finish() {
    send_down_from(0, ServerFrame::clock, exactly(ClockTick{true, {}, 0}.encode().size()));
    for (Traffic& traffic : run_.from_ranks) traffic += {1, static_cast<std::int64_t>(sizeof(FinishFrame))};
    for (std::size_t t = 0; t < batches_.size(); ++t) send_batch(t);
  }

 private:
  struct Batch {
    std::int64_t steps = 0;
    ByteBounds bytes;
  };
  /// What a step of one kind sends.
  struct OfKind {
    std::vector<Traffic> from_ranks;
    std::vector<std::optional<ByteBounds>> trees;  ///< for one step, of trees in which something is wanted
    std::vector<std::pair<ServerRank, ByteBounds>> distributions;  ///< and the server that begins each
    std::vector<Traffic> points;      ///< by server: at the most, as nobody knows here who holds which
    std::vector<RegridSent> regrids;  ///< by server
  };
  static ByteBounds exactly(std::uint64_t bytes) { return {bytes, bytes}; }

  void send(ServerRank from, ServerFrame kind, const ByteBounds& bytes, std::int64_t most_messages = 1) {
    const std::size_t index = kind_index(kind);
    run_.of_server[from].least[index] += {1, static_cast<std::int64_t>(bytes.least)};
    run_.of_server[from].most[index] += {most_messages, static_cast<std::int64_t>(bytes.most)};
  }
  /// Counts a message that goes from the root down to all servers.
  void send_down_from(ServerRank root, ServerFrame kind, const ByteBounds& bytes) {
    std::vector<std::size_t>& children = children_[root];
    const std::vector<ServerRank> all = children.empty() ? all_servers(plan_) : std::vector<ServerRank>();
    for (ServerRank server : all) children.push_back(tree_seat(all, root, server).children.size());
    for (std::size_t server = 0; server < children.size(); ++server) {
      for (std::size_t i = children[server]; i > 0; --i) send(static_cast<ServerRank>(server), kind, bytes);
    }
  }

  /// The servers that send something up the tree.
  std::vector<ServerRank> senders_of(const Tree& tree) const {
    std::vector<ServerRank> senders = plan_.members(tree);
    std::erase(senders, tree.root);
    return senders;
  }

  OfKind kind_of(const NeedTracker& needs) {
    OfKind sent{std::vector<Traffic>(ranks_.size()), {}, {}, points_of(needs), regrids_.of_step(needs)};
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (const Parcels::Parcel& parcel : ranks_[rank].sizes_bytes(needs))
        sent.from_ranks[rank] += {1, static_cast<std::int64_t>(parcel.bytes)};
    }
    for (const Tree& tree : plan_.trees) sent.trees.push_back(reductions_of(tree, needs));
    for (const Distribution& distribution : plan_.distributions) {
      if (const auto bytes = distributed(distribution, needs))
        sent.distributions.emplace_back(distribution.root, *bytes);
    }
    return sent;
  }
  bool is_dealt(const PlannedField& field, const NeedTracker& needs) const {
    const auto& wanted = plan_[field.value].needs;
    return field.points && std::ranges::any_of(wanted, [&](std::uint32_t need) {
             return needs.is_met(need) && (!field.is_static || plan_.needs[need].at_first);
           });
  }
  /// As if no server had anything of its own ranks for its own streams.
  std::vector<Traffic> points_of(const NeedTracker& needs) const {
    std::vector<Traffic> most(plan_.layout.servers);
    std::set<ServerRank> servers;
    for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank)
      servers.insert(plan_.layout.server_of(rank));
    const auto others = static_cast<std::int64_t>(servers.size()) - 1;
    for (std::size_t g = 0; g < plan_.groups.size() && others > 0; ++g) {
      std::vector<FieldId> fields;
      for (const FieldId field : plan_.groups[g].fields)
        if (is_dealt(plan_[field], needs)) fields.push_back(field);
      if (fields.empty()) continue;
      const auto count = static_cast<std::int64_t>(fields.size());
      for (const ServerRank server : servers) most[server] += {others, others * (24 + 4 * count)};
      for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank) {
        Traffic& of_server = most[plan_.layout.server_of(rank)];
        of_server.bytes += others * (4 + count);
        for (const FieldId field : fields)
          of_server.bytes += static_cast<std::int64_t>(bytes_handed_over(plan_, rank, field));
      }
    }
    return most;
  }
  std::optional<ByteBounds> reductions_of(const Tree& tree, const NeedTracker& needs) {
    ByteBounds values = exactly(16);  // the step, and the length of this step's share of the message
    bool is_wanted = false;
    for (RuleId id : tree.communications) {
      const bool is_said = needs.is_any_met(plan_[plan_[id].output].needs);
      values += exactly(1);
      if (is_said) values += sample_bytes(id);
      is_wanted = is_wanted || is_said;
    }
    return is_wanted ? std::optional(values) : std::nullopt;
  }
  std::optional<ByteBounds> distributed(const Distribution& distribution, const NeedTracker& needs) {
    ByteBounds bytes = exactly(24);
    bool is_wanted = false;
    for (RuleId id : distribution.broadcasts) {
      if (!needs.is_any_met(plan_[plan_[id].output].needs)) continue;
      is_wanted = true;
      bytes += exactly(4);
      bytes += sample_bytes(id);
    }
    return is_wanted ? std::optional(bytes) : std::nullopt;
  }

  void take_reductions(const Step& step, double start_time_s, const OfKind& sent) {
    const std::vector<bool>& is_due = deferral_.due(step, cursors_.advance(step, start_time_s));
    for (std::size_t t = 0; t < plan_.trees.size(); ++t) {
      if (sent.trees[t]) {
        batches_[t].bytes += *sent.trees[t];
        ++batches_[t].steps;
      }
      if (is_due[t] || !(defers_ && deferral_.is_deferred(t))) send_batch(t);
    }
  }
  void send_batch(std::size_t t) {
    Batch& batch = batches_[t];
    if (batch.steps == 0) return;
    batch.bytes += exactly(8);
    const bool may_be_more = batch.bytes.most > kLargestBatchBytes;
    for (ServerRank server : senders_[t])
      send(server, ServerFrame::reduction, batch.bytes, may_be_more ? batch.steps : 1);
    batch = {};
  }

  ByteBounds sample_bytes(RuleId id) {
    const auto [place, is_new] = sizes_.try_emplace(id);
    if (is_new) place->second = pileus::sample_bytes(plan_, plan_[id], kSummed);
    return place->second;
  }

  const Plan& plan_;
  bool defers_;
  ExpectedRun& run_;
  ScheduleCursors cursors_;
  Deferral deferral_;
  StepKinds kinds_;
  RegridTraffic regrids_;
  std::vector<OfKind> of_kind_;
  std::vector<std::vector<std::size_t>> children_;  ///< by root and server; empty if not found yet
  std::vector<Parcels> ranks_;
  std::vector<std::vector<ServerRank>> senders_;  ///< by tree
  std::vector<Batch> batches_;                    ///< by tree: what has not been sent yet
  std::map<RuleId, ByteBounds> sizes_;
};

std::vector<std::string> left_out(const Plan& plan, const std::vector<ExpectedFile>& files) {
  std::vector<std::string> out;
  if (plan.layout.servers > 1)
    out.push_back("messages before the first step, and those that find the end of the run");
  const bool are_laid_out =
      std::ranges::all_of(files, [](const ExpectedFile& file) { return file.size_bytes.has_value(); });
  if (plan.layout.servers > 1 && !are_laid_out)
    out.push_back("where records lie in files that cannot be laid out here");
  const CheckpointReasons& reasons = plan.checkpoints;
  if (reasons.steps > 0 || reasons.frequency.is_given() || reasons.wall_time_s > 0)
    out.push_back("checkpoints");
  return out;
}

}  // namespace

ExpectedRun expected_run(const Plan& plan, const ModelDescription& model, const Steps& steps,
                         const std::vector<ExpectedFile>& files, bool defers) {
  ExpectedRun run;
  run.not_counted = left_out(plan, files);
  Count count(plan, model, defers, run);
  NeedTracker needs = plan.tracker(steps.start_time_s);
  for (const Step& step : steps.steps) {
    needs.advance(step);
    count.take(step, steps.start_time_s, needs);
  }
  if (steps.is_whole_run) count.finish();
  add_file_traffic(plan, steps, files, run);
  return run;
}

}  // namespace pileus::explain
