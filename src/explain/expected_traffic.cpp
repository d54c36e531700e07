#include "explain/expected_traffic.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "client/frames.h"
#include "explain/parcels.h"
#include "explain/sample_sizes.h"
#include "messaging/tree_shape.h"
#include "output/file_frames.h"
#include "server/clock_frame.h"
#include "server/deferral.h"

namespace pileus::explain {
namespace {

/// A batch of deferred reductions that has grown so large leaves at once, which may make more messages.
constexpr std::uint64_t kLargestBatch = std::uint64_t{1} << 20;

std::vector<ServerRank> all_servers(const Plan& plan) {
  std::vector<ServerRank> all(plan.layout.servers);
  std::iota(all.begin(), all.end(), ServerRank{0});
  return all;
}

/// Follows the run and counts.
class Count {
 public:
  Count(const Plan& plan, const ModelDescription& model, bool defers, ExpectedRun& run)
      : plan_(plan), defers_(defers), run_(run), deferral_(plan), batches_(plan.trees.size()) {
    run_.of_server.resize(plan.layout.servers);
    run_.from_ranks.resize(plan.layout.clients);
    for (ClientRank rank = 0; rank < plan.layout.clients; ++rank)
      ranks_.emplace_back(plan, rank, model.ranks[rank]);
    for (const Tree& tree : plan.trees) places_.push_back(places_of(tree));
  }

  void take(const Step& step, double start_time_s, const NeedTracker& needs) {
    send_down_from(0, ServerFrame::clock, exactly(ClockTick{false, step, start_time_s}.encode().size()));
    for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank) {
      for (const std::uint64_t bytes : ranks_[rank].sizes_bytes(needs))
        run_.from_ranks[rank] += {1, static_cast<std::int64_t>(bytes)};
    }
    run_.from_ranks[0] += {1, static_cast<std::int64_t>(sizeof(ClockFrame))};
    take_reductions(step, start_time_s, needs);
    take_distributions(needs);
  }

  void finish() {
    send_down_from(0, ServerFrame::clock, exactly(ClockTick{true, {}, 0}.encode().size()));
    for (Traffic& traffic : run_.from_ranks) traffic += {1, static_cast<std::int64_t>(sizeof(FinishFrame))};
    for (std::size_t t = 0; t < batches_.size(); ++t) send_batch(t);
  }

 private:
  struct Batch {
    std::int64_t steps = 0;
    Bounds bytes;
  };
  static Bounds exactly(std::uint64_t bytes) { return {bytes, bytes}; }

  void send(ServerRank from, ServerFrame kind, const Bounds& bytes, std::int64_t most_messages = 1) {
    const std::size_t index = kind_index(kind);
    run_.of_server[from].least[index] += {1, static_cast<std::int64_t>(bytes.least)};
    run_.of_server[from].most[index] += {most_messages, static_cast<std::int64_t>(bytes.most)};
  }
  /// Along the tree of all servers.
  void send_down_from(ServerRank root, ServerFrame kind, const Bounds& bytes) {
    const std::vector<ServerRank> all = all_servers(plan_);
    for (ServerRank server : all) {
      for (std::size_t i = tree_place(all, root, server).children.size(); i > 0; --i)
        send(server, kind, bytes);
    }
  }

  std::vector<ServerRank> members(const Tree& tree) const {
    std::set<ServerRank> members = {tree.root};
    for (ClientRank client = 0; client < plan_.layout.clients; ++client) {
      if (client == 0 || !tree.takes_rank_zero) members.insert(plan_.layout.server_of(client));
    }
    return {members.begin(), members.end()};
  }
  /// Who sends something up the tree.
  std::vector<ServerRank> places_of(const Tree& tree) const {
    std::vector<ServerRank> senders = members(tree);
    std::erase(senders, tree.root);
    return senders;
  }

  void take_reductions(const Step& step, double start_time_s, const NeedTracker& needs) {
    const std::vector<bool>& is_due = deferral_.advance(step, start_time_s);
    for (std::size_t t = 0; t < plan_.trees.size(); ++t) {
      Bounds values;
      bool is_wanted = false;
      for (RuleId id : plan_.trees[t].communications) {
        const bool is_said = needs.is_any_met(plan_[plan_[id].output].needs);
        values += exactly(1);
        if (is_said) values += sample_bytes(id);
        is_wanted = is_wanted || is_said;
      }
      if (is_wanted) {
        values += exactly(16);  // the step, and how long this is
        batches_[t].bytes += values;
        ++batches_[t].steps;
      }
      if (is_due[t] || !(defers_ && deferral_.is_deferred(t))) send_batch(t);
    }
  }
  void send_batch(std::size_t t) {
    Batch& batch = batches_[t];
    if (batch.steps == 0) return;
    batch.bytes += exactly(8);
    const bool may_be_more = batch.bytes.most > kLargestBatch;
    for (ServerRank server : places_[t])
      send(server, ServerFrame::reduction, batch.bytes, may_be_more ? batch.steps : 1);
    batch = {};
  }

  void take_distributions(const NeedTracker& needs) {
    for (const Distribution& distribution : plan_.distributions) {
      Bounds bytes = exactly(24);
      bool is_wanted = false;
      for (RuleId id : distribution.broadcasts) {
        if (!needs.is_any_met(plan_[plan_[id].output].needs)) continue;
        is_wanted = true;
        bytes += exactly(4);
        bytes += sample_bytes(id);
      }
      if (is_wanted) send_down_from(distribution.root, ServerFrame::distribution, bytes);
    }
  }

