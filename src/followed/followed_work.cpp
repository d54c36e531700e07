#include "followed/followed_work.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace pileus {

FollowedWork::FollowedWork(const Plan& plan, std::vector<Region> regions)
    : plan_(plan), regions_(std::move(regions)), group_of_(plan.rules.size()) {
  for (FollowedGroup& group : followed_groups(plan)) {
    for (const RuleId rule : group.rules) group_of_[rule.index] = groups_.size();
    groups_.push_back({std::move(group), {}, {}});
  }
}

void FollowedWork::restore(const StateEntries& continued, const std::function<bool(ValueId)>& is_here) {
  for (Group& group : groups_) {
    if (std::ranges::none_of(group.group.rules, [&](RuleId rule) { return is_here(plan_[rule].output); }))
      continue;
    std::vector<operators::Piece> pieces;
    for (const std::string& key : group.group.keys) {
      if (!pieces.empty()) break;
      for (const StateEntry& entry : continued.find(kFollowedKind, key)) {
        if (entry.region.rank() != regions_[group.group.input.index].rank())
          throw TransportError("what was followed has a region of another rank");
        pieces.push_back({{entry.region.start, entry.region.count}, entry.bytes});
      }
    }
    const Region& part = regions_[group.group.input.index];
    if (pieces.empty() || part.size() == 0) continue;
    if (auto what = followed_of(group).restore({part.start, part.count}, pieces))
      group.known.push_back({INT64_MIN, std::move(what)});
  }
}

void FollowedWork::expect(RuleId rule, std::int64_t step) {
  std::deque<Waiting>& waiting = groups_[*group_of_[rule.index]].waiting;
  if (waiting.empty() || waiting.back().step != step) waiting.push_back({step, 0});
  ++waiting.back().rules;
}

bool FollowedWork::is_turn(RuleId rule, std::int64_t step) const {
  const std::deque<Waiting>& waiting = groups_[*group_of_[rule.index]].waiting;
  return waiting.empty() || waiting.front().step >= step;
}

std::shared_ptr<const void> FollowedWork::known(RuleId rule, const operators::Moment& moment,
                                                const std::vector<operators::Part>& inputs) {
  Group& group = groups_[*group_of_[rule.index]];
  std::deque<Known>& known = group.known;
  if (!known.empty() && known.back().step == moment.step) return known.back().what;
  const operators::Followed& followed = followed_of(group);
  const operators::Followed& ours = *followed_by(plan_[rule]);
  std::vector<operators::Part> parts;
  for (const std::size_t input : ours.inputs) parts.push_back(inputs.at(input));
  auto what = followed.follow(known.empty() ? nullptr : known.back().what.get(), moment, parts);
  known.push_back({moment.step, std::move(what)});
  let_go(group);
  return known.back().what;
}

void FollowedWork::done(RuleId rule, std::int64_t step) {
  std::deque<Waiting>& waiting = groups_[*group_of_[rule.index]].waiting;
  if (waiting.empty() || waiting.front().step != step) return;
  if (--waiting.front().rules == 0) waiting.pop_front();
}

/// The next step needs the last, and a checkpoint what is known after the last closed one.
void FollowedWork::let_go(Group& group) const {
  while (group.known.size() > 1 && group.known[1].step <= closed_) group.known.pop_front();
}

void FollowedWork::close(std::int64_t step) {
  closed_ = std::max(closed_, step);
  for (Group& group : groups_) let_go(group);
}

std::vector<StateEntry> FollowedWork::state(const std::function<bool(ValueId)>& is_ours) const {
  std::vector<StateEntry> entries;
  for (const Group& group : groups_) {
    if (!is_ours(plan_[group.group.rules.front()].output)) continue;
    const auto after =
        std::ranges::find_if(group.known, [&](const Known& one) { return one.step > closed_; });
    if (after == group.known.begin()) continue;
    const Region& part = regions_[group.group.input.index];
    for (operators::Piece& piece :
         followed_of(group).keep(std::prev(after)->what.get(), {part.start, part.count})) {
      StateEntry& entry = entries.emplace_back();
      entry.kind = kFollowedKind;
      entry.key = group.group.keys.front();
      entry.region = {std::move(piece.region.start), std::move(piece.region.count)};
      entry.bytes = std::move(piece.bytes);
    }
  }
  return entries;
}

}  // namespace pileus
