#include "streams/analysis.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "analytics/sample_code.h"
#include "checkpoint/kept_statics.h"
#include "messaging/frames.h"
#include "plan/fields_behind.h"
#include "time/static_record.h"

namespace pileus {
namespace {

/// Of the clock: after every step.
constexpr std::int64_t kEnd = INT64_MAX - 1;

std::vector<VariableId> rooted_variables(const Plan& plan, ServerRank root) {
  std::vector<VariableId> variables;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    const Value& value = plan[plan.variables[v].value];
    if (value.spread == Spread::rooted && value.root == root) variables.push_back(VariableId(v));
  }
  return variables;
}

WindowSet::Hooks root_window_hooks(const Plan& plan, std::function<void(Records, ClientRank)> records,
                                   Failed failed) {
  auto regions = std::make_shared<const std::vector<Region>>(whole_regions(plan));
  auto region_of = [&plan, regions](VariableId variable) { return (*regions)[plan[variable].value.index]; };
  return {region_of, [records = std::move(records)](Records made) { records(std::move(made), 0); },
          std::move(failed)};
}

/// "io.xml:14:9: m": the first of what travels together.
std::string place_of(const Plan& plan, const Tree& tree) {
  const Rule& rule = plan[tree.communications.front()];
  return rule.where.text() + ": " + rule.name;
}

/// Behind what the frame of a tree holds. An empty one begins with this.
void add_to_batch(Bytes& frame, std::size_t tree, std::int64_t step, const Contribution& values) {
  const std::size_t before = frame.size();
  Encoder out(frame);
  try {
    if (frame.empty()) {
      out.put(ServerFrame::reduction);
      out.put(static_cast<std::uint32_t>(tree));
    }
    out.put(step);
    const std::size_t at = frame.size();
    out.put(std::uint64_t{0});
    const std::size_t first = frame.size();
    values.encode(out);
    const std::uint64_t size = frame.size() - first;
    std::memcpy(frame.data() + at, &size, sizeof size);
  } catch (...) {
    frame.resize(before);  // half a step would spoil the others
    throw;
  }
}

}  // namespace

Analysis::Analysis(const Plan& plan, ServerRank self, Executor& workers, Messages& messages,
                   ErrorList& errors, bool defers, Hooks hooks, const Continuation* continued)
    : plan_(plan),
      self_(self),
      messages_(messages),
      errors_(errors),
      hooks_(std::move(hooks)),
      continued_(continued == nullptr ? std::nullopt
                                      : std::optional<ContinuedWindows>(
                                            std::in_place, plan, continued->entries, continued->step.time)),
      facts_(plan, self, continued_ ? &*continued_ : nullptr),
      deferral_(plan),
      defers_(defers),
      cuts_strand_(workers),
      root_strand_(workers),
      root_windows_(
          plan, rooted_variables(plan, self),
          root_window_hooks(plan, hooks_.records, [&errors](const std::string& what) { errors.add(what); }),
          continued_ ? &*continued_ : nullptr),
      root_(
          plan,
          [this](const StepFacts& facts, const StepValues& values, const StepHold& hold) {
            if (facts.step.is_first != 0) tell_statics_of_root(values);
            root_windows_.advance(facts.actions, values, hold);
          },
          [&errors](const std::string& what) { errors.add(what); },
          [this](std::size_t distribution, std::int64_t step, const BroadcastValues& values) {
            distribute(distribution, step, values);
          }) {
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    branches_.push_back(make_branch(t));
    branches_.back().strand = std::make_unique<Strand>(workers);
  }
  const std::vector<KeptStatic> statics =
      continued == nullptr ? std::vector<KeptStatic>() : kept_statics(plan, continued->entries);
  client_of_rank_.resize(plan.layout.clients);
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    if (plan.layout.server_of(client) != self) continue;
    Client& own = clients_.try_emplace(client, client).first->second;
    client_of_rank_[client] = &own;
    own.stream = std::make_unique<ClientStream>(plan, client, workers, errors, stream_hooks(client),
                                                continued_ ? &*continued_ : nullptr, statics);
  }
  if (self_ == 0) {
    for (const PlannedGroup& group : plan.groups) previous_times_s_.push_back(group.previous_time_s);
  }
}

