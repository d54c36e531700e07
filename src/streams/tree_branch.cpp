#include "streams/tree_branch.h"

#include <algorithm>
#include <cstring>

#include "analytics/tree_values.h"
#include "core/error.h"
#include "messaging/frames.h"
#include "plan/fields_behind.h"
#include "streams/deferral.h"

namespace pileus {
namespace {

/// A step of the clock after every other.
constexpr std::int64_t kEnd = INT64_MAX - 1;

std::vector<ClientRank> contributors(const Plan& plan, const Tree& tree, ServerRank self) {
  std::vector<ClientRank> ranks;
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    if (plan.layout.server_of(client) == self && plan.contributes(client, tree)) ranks.push_back(client);
  }
  return ranks;
}

}  // namespace

TreeBranch::TreeBranch(const Plan& plan, std::size_t tree, ServerRank self, bool is_deferred,
                       Executor& workers, Messages& messages, ErrorList& errors, RootStream& root)
    : plan_(plan),
      tree_(tree),
      messages_(messages),
      errors_(errors),
      root_(root),
      seat_(tree_seat(plan.members(plan.trees[tree]), plan.trees[tree].root, self)),
      is_deferred_(is_deferred),
      fields_(fields_behind(plan, plan.trees[tree])),
      strand_(workers),
      reduction_(seat_, contributors(plan, plan.trees[tree], self).size(), *this) {
  for (ServerRank child : seat_.children) progress_.add_child(child);
  for (ClientRank client : contributors(plan, plan.trees[tree], self)) progress_.add_rank(client);
}

void TreeBranch::contribute(ClientRank client, std::int64_t step, std::unique_ptr<TreeValues> values) {
  strand_.post([this, client, step, values = std::move(values)]() mutable {
    const CostOfRun cost(cost_);
    progress_.rank_sent(client, step);
    reduction_.contribute(step, std::move(values));
    send_batch_if_due();
  });
}

void TreeBranch::end_client(ClientRank client, std::int64_t last_step) {
  strand_.post([this, client, last_step] {
    progress_.rank_ended(client);
    reduction_.end_contributor(last_step);
    send_batch_if_due();
  });
}

void TreeBranch::receive(ServerRank from, const Decoder& steps, std::shared_ptr<const void> message) {
  if (std::ranges::find(seat_.children, from) == seat_.children.end())
    throw TransportError("server " + std::to_string(from) +
                         " sends up a tree in which it is not below this one");
  strand_.post([this, from, steps, message = std::move(message)] {
    Decoder batch = steps;
    while (!batch.is_at_end()) {
      const CostOfRun cost(cost_);
      const auto step = batch.get<std::int64_t>();
      Decoder values(batch.get_raw(batch.get_length(1)));
      progress_.child_sent(from, step);
      reduction_.receive(step, values);
    }
    send_batch_if_due();
  });
}

void TreeBranch::advance(std::int64_t step, bool is_wanted, bool is_due, const StepHold& hold) {
  if (!seat_.is_member || !(is_wanted || is_due)) return;
  strand_.post([this, step, is_wanted, is_due, hold] {
    if (is_wanted) {
      open_.emplace(step, hold);
      reduction_.open(step);
      if (!reduction_.is_open(step)) open_.erase(step);
    }
    if (is_due) due_.push_back(step);
    send_batch_if_due();
  });
}

void TreeBranch::hurry(std::int64_t step) {
  if (!seat_.is_member) return;
  strand_.post([this, step] {
    due_.push_back(step);
    if (seat_.parent) send_batch();
    send_batch_if_due();
  });
}

void TreeBranch::end_clock() {
  if (!seat_.is_member) return;
  strand_.post([this] {
    due_.push_back(kEnd);
    send_batch_if_due();
  });
}

std::unique_ptr<Contribution> TreeBranch::decode(Decoder& in) { return TreeValues::decode(plan_, tree_, in); }

std::unique_ptr<Contribution> TreeBranch::absent() { return TreeValues::all_absent(plan_, tree_); }

void TreeBranch::send(ServerRank /*parent*/, std::int64_t step, const Contribution& values) {
  if (auto open = open_.extract(step)) in_batch_.push_back(std::move(open.mapped()));
  add_to_batch(step, values);
}

void TreeBranch::complete(std::int64_t step, std::unique_ptr<Contribution> values) {
  open_.erase(step);
  root_.complete(
      tree_, step,
      std::unique_ptr<TreeValues>(static_cast<TreeValues*>(values.release())));  // as decode made it
}

