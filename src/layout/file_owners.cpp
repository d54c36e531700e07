#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "core/step.h"
#include "layout/draft.h"

namespace pileus::planning {
namespace {

/// What the server of a file has to do for each sample of a reduced variable: it merges what all servers have
/// of it, averages it and puts it into the file. It takes as long as to receive and reduce so many bytes
/// (docs/decisions/064-owners-by-what-else-they-do.md).
constexpr double kBytesOfSample = 12e3;

/// As far as it is known before the run: a step counts as a second.
double seconds_between(const Cadence& cadence) {
  if (cadence.is_in_time()) return cadence.every.seconds;
  return static_cast<double>(std::max<std::int64_t>(cadence.steps, 1));
}

/// The length of a step is not known yet, so it counts as a second, and a time that the model decides as an
/// hour.
double seconds_between_records(const Schedule& schedule) {
  if (schedule.at_checkpoints) return 3600;
  if (schedule.manipulation->record_of == RecordOf::each_sample) return seconds_between(schedule.cadence);
  return Boundaries(schedule.output_frequency).period();
}

/// How many elements of a field the model ranks of each server hold.
std::vector<double> elements_by_server(const Layout& layout, const RankColumn& regions) {
  std::vector<double> elements(layout.servers);
  for (std::size_t rank = 0; rank < regions.size(); ++rank)
    elements[layout.server_of(static_cast<ClientRank>(rank))] += static_cast<double>(regions[rank].size());
  return elements;
}

/// What model ranks hand over to each server, in bytes per model second.
std::vector<double> received_by_servers(const Draft& draft) {
  std::vector<double> bytes_per_s(draft.plan.layout.servers);
  std::map<RankRegions::Column, std::vector<double>> elements;  // fields that lie alike share theirs
  const std::vector<Node>& nodes = draft.graph.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_field() || !nodes[i].is_live || nodes[i].field->is_static) continue;
    const RankRegions::Column& column = draft.shapes.regions.column(i);
    const auto [known, is_new] = elements.try_emplace(column);
    if (is_new) known->second = elements_by_server(draft.plan.layout, *column);
    const double bytes = static_cast<double>(size_bytes(draft.shapes.fields[i].wire_type));
    const double interval_s = seconds_between(draft.graph.config->data_groups[nodes[i].group].frequency);
    for (std::size_t server = 0; server < bytes_per_s.size(); ++server)
      bytes_per_s[server] += known->second[server] * bytes / interval_s;
  }
  return bytes_per_s;
}

/// What each file brings to its server.
std::vector<double> brought_by_files(const Draft& draft) {
  const Plan& plan = draft.plan;
  std::vector<double> bytes_per_s(plan.files.size());
  for (std::size_t i = 0; i < plan.variables.size(); ++i) {
    const Variable& variable = plan.variables[i];
    const Schedule& schedule = plan[variable.schedule];
    const Term& term = draft.terms[draft.variable_terms[i]];
    auto bytes = static_cast<double>(size_bytes(variable.type));
    for (DimensionId dimension : term.dimensions)
      bytes *= static_cast<double>(draft.shapes.dimensions[dimension.index].size);
    bytes_per_s[variable.file.index] += bytes / seconds_between_records(schedule);
    if (term.spread == Spread::rooted)
      bytes_per_s[variable.file.index] += kBytesOfSample / seconds_between(schedule.cadence);
  }
  return bytes_per_s;
}

}  // namespace

void choose_owners(Draft& draft) {
  Plan& plan = draft.plan;
  const std::vector<double> bytes_per_s = brought_by_files(draft);
  std::vector<std::size_t> heaviest_first(plan.files.size());
  std::iota(heaviest_first.begin(), heaviest_first.end(), std::size_t{0});
  std::ranges::stable_sort(heaviest_first,
                           [&](std::size_t a, std::size_t b) { return bytes_per_s[a] > bytes_per_s[b]; });
  std::vector<double> load = received_by_servers(draft);
  for (const std::size_t file : heaviest_first) {
    const auto least = std::ranges::min_element(load);
    plan.files[file].owner = static_cast<ServerRank>(least - load.begin());
    *least += bytes_per_s[file];
  }
}

}  // namespace pileus::planning
