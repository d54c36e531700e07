#include "explain/regrid_traffic.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/error.h"
#include "disk/passing_files.h"
#include "formats/netcdf/netcdf_format.h"
#include "plan/held_regions.h"
#include "regrid/directory.h"

namespace pileus::explain {
namespace {

/// Points of grids whose links are looked at; more take longer than anybody waits.
constexpr Index kMostPoints = Index{1} << 22;

const Regridding& how_of(const Plan& plan, RuleId rule) { return *std::get<Regrid>(plan[rule].action).how; }

class LinksAlone : public ReadWeights {
 public:
  LinkRows links(const Regridding& how, Index first, Index count) const override {
    return format_->read_links(how.file, {how.source_size, how.target_size}, first, count);
  }
  std::array<std::vector<double>, 2> places(const std::string&, Index, Index) const override { return {}; }

 private:
  std::unique_ptr<PassingFiles> files_ = std::make_unique<PassingFiles>();
  std::unique_ptr<FileFormat> format_ = netcdf_format(*files_);
};

/// Elements that a rank has of a rule's input: all of them, and those of each point.
struct Held {
  Index all = 1, of_point = 1;
};
Held held_of(const Plan& plan, ClientRank client, RuleId rule) {
  const ValueId input = plan[rule].inputs.front();
  const std::vector<int>& axes = how_of(plan, rule).axes;
  const Extents count = regions_of_client(plan, client)[input.index].count;
  Held held;
  for (int d = 0; d < static_cast<int>(count.size()); ++d) {
    held.all *= count[static_cast<std::size_t>(d)];
    if (std::ranges::find(axes, d) == axes.end()) held.of_point *= count[static_cast<std::size_t>(d)];
  }
  return held;
}

Index element_bytes(const Plan& plan, RuleId rule) {
  const Value& input = plan[plan[rule].inputs.front()];
  return static_cast<Index>(size_bytes(input.form == Form::numbers ? input.type : ElementType::float64));
}

std::set<ServerRank> servers_with_ranks(const Plan& plan) {
  std::set<ServerRank> servers;
  for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) servers.insert(plan.layout.server_of(rank));
  return servers;
}

}  // namespace

RegridTraffic::RegridTraffic(const Plan& plan) : plan_(plan), parts_(plan.regrids.size()) {
  Index points = 0;
  for (const RegridGroup& group : plan.regrids) {
    const Regridding& how = how_of(plan, group.rules.front());
    if (how.halo.empty()) points += how.source_size + how.target_size;
  }
  if (servers_with_ranks(plan).size() < 2) return;
  is_bound_ = points > kMostPoints;
  try {
    if (!is_bound_) find_parts();
  } catch (const UsageError&) {  // the run will say so
    is_bound_ = true;
  }
  if (is_bound_) bound_parts();
  for (std::vector<Part>& parts : parts_)
    std::ranges::sort(parts, {}, [](const Part& one) { return std::tuple(one.from, one.to, one.client); });
}

void RegridTraffic::find_parts() {
  const LinksAlone weights;
  for (const ServerRank to : servers_with_ranks(plan_)) {
    const RegridDirectory directory(plan_, to, weights);
    for (std::size_t group = 0; group < plan_.regrids.size(); ++group) {
      for (const RuleId rule : plan_.regrids[group].rules) {
        for (ClientRank client = 0; client < plan_.layout.clients; ++client) {
          const ServerRank from = plan_.layout.server_of(client);
          Index points = 0;
          for (const RegridPart& part : directory.incoming(group, directory.layout_of(group, rule), client))
            points += part.count;
          if (from == to || points == 0) continue;
          const Index elements = points * held_of(plan_, client, rule).of_point;
          parts_[group].push_back({from, to, client, rule, elements * element_bytes(plan_, rule)});
        }
      }
    }
  }
}

/// As if each server needed all that the others have.
void RegridTraffic::bound_parts() {
  const std::set<ServerRank> servers = servers_with_ranks(plan_);
  for (std::size_t group = 0; group < plan_.regrids.size(); ++group) {
    parts_[group].clear();
    for (const RuleId rule : plan_.regrids[group].rules) {
      for (ClientRank client = 0; client < plan_.layout.clients; ++client) {
        const Index bytes = held_of(plan_, client, rule).all * element_bytes(plan_, rule);
        for (const ServerRank to : servers) {
          const ServerRank from = plan_.layout.server_of(client);
          if (from != to && bytes > 0) parts_[group].push_back({from, to, client, rule, bytes});
        }
      }
    }
  }
}

std::vector<RegridSent> RegridTraffic::of_step(const NeedTracker& needs) const {
  std::vector<RegridSent> sent(plan_.layout.servers);
  for (std::size_t group = 0; group < parts_.size(); ++group) {
    const auto rules = std::ranges::count_if(plan_.regrids[group].rules,
                                             [&](RuleId rule) { return is_wanted(rule, needs); });
    if (rules == 0) continue;
    std::set<std::tuple<ServerRank, ServerRank>> frames;
    std::set<std::tuple<ServerRank, ServerRank, ClientRank>> clients;
    for (const Part& part : parts_[group]) {
      Traffic& most = sent[part.from].most;
      // Its kind, group, step, number of rules, and these.
      if (frames.insert({part.from, part.to}).second) most += {1, 24 + 4 * rules};
      if (!is_wanted(part.rule, needs)) continue;
      if (clients.insert({part.from, part.to, part.client}).second) most.bytes += 4;
      most.bytes += 1 + part.bytes;
    }
  }
  for (RegridSent& one : sent)
    if (!is_bound_) one.least = one.most;
  return sent;
}

}  // namespace pileus::explain