  Bounds sample_bytes(RuleId id) {
    const auto [place, is_new] = sizes_.try_emplace(id);
    if (is_new) place->second = explain::sample_bytes(plan_, plan_[id]);
    return place->second;
  }

  const Plan& plan_;
  bool defers_;
  ExpectedRun& run_;
  Deferral deferral_;
  std::vector<Parcels> ranks_;
  std::vector<std::vector<ServerRank>> places_;  ///< by tree
  std::vector<Batch> batches_;                   ///< by tree: what has not left
  std::map<RuleId, Bounds> sizes_;
};

/// What owners and writers of files tell each other.
class FileTraffic {
 public:
  FileTraffic(const Plan& plan, ExpectedRun& run) : plan_(plan), run_(run) {}

  void add(const ExpectedFile& file) {
    const PlannedFile& planned = plan_[file.file];
    const FilePeriod key{file.file, file.period};
    const std::vector<ServerRank> writers = other_writers(file.file);
    for (std::size_t w = 0; w < writers.size(); ++w) {
      for (const std::uint64_t bytes : file.placements_bytes)
        send(planned.owner, ServerFrame::placement, bytes);
      if (!file.is_complete) continue;
      send(planned.owner, ServerFrame::closing, encode(Closing{key, false, false, file.records}).size());
      send(writers[w], ServerFrame::parts_done, encode(PartsDone{key, "", {}}).size());
    }
    for (VariableId id : planned.variables) add_parts(file, id);
  }
  /// That no further file comes.
  void add_last(FileId file) {
    for (std::size_t i = other_writers(file).size(); i > 0; --i)
      send(plan_[file].owner, ServerFrame::closing, encode(Closing{{file, 0}, false, true, {}}).size());
  }

 private:
  void send(ServerRank from, ServerFrame kind, std::uint64_t bytes) {
    const Traffic one{1, static_cast<std::int64_t>(bytes)};
    run_.of_server[from].least[kind_index(kind)] += one;
    run_.of_server[from].most[kind_index(kind)] += one;
  }

  std::vector<ServerRank> other_writers(FileId file) const {
    std::set<ServerRank> writers;
    const bool has_distributed = std::ranges::any_of(plan_[file].variables, [&](VariableId id) {
      return plan_[plan_[id].value].spread == Spread::distributed;
    });
    for (ClientRank client = 0; has_distributed && client < plan_.layout.clients; ++client)
      writers.insert(plan_.layout.server_of(client));
    writers.erase(plan_[file].owner);
    return {writers.begin(), writers.end()};
  }

  /// What lies on another server than the file's owner is sent to him.
  void add_parts(const ExpectedFile& file, VariableId id) {
    const Variable& variable = plan_[id];
    const Value& value = plan_[variable.value];
    if (value.spread == Spread::distributed) return;
    const ServerRank from = value.spread == Spread::rooted ? value.root : 0;
    if (from == plan_[file.file].owner) return;
    const auto& schedules = plan_[file.file].schedules;
    const auto axis = std::ranges::find(schedules, variable.schedule) - schedules.begin();
    for (Index n = file.records[static_cast<std::size_t>(axis)]; n > 0; --n)
      send(from, ServerFrame::part, part_bytes(variable));
  }
  std::uint64_t part_bytes(const Variable& variable) const {
    const std::vector<Index> extents = plan_.extents(variable.value);
    Part part;
    part.record.region = {std::vector<Index>(extents.size(), 0), extents};
    const bool is_as_sampled = declaration_of(plan_[variable.schedule].manipulation).keeps_type;
    const Value& value = plan_[variable.value];
    const ElementType type = is_as_sampled && value.form == Form::numbers ? value.type : ElementType::float64;
    // Numbers come last, so that those of one element say how long the rest is.
    const auto elements = static_cast<std::uint64_t>(part.record.region.size());
    part.record.region.count.assign(extents.size(), 1);
    auto zeros = std::make_shared<Bytes>(size_bytes(type));
    part.record.value = Array{type, part.record.region.count, {zeros, zeros->data()}};
    return encode(part).size() + (elements - 1) * size_bytes(type);
  }

  const Plan& plan_;
  ExpectedRun& run_;
};

std::vector<std::string> left_out(const Plan& plan) {
  std::vector<std::string> out;
  if (plan.layout.servers > 1)
    out.push_back("messages before the first step, and those that find the end of the run");
  const auto is_packed = [](const Variable& variable) { return variable.storage.deflate > 0; };
  if (std::ranges::any_of(plan.variables, is_packed))
    out.push_back("what servers send each other of compressed variables");
  const CheckpointReasons& reasons = plan.checkpoints;
  if (reasons.steps > 0 || reasons.frequency.is_given() || reasons.wall_time_s > 0)
    out.push_back("checkpoints");
  return out;
}

}  // namespace

ExpectedRun expected_run(const Plan& plan, const ModelDescription& model, const Steps& steps,
                         const std::vector<ExpectedFile>& files, bool defers) {
  ExpectedRun run;
  run.not_counted = left_out(plan);
  Count count(plan, model, defers, run);
  NeedTracker needs = plan.tracker(steps.start_time_s);
  for (const Step& step : steps.steps) {
    needs.advance(step);
    count.take(step, steps.start_time_s, needs);
  }
  FileTraffic traffic(plan, run);
  for (const ExpectedFile& file : files) traffic.add(file);
  if (!steps.is_whole_run) return run;
  count.finish();
  for (std::uint32_t f = 0; f < plan.files.size(); ++f) traffic.add_last(FileId(f));
  return run;
}

}  // namespace pileus::explain