void TreeBranch::fail(std::int64_t step, const std::string& why) {
  errors_.add(first_rule().where.text() + ": " + first_rule().name + " has no value in step " +
              std::to_string(step) + ": " + why);
}

/// The step goes behind those that the frame holds. An empty frame begins with its kind and the tree.
void TreeBranch::add_to_batch(std::int64_t step, const Contribution& values) {
  const std::size_t before = batch_.size();
  Encoder out(batch_);
  try {
    if (batch_.empty()) {
      out.put(ServerFrame::reduction);
      out.put(static_cast<std::uint32_t>(tree_));
    }
    out.put(step);
    const std::size_t at = batch_.size();
    out.put(std::uint64_t{0});
    const std::size_t first = batch_.size();
    values.encode(out);
    const std::uint64_t size = batch_.size() - first;
    std::memcpy(batch_.data() + at, &size, sizeof size);
  } catch (...) {
    batch_.resize(before);  // half a step would spoil the others
    throw;
  }
}

void TreeBranch::send_batch() {
  if (batch_.empty()) return;
  Bytes frame = std::exchange(batch_, {});
  in_batch_.clear();
  messages_.send(*seat_.parent, std::move(frame));
}

/// Called after anything that may have completed a step here.
void TreeBranch::send_batch_if_due() {
  const std::int64_t complete_before = reduction_.first_open_step().value_or(INT64_MAX);
  bool is_due = !is_deferred_ || batch_.size() > kLargestBatchBytes;
  for (; !due_.empty() && due_.front() < complete_before; due_.pop_front()) is_due = true;
  if (is_due) send_batch();
}

void TreeBranch::tell_waits(const std::shared_ptr<Waits>& waits,
                            std::map<ClientRank, std::int64_t> sent_through) {
  if (!seat_.is_member) return;
  waits->expect();
  strand_.post([this, waits, sent_through = std::move(sent_through)] {
    tell_waits_now(*waits, sent_through);
    waits->answered();
  });
}

void TreeBranch::tell_waits_now(Waits& waits, const std::map<ClientRank, std::int64_t>& sent_through) const {
  std::vector<std::int64_t> steps = reduction_.open_steps();
  // Nobody waits for deferred values before a record needs them.
  const std::int64_t needed = due_.empty() ? INT64_MIN : due_.back();
  if (is_deferred_) std::erase_if(steps, [&](std::int64_t step) { return step > needed; });
  if (steps.empty()) return;
  std::string text = first_rule().name + ": step " + std::to_string(steps[0]) + " waits for " +
                     lacking(steps[0], sent_through);
  const std::size_t later = steps.size() - 1;
  if (later > 0)
    text += ", and " + std::to_string(later) + (later == 1 ? " later step too" : " later steps too");
  steps.resize(std::min(steps.size(), Waits::kMostNumbers));
  waits.add(Waits::About::reductions, {"tree " + std::to_string(tree_), std::move(steps), std::move(text)});
}

/// Names what a step lacks. This server may have values of a rank that it has not analysed yet.
std::string TreeBranch::lacking(std::int64_t step,
                                const std::map<ClientRank, std::int64_t>& sent_through) const {
  std::vector<ClientRank> absent, here;
  for (const ClientRank rank : progress_.missing_ranks(step))
    (sent_through.at(rank) >= step ? here : absent).push_back(rank);
  const std::vector<ServerRank> servers = progress_.missing_servers(step);
  const std::string fields = fields_.empty() ? "" : fields_ + " of ";
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : " and for ") + more; };
  if (!absent.empty()) add(fields + numbered("model rank", absent));
  if (!here.empty()) add("the analysis of " + fields + numbered("model rank", here) + " in this server");
  if (!servers.empty()) add(numbered("server", servers));
  return text.empty() ? "results of other servers" : text;
}

std::vector<std::string> TreeBranch::open_texts() const {
  std::vector<std::string> texts;
  for (const std::string& key : reduction_.open_keys()) texts.push_back(first_rule().name + ": " + key);
  return texts;
}

std::pair<std::string, Cost> TreeBranch::cost() const {
  const std::size_t others = plan_.trees[tree_].communications.size() - 1;
  return {first_rule().name + (others == 0 ? "" : " and " + std::to_string(others) + " with it"), cost_};
}

}  // namespace pileus