Analysis::Branch Analysis::make_branch(std::size_t t) {
  const Tree& tree = plan_.trees[t];
  Branch branch;
  branch.place = tree_place(plan_.members(tree), tree.root, self_);
  branch.is_deferred = defers_ && deferral_.is_deferred(t);
  branch.fields = fields_behind(plan_, tree);
  for (ServerRank child : branch.place.children) branch.progress.add_child(child);
  for (ClientRank client = 0; client < plan_.layout.clients; ++client) {
    if (plan_.layout.server_of(client) != self_ || !plan_.contributes(client, tree)) continue;
    ++branch.contributors;
    branch.progress.add_rank(client);
  }
  branch.reduction = std::make_unique<ActiveReduction>(branch.place, branch.contributors, reduction_hooks(t));
  return branch;
}

ActiveReduction::Hooks Analysis::reduction_hooks(std::size_t tree) {
  ActiveReduction::Hooks hooks;
  hooks.decode = [this, tree](Decoder& in) { return TreeValues::decode(plan_, tree, in); };
  hooks.absent = [this, tree] { return TreeValues::all_absent(plan_, tree); };
  hooks.send = [this, tree](ServerRank, std::int64_t step, const Contribution& values) {
    Branch& branch = branches_[tree];
    if (auto open = branch.open.extract(step)) branch.in_batch.push_back(std::move(open.mapped()));
    add_to_batch(branch.batch, tree, step, values);
  };
  hooks.failed = [this, tree](std::int64_t step, const std::string& why) {
    errors_.add(place_of(plan_, plan_.trees[tree]) + " has no value in step " + std::to_string(step) + ": " +
                why);
  };
  hooks.complete = [this, tree](std::int64_t step, std::unique_ptr<Contribution> values) {
    branches_[tree].open.erase(step);
    std::unique_ptr<TreeValues> reduced(static_cast<TreeValues*>(values.release()));
    root_strand_.post([this, tree, step, reduced = std::move(reduced)]() mutable {
      root_.complete(tree, step, std::move(reduced));
      finish_root_if_over();
    });
  };
  return hooks;
}

void Analysis::send_batch(std::size_t tree) {
  Branch& branch = branches_[tree];
  if (branch.batch.empty()) return;
  Bytes frame = std::exchange(branch.batch, {});
  branch.in_batch.clear();
  messages_.send(*branch.place.parent, std::move(frame));
}

/// After anything that may have completed a step here. On the branch's strand.
void Analysis::send_batch_if_due(std::size_t tree) {
  Branch& branch = branches_[tree];
  const std::int64_t complete_before = branch.reduction->first_open_step().value_or(INT64_MAX);
  bool is_due = !branch.is_deferred || branch.batch.size() > kLargestBatchBytes;
  for (; !branch.due.empty() && branch.due.front() < complete_before; branch.due.pop_front()) is_due = true;
  if (is_due) send_batch(tree);
}

ClientStream::Hooks Analysis::stream_hooks(ClientRank client) {
  ClientStream::Hooks hooks;
  hooks.contribute = [this, client](std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues> values) {
    Branch& branch = branches_[tree];
    branch.strand->post([this, tree, &branch, client, step, values = std::move(values)]() mutable {
      const CostOfRun cost(branch.cost);
      branch.progress.rank_sent(client, step);
      branch.reduction->contribute(step, std::move(values));
      send_batch_if_due(tree);
    });
  };
  hooks.records = [this, client](Records records) { hooks_.records(std::move(records), client); };
  if (hooks_.static_record)
    hooks.static_record = [this, client](Record record) { hooks_.static_record(std::move(record), client); };
  hooks.finished = [this, client](std::int64_t last_step) {
    for (std::size_t t = 0; t < branches_.size(); ++t) {
      if (!plan_.contributes(client, plan_.trees[t])) continue;
      Branch& branch = branches_[t];
      branch.strand->post([this, t, &branch, client, last_step] {
        branch.progress.rank_ended(client);
        branch.reduction->end_contributor(last_step);
        send_batch_if_due(t);
      });
    }
  };
  hooks.ended = [this, client] { hooks_.stream_ended(client); };
  hooks.kept = [this](std::int64_t step, std::vector<StateEntry> entries, std::string error) {
    add_to_cut(step, std::move(entries), std::move(error));
  };
  return hooks;
}

