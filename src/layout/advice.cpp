#include <algorithm>
#include <cmath>
#include <set>

#include "config/messages.h"
#include "core/shortest.h"
#include "core/suggest.h"
#include "layout/draft.h"

namespace pileus::planning {
namespace {

/// The lengths of all months lie between these.
constexpr double kShortestMonth_s = 28 * 86400.0, kLongestMonth_s = 31 * 86400.0;

std::string in_words(const Duration& time) {
  return time.months == 0 ? shortest(time.seconds) + " s" : text(time.in_months());
}

bool is_longer(const Duration& a, const Duration& b) {
  if (a.months > 0 && b.months > 0) return a.months > b.months;
  if (a.months > 0) return static_cast<double>(a.months) * kShortestMonth_s > b.seconds;
  if (b.months > 0) return a.seconds > static_cast<double>(b.months) * kLongestMonth_s;
  return a.seconds > b.seconds;
}

/// Whether `whole` is a multiple of `part`. Any number of days divides a month.
bool is_multiple(const Duration& whole, const Duration& part) {
  if (whole.months > 0 && part.months > 0) return times_in(part.in_months(), whole.in_months()) > 0;
  const double seconds = whole.months > 0 ? 86400.0 : whole.seconds;
  const double count = seconds / part.seconds;
  return part.months == 0 && std::abs(count - std::round(count)) < 1e-6;
}

void compare_times(const Entry& entry, const FileConfig& file, Findings& findings) {
  const Duration& whole = file.write_time_frequency;
  if (!entry.include->output_frequency || !whole.is_given()) return;
  const Duration& part = *entry.include->output_frequency;
  const std::string what = quoted(entry.name.value) + " has a value every " + in_words(part) +
                           ", and a file " + quoted(file.name.value) + " covers " + in_words(whole);
  if (is_longer(part, whole)) {
    findings.warning(part.where, what + ": there are files without a value of it");
  } else if (!is_multiple(whole, part)) {
    findings.note(part.where, what + ": the files hold different numbers of values");
  }
}

/// A value of the final step alone is rarer than any period.
void warn_of_final_value(const Entry& entry, const FileConfig& file, Findings& findings) {
  const std::int64_t steps = file.write_timestep_frequency;
  if (!file.write_time_frequency.is_given() && steps == 0) return;
  findings.warning(entry.include->where,
                   quoted(entry.name.value) + " has a value in the final step alone, and a file " +
                       quoted(file.name.value) + " covers " +
                       (steps > 0 ? std::to_string(steps) + " steps" : in_words(file.write_time_frequency)) +
                       ": all files but the last are without a value of it");
}

void compare_steps(const Entry& entry, const FileConfig& file, const Cadence& cadence, Findings& findings) {
  const std::int64_t whole = file.write_timestep_frequency;
  if (cadence.is_final_only()) return warn_of_final_value(entry, file, findings);
  if (whole == 0 || cadence.is_in_time()) return;
  const std::string what = quoted(entry.name.value) + " has a value every " + std::to_string(cadence.steps) +
                           " steps, and a file " + quoted(file.name.value) + " covers " +
                           std::to_string(whole) + " steps";
  if (cadence.steps > whole) {
    findings.warning(entry.include->where, what + ": there are files without a value of it");
  } else if (whole % cadence.steps != 0) {
    findings.note(entry.include->where, what + ": the files hold different numbers of values");
  }
}

/// Inputs every step and every 5 steps meet every 5 steps; inputs every 2 and every 3 meet every 6. An
/// average then has few samples, which nobody sees in it.
void compare_inputs(const Draft& draft, NodeIndex index, Findings& findings) {
  const Node& node = draft.graph.nodes[index];
  const Cadence made = draft.terms[*draft.values[index]].cadence;
  constexpr std::size_t kMostNamed = 5;
  std::size_t count = 0;
  std::string every;
  bool is_rarer = false;
  for (const Use& use : node.inputs) {
    if (!draft.values[use.node]) return;
    if (draft.is_static[use.node] || draft.graph.nodes[use.node].kind == NodeKind::given) continue;
    const Cadence cadence = draft.terms[*draft.values[use.node]].cadence;
    if (cadence.is_final_only()) return;
    is_rarer = is_rarer || cadence != made;
    if (++count <= kMostNamed) every += (every.empty() ? "" : ", ") + quoted(use.name) + " " + text(cadence);
  }
  if (!is_rarer) return;
  if (count > kMostNamed) every += " and " + std::to_string(count - kMostNamed) + " others";
  findings.warning(node.where,
                   described(draft.graph, index) + " has a value " + text(made) + " alone: " + every);
}

void note_unneeded(const Graph& graph, Findings& findings) {
  if (findings.has_errors()) return;  // which may be the reason
  std::vector<std::string> names;
  Location first;
  for (NodeIndex index = 0; index < graph.field_count; ++index) {
    const Node& field = graph.nodes[index];
    if (field.is_live || field.is_off) continue;
    if (names.empty()) first = field.where;
    names.push_back(quoted(field.name));
  }
  if (names.size() == 1)
    findings.note(first, "field " + names.front() + " is not sent: nothing that is written needs it");
  if (names.size() > 1)
    findings.note(first,
                  "fields " + some_listed(names) + " are not sent: nothing that is written needs them");
}

void compare_frequencies(const Draft& draft, Findings& findings) {
  const Graph& graph = draft.graph;
  for (const Entry& entry : graph.entries) {
    const FileConfig& file = graph.config->files[entry.file];
    if (file.is_of_checkpoints || entry.is_of_grid) continue;
    if (!draft.values[entry.node] || draft.is_static[entry.node]) continue;
    compare_times(entry, file, findings);
    compare_steps(entry, file, draft.terms[*draft.values[entry.node]].cadence, findings);
  }
  for (const NodeIndex index : graph.order) {
    if (graph.nodes[index].is_live && draft.values[index]) compare_inputs(draft, index, findings);
  }
}

/// Tools that know one time axis of a file apply it to all values.
void note_time_axes(const Draft& draft, Findings& findings) {
  if (findings.has_errors()) return;  // and a wrong variable may have no place in a file
  for (const PlannedFile& file : draft.plan.files) {
    if (file.schedules.size() < 2 || file.kind->is_of_messages) continue;
    std::vector<std::string> axes;
    for (const ScheduleId id : file.schedules) axes.push_back(draft.plan[id].dimension);
    std::ranges::sort(axes);
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    if (axes.size() < 2) continue;
    findings.note(file.where, "file " + quoted(file.name) + " has the time axes " + some_listed(axes) +
                                  ": CDO knows one in a file and misreads what has another; a file for each "
                                  "is read right");
  }
}

void compare_dimensions(const Draft& draft, Findings& findings) {
  const Graph& graph = draft.graph;
  constexpr std::size_t kMostSteps = 100'000'000;  // for all suggestions together
  std::set<std::string> known;
  for (NodeIndex index = 0; index < graph.field_count; ++index) {
    const FieldConfig& field = *graph.nodes[index].field;
    if (!field.has_size && (field.is_collective || field.type.value == "array"))
      return;  // it may have any
               // dimensions
    for (const Text& name : field.size) known.insert(name.value);
  }
  for (const PlannedDimension& one : draft.shapes.dimensions) known.insert(one.name);  // rules make some
  std::size_t steps = 0;
  for (const DimensionConfig& dimension : graph.config->dimensions) {
    if (known.contains(dimension.name.value)) continue;
    NearestWord nearest(dimension.name.value);
    for (auto one = known.begin(); one != known.end() && steps < kMostSteps; ++one) nearest.offer(*one);
    steps += nearest.steps();
    findings.warning(dimension.name.where, "no field has the dimension " + quoted(dimension.name.value) +
                                               did_you_mean(nearest.found()));
  }
}

}  // namespace

void note_unused(const Graph& graph, Findings& findings) {
  if (findings.has_errors()) return;  // which may be the reason
  for (DiagnosticIndex d = 0; d < graph.results.size(); ++d) {
    const Text& name = graph.config->diagnostics[d].field;
    if (graph.results[d] && !graph.nodes[*graph.results[d]].is_live &&
        !graph.nodes[*graph.results[d]].is_off) {
      findings.note(name.where, "diagnostic " + quoted(name.value) + " is not computed: no file needs it");
    }
  }
  for (std::size_t group = 0; group < graph.is_group_included.size(); ++group) {
    const Text& name = graph.config->groups[group].name;
    if (graph.is_group_included[group]) continue;
    findings.note(name.where, "group " + quoted(name.value) + " is not written: no file includes it");
  }
}

void advise(const Draft& draft, Findings& findings) {
  compare_frequencies(draft, findings);
  note_unneeded(draft.graph, findings);
  note_time_axes(draft, findings);
  compare_dimensions(draft, findings);
}

}  // namespace pileus::planning
