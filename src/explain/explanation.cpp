#include "explain/explanation.h"

#include "time/file_periods.h"

namespace pileus::explain {

Explanation explain(Plan plan, const ModelFile& model, Steps steps, const ServerBudget& budget) {
  Explanation out;
  out.plan = std::move(plan);
  out.steps = std::move(steps);
  if (!out.steps.steps.empty()) out.steps.steps.front().is_first = 1;
  out.files = expected_files(out.plan, out.steps);
  out.run = expected_run(out.plan, model.model, out.steps, out.files);
  out.memory = expected_memory(out.plan, model.model, out.steps, budget);
  out.rules = rule_costs(out.plan, out.steps);
  out.handed_over = handed_over(out.plan);
  return out;
}

std::string shape_text(const Plan& plan, const Variable& variable) {
  std::string text(name(variable.type));
  if (variable.dimensions.empty()) return text;
  std::string list;
  const Extents sizes = plan.extents_in_file(variable);
  for (std::size_t d = 0; d < sizes.size(); ++d)
    list = plan[variable.dimensions[d]].name + " " + std::to_string(sizes[d]) +
           (list.empty() ? "" : ", " + list);
  return text + " [" + list + "]";
}

std::string schedule_text(const Schedule& schedule) {
  std::string out = text(schedule.stages) + schedule.manipulation->name;
  if (schedule.output_frequency.is_given()) {
    out += " every " + text(schedule.output_frequency);
    if (schedule.is_from_last) out += " after the last";
    if (schedule.running_windows > 1)
      out += " over the last " + std::to_string(schedule.running_windows) + " of these";
  }
  out += text(schedule.diurnal) + text(schedule.span);
  Need sampling = schedule.need();
  sampling.frequency = {};
  sampling.is_from_last = false;
  sampling.skips_initial = false;  // the manipulation says so anyway
  const std::string samples = text(sampling);
  return samples == "every step" ? out : out + ", sampled " + samples;
}

std::string sequence_text(const PlannedFile& file) {
  const FilePeriods periods(file.write_frequency, file.write_frequency_steps);
  const std::string often = periods.text();
  if (often == "once") return "one file for the whole run";
  return "a file " + often + (file.keeps_newest ? ", in place of the one before" : "");
}

Traffic from_model(const ExpectedRun& run) {
  Traffic all;
  for (const Traffic& traffic : run.from_ranks) all += traffic;
  return all;
}

}  // namespace pileus::explain