/// What was reduced to this server of static fields. On the root's strand.
void Analysis::tell_statics_of_root(const StepValues& values) const {
  if (!hooks_.static_record) return;
  const std::vector<Region> regions = whole_regions(plan_);
  for (std::size_t i = 0; i < plan_.statics.size(); ++i) {
    const ValueId id = plan_.statics[i].value;
    if (plan_[id].spread != Spread::rooted || plan_[id].root != self_) continue;
    hooks_.static_record(static_record(plan_, i, regions[id.index], values[id.index]), 0);
  }
}

void Analysis::stop() {
  if (std::exchange(is_stopped_, true)) return;
  for (auto& [rank, client] : clients_) client.early.clear();
}

Analysis::Client& Analysis::client_of(ClientRank rank) {
  Client* const client = client_of_rank_.at(rank);
  if (client != nullptr) return *client;
  throw TransportError("model rank " + std::to_string(rank) + " sends to a server that is not its own");
}

void Analysis::take(ClientRank rank, Parcel parcel) {
  if (is_stopped_) return;
  // Once the clock has ended, nobody can make use of later steps, and their senders must not wait for room.
  if (clock_end_ && parcel.step.index > *clock_end_) return;
  Client& client = client_of(rank);
  if (parcel.step.index > clock_step_) {
    if (client.has_failed) return;
    client.early.emplace_back(std::move(parcel));
    if (client.early.size() == 1) go_ahead(client);
  } else {
    hand_on(client, std::move(parcel));
  }
}

void Analysis::take_marker(ClientRank rank, std::int64_t step) {
  if (is_stopped_) return;
  if (clock_end_ && step > *clock_end_) return;
  Client& client = client_of(rank);
  if (step > clock_step_) {
    client.early.emplace_back(Marker{step});
    if (client.early.size() == 1) go_ahead(client);
  } else {
    hand_on(client, Marker{step});
  }
}

/// The rank goes on to a step that the clock comes to only when those before it are done: what they lack of
/// this rank, which sends in order, does not come.
void Analysis::go_ahead(Client& client) const {
  if (client.has_failed || (client.early.empty() && !client.last_step)) return;
  const std::int64_t step = client.early.empty() ? *client.last_step : step_of(client.early.front());
  if (step <= clock_step_) return;
  fail_if(client, client.steps.go_ahead(step));
  if (!client.has_failed) client.stream->go_on_to(step);
}

std::int64_t Analysis::step_of(const std::variant<Parcel, Marker>& early) {
  const auto* parcel = std::get_if<Parcel>(&early);
  return parcel != nullptr ? parcel->step.index : std::get<Marker>(early).step;
}

void Analysis::hand_on(Client& client, Marker marker) {
  client.marked = std::max(client.marked, marker.step);
  if (!client.has_failed) fail_if(client, client.steps.pass(marker.step));
  if (!client.has_failed) client.stream->mark(marker.step);
}

void Analysis::hand_on(Client& client, Parcel parcel) {
  if (!client.has_failed) fail_if(client, client.steps.take(parcel.step));
  if (client.has_failed) return;
  parcel.facts = client.steps.facts();
  client.stream->take(std::move(parcel));
}

