#include "server/needed_state.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/kept_statics.h"
#include "followed/followed_groups.h"
#include "held/held_values.h"
#include "lags/lag_store.h"
#include "plan/held_regions.h"
#include "publishing/owner/selected_records.h"
#include "publishing/owner/static_parts.h"
#include "time/continued_windows.h"

namespace pileus {
namespace {

/// Who takes the entry says that a region of another rank is wrong.
bool has_any_of(const Region& entry, const std::vector<Region>& parts) {
  return std::ranges::any_of(parts, [&](const Region& part) {
    return entry.rank() != part.rank() || common(entry, part).size() > 0;
  });
}

class NeededState {
 public:
  NeededState(const Plan& plan, ServerRank self) : plan_(plan), self_(self) {
    for (ClientRank client = 0; client < plan.layout.clients; ++client) {
      if (plan.layout.server_of(client) == self) add_client(client);
    }
    for (std::size_t v = 0; v < plan.variables.size(); ++v) {
      if (!is_in_parts(plan.variables[v]))
        has_window_[window_key(plan, VariableId(v))] = is_here(plan.variables[v]);
    }
    add_followed(whole_regions(plan),
                 [&](const Value& made) { return made.spread == Spread::rooted && made.root == self; });
    for (const Variable& variable : plan.statics) {
      if (plan[variable.file].owner == self) wholes_.insert(static_variable_key(plan, variable));
    }
  }

  Wanted wanted(const StateName& name, const Region& region) const {
    if (!needs(name, region)) return has_empty_part(name) ? Wanted::region : Wanted::nothing;
    return name.first == kStaticVariableKind ? Wanted::on_disk : Wanted::all;
  }

 private:
  /// A rank that has no element has a value all the same, where others have one.
  bool has_empty_part(const StateName& name) const {
    if (name.first != kLagKind && name.first != kHeldKind) return false;
    const auto part = parts_.find(name);
    return part != parts_.end() &&
           std::ranges::any_of(part->second, [](const Region& one) { return one.size() == 0; });
  }
  bool needs(const StateName& name, const Region& region) const {
    const auto& [kind, key] = name;
    if (kind == kStaticVariableKind) return wholes_.contains(key);
    if (kind != kWindowKind && kind != kStaticKind && kind != kLagKind && kind != kFollowedKind &&
        kind != kHeldKind)
      return true;
    const std::string first = kind == kWindowKind ? first_window_key(key) : key;
    const auto part = parts_.find({kind, first});
    if (part != parts_.end()) return has_any_of(region, part->second);
    const auto here = has_window_.find(first);
    return kind == kWindowKind && here != has_window_.end() && here->second;
  }
  void add_lags(const std::vector<Region>& regions) {
    for (const Rule& rule : plan_.rules) {
      const auto* const lag = std::get_if<Lag>(&rule.action);
      for (std::int64_t age = 1; lag != nullptr && age <= lag->back; ++age)
        parts_[{kLagKind, lag_key(plan_, rule, age)}].push_back(regions[rule.inputs.front().index]);
    }
  }
  void add_followed(const std::vector<Region>& regions, const std::function<bool(const Value&)>& is_here) {
    for (const FollowedGroup& group : followed_)
      for (const std::string& key : group.keys)
        if (std::ranges::any_of(group.rules, [&](RuleId rule) { return is_here(plan_[plan_[rule].output]); }))
          parts_[{kFollowedKind, key}].push_back(regions[group.input.index]);
  }
  bool is_in_parts(const Variable& variable) const {
    return plan_[variable.value].spread == Spread::distributed;
  }
  /// A value that is the same on all ranks is rank 0's.
  bool is_here(const Variable& variable) const {
    const Value& value = plan_[variable.value];
    return value.spread == Spread::rooted ? value.root == self_ : plan_.layout.server_of(0) == self_;
  }
  void add_client(ClientRank client) {
    const std::vector<Region> regions = regions_of_client(plan_, client);
    add_lags(regions);
    add_followed(regions, [&](const Value& made) { return is_made_by(made, client); });
    for (std::size_t v = 0; v < plan_.variables.size(); ++v) {
      if (is_in_parts(plan_.variables[v]))
        parts_[{kWindowKind, window_key(plan_, VariableId(v))}].push_back(
            regions[plan_.variables[v].sampled().index]);
    }
    for (std::size_t f = 0; f < plan_.fields.size(); ++f) {
      if (plan_.fields[f].is_static)
        parts_[static_name(plan_, plan_.fields[f])].push_back(plan_.regions[client][f]);
      if (plan_.fields[f].is_held)
        parts_[{kHeldKind, held_key(plan_.fields[f])}].push_back(plan_.regions[client][f]);
    }
  }

  const Plan& plan_;
  const ServerRank self_;
  const std::vector<FollowedGroup> followed_ = followed_groups(plan_);
  std::map<StateName, std::vector<Region>>
      parts_;                               ///< what lies in parts on model ranks: those of this server's
  std::map<std::string, bool> has_window_;  ///< other windows, by key: whether they are here
  std::set<std::string> wholes_;            ///< static variables of own files, by key
};

}  // namespace

StateFilter state_needed_on(const Plan& plan, ServerRank self) {
  return [needed = std::make_shared<const NeededState>(plan, self)](
             const StateName& name, const Region& region) { return needed->wanted(name, region); };
}

StateFilter state_needed_to_plan() {
  return [](const StateName& name, const Region&) {
    if (name.first == kStaticKind) return Wanted::region;
    const auto& kind = name.first;
    const bool is_of_servers = kind == kWindowKind || kind == kStaticVariableKind || kind == kLagKind ||
                               kind == kFollowedKind || kind == kHeldKind || kind == kComparedKind;
    return is_of_servers ? Wanted::nothing : Wanted::all;
  };
}

}  // namespace pileus