void Analysis::fail_if(Client& client, const std::string& wrong) {
  if (wrong.empty()) return;
  client.has_failed = true;
  client.steps.clear();
  client.early.clear();
  client.stream->fail(wrong);
}

void Analysis::finish_client(ClientRank rank, std::int64_t last_step) {
  if (is_stopped_) return;
  Client& client = client_of(rank);
  client.last_step = last_step;
  go_ahead(client);
  finish_if_over(client);
}

void Analysis::finish_if_over(Client& client) {
  if (!client.last_step || !(clock_end_ || clock_step_ >= *client.last_step)) return;
  if (!client.is_finished) {
    client.is_finished = true;
    if (!client.has_failed) fail_if(client, client.steps.finish(*client.last_step));
    client.steps.clear();
    client.stream->finish(*client.last_step);
  }
  if (clock_end_) {
    client.stream->end(*client.last_step, *clock_end_, last_actions_);
  } else if (clock_step_ > *client.last_step && !client.has_left) {
    // Others' parts of records that lack its own would keep their senders' room, and the clock with it.
    client.has_left = true;
    client.stream->leave();
  }
}

void Analysis::advance(const Step& step, double start_time_s, StepHold hold) {
  if (is_stopped_) return;
  clock_step_ = step.index;
  const SharedFacts facts = facts_.advance(step, start_time_s);
  if (self_ == 0) follow_groups(*facts);
  if (step.is_checkpoint) begin_cut(step.index);
  root_strand_.post([this, facts, hold] {
    root_.advance(facts, hold);
    if (facts->step.is_checkpoint) root_.cut([this, index = facts->step.index] { keep_root(index); });
  });
  const std::vector<bool>& is_due = deferral_.due(facts->step, facts->actions);
  for (std::size_t t = 0; t < branches_.size(); ++t) go_on_with(t, *facts, is_due[t], hold);
  for (auto& [rank, client] : clients_) go_on_with(rank, client, facts, hold);
}

void Analysis::go_on_with(std::size_t t, const StepFacts& facts, bool is_due, const StepHold& hold) {
  Branch& branch = branches_[t];
  const bool is_wanted = facts.kind->has_tree[t];
  if (!branch.place.is_member || !(is_wanted || is_due)) return;
  branch.strand->post([this, t, &branch, index = facts.step.index, is_wanted, is_due, hold] {
    if (is_wanted) {
      branch.open.emplace(index, hold);
      branch.reduction->open(index);
      if (!branch.reduction->is_open(index)) branch.open.erase(index);
    }
    if (is_due) branch.due.push_back(index);
    send_batch_if_due(t);
  });
}

void Analysis::go_on_with(ClientRank rank, Client& client, const SharedFacts& facts, const StepHold& hold) {
  expect(rank, client, facts, hold);
  while (!client.early.empty() && step_of(client.early.front()) <= facts->step.index) {
    std::variant<Parcel, Marker> next = std::move(client.early.front());
    client.early.pop_front();
    std::visit([&](auto& one) { hand_on(client, std::move(one)); }, next);
  }
  go_ahead(client);
  finish_if_over(client);
}

void Analysis::expect(ClientRank rank, Client& client, const SharedFacts& facts, const StepHold& hold) {
  const std::int64_t step = facts->step.index;
  if (client.has_failed || (client.last_step && step > *client.last_step)) return;
  const ClientFacts& due = facts->kind->of(rank);
  if (!due.groups.empty()) {
    client.steps.expect(facts, hold);
  } else if (!due.broadcasts.empty() && !client.steps.is_behind()) {
    client.stream->pass(step);  // what is sent to all would wait for it for ever
  }
}

void Analysis::hurry() {
  for (std::size_t t = 0; t < branches_.size(); ++t) {
    if (!branches_[t].place.is_member) continue;
    branches_[t].strand->post([this, t, step = clock_step_] {
      branches_[t].due.push_back(step);
      if (branches_[t].place.parent) send_batch(t);
      send_batch_if_due(t);
    });
  }
}

void Analysis::end_clock(std::int64_t last_step) {
  if (is_stopped_) return;
  clock_end_ = last_step;
  last_actions_ = facts_.finish();
  root_strand_.post([this] {
    has_clock_ended_ = true;
    finish_root_if_over();
  });
  for (std::size_t t = 0; t < branches_.size(); ++t) {
    if (!branches_[t].place.is_member) continue;
    branches_[t].strand->post([this, t] {
      branches_[t].due.push_back(kEnd);
      send_batch_if_due(t);
    });
  }
  for (auto& [rank, client] : clients_) {
    client.early.clear();
    finish_if_over(client);
  }
}

void Analysis::finish_root_if_over() {
  if (!has_clock_ended_ || is_root_over_ || root_.has_open_steps()) return;
  is_root_over_ = true;
  root_windows_.finish(*last_actions_);
}

void Analysis::take_reduction(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  if (is_stopped_) return;
  const auto tree = in.get<std::uint32_t>();
  if (tree >= branches_.size()) throw TransportError("a reduction came for a tree that does not exist");
  Branch& branch = branches_[tree];
  branch.strand->post([this, tree, &branch, from, rest = in.rest(), message] {
    Decoder batch(rest);
    while (!batch.is_at_end()) {
      const CostOfRun cost(branch.cost);
      const auto step = batch.get<std::int64_t>();
      Decoder values(batch.get_raw(batch.get_length(1)));
      branch.progress.child_sent(from, step);
      branch.reduction->receive(step, values);
    }
    send_batch_if_due(tree);
  });
}

/// From the root's strand.
void Analysis::distribute(std::size_t distribution, std::int64_t step, const BroadcastValues& values) {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::distribution);
  out.put(static_cast<std::uint32_t>(distribution));
  out.put(step);
  out.put(static_cast<std::uint64_t>(values.size()));
  for (const auto& [value, sample] : values) {
    out.put(value.index);
    encode_sample(sample, out);
  }
  pass_on(distribution, frame);
  hand_to_clients(step, values);
}

void Analysis::pass_on(std::size_t distribution, const Bytes& frame) {
  std::vector<ServerRank> all(plan_.layout.servers);
  std::iota(all.begin(), all.end(), ServerRank{0});
  for (ServerRank child : tree_place(all, plan_.distributions[distribution].root, self_).children)
    messages_.send(child, frame);
}

void Analysis::hand_to_clients(std::int64_t step, const BroadcastValues& values) {
  const auto shared = std::make_shared<const BroadcastValues>(values);
  const bool is_for_all =
      std::ranges::any_of(values, [&](const auto& one) { return plan_[one.first].is_everywhere; });
  for (const auto& [rank, client] : clients_) {
    if (is_for_all || rank == 0) client.stream->settle(step, shared);
  }
}

void Analysis::take_distribution(Decoder& in) {
  if (is_stopped_) return;
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::distribution);
  out.put_raw(Decoder(in).rest());

  const auto distribution = in.get<std::uint32_t>();
  const auto step = in.get<std::int64_t>();
  if (distribution >= plan_.distributions.size()) {
    throw TransportError("values came for all servers that the plan does not know");
  }
  BroadcastValues values;
  for (std::size_t i = in.get_length(5); i > 0; --i) {
    const ValueId value(in.get<std::uint32_t>());
    Sample sample = decode_sample(in);
    const bool is_broadcast = value.index < plan_.values.size() && plan_[value].rule.is_valid() &&
                              std::holds_alternative<Broadcast>(plan_[plan_[value].rule].action);
    if (!is_broadcast || (!is_absent(sample) && extents(sample) != plan_.extents(value))) {
      throw TransportError("values came for all servers that have another shape in the plan");
    }
    values.emplace_back(value, std::move(sample));
  }
  pass_on(distribution, frame);
  hand_to_clients(step, values);
}

}  // namespace pileus
