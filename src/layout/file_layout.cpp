#include <algorithm>
#include <map>
#include <tuple>

#include "config/stages.h"
#include "config/substitution.h"
#include "config/values.h"
#include "core/suggest.h"
#include "layout/attributes.h"
#include "layout/cmip/cmip_layout.h"
#include "layout/definition.h"
#include "layout/file_checks.h"
#include "layout/file_dimensions.h"
#include "layout/formula_terms.h"
#include "layout/grid_variables.h"
#include "layout/in_time/schedule_names.h"
#include "layout/in_time/triggers.h"
#include "layout/levels/levels.h"
#include "layout/messages/messages.h"
#include "layout/metadata.h"
#include "layout/stage_words.h"
#include "layout/storage/storage.h"
#include "layout/target_places.h"
#include "layout/variable_names.h"

namespace pileus::planning {
namespace {

/// The most time axes of a file.
constexpr std::size_t kMostAxes = 100;
/// The longest name of a variable in netCDF, in bytes.
constexpr std::size_t kLongestVariable = 256;

/// Lays out one file: its schedules and variables, and the names of both.
class FileLayout {
 public:
  /// `has_errors`: there were errors before any file was looked at, perhaps a number that could not be read.
  FileLayout(Draft& draft, std::size_t file, bool has_errors, Findings& findings)
      : draft_(draft),
        plan_(draft.plan),
        index_(file),
        config_(draft.graph.config->files[file]),
        had_errors_(has_errors),
        findings_(findings) {}

  void lay_out() {
    const bool is_written_before = config_.is_of_checkpoints || config_.write_time_frequency.is_given() ||
                                   config_.write_timestep_frequency > 0;
    if (!is_written_before && !config_.write_on_terminate && !had_errors_) {
      report(findings_, config_.where,
             label() + " would never be written: its write frequency is 0; add write_on_terminate=\"true\"");
    }
    std::vector<const Entry*> entries = entries_of_file(draft_, index_);
    std::erase_if(entries, [this](const Entry* entry) { return is_wrong(*entry); });
    if (entries.empty()) {
      if (findings_.has_errors()) return;  // they say why
      findings_.warning(config_.where, label() + " is not written: nothing is left in it");
      return;
    }
    PlannedFile file;
    file.name = is_moncs(naming()) ? moncs_name(config_) : config_.name.value;
    file.has_decimals = naming() == Naming::monc_leeds;
    if (!config_.is_of_checkpoints)
      file.write_frequency = frequency_of(config_.write_time_frequency, plan_.time);
    file.write_frequency_steps = config_.is_of_checkpoints ? 1 : config_.write_timestep_frequency;
    file.title = config_.title.value;
    file.says_when_created = is_moncs(naming());
    file.says_when_ended = is_moncs(naming()) && draft_.graph.config->options.contains(kDialectOption);
    file.may_overwrite = config_.may_overwrite;
    file.keeps_newest = config_.keeps_newest && is_written_before;
    file.kind = config_.kind;
    file.on_disk = config_.on_disk;
    file.on_publish = config_.on_publish.value;
    file.readers = config_.readers;
    file.when_full = config_.when_full;
    file.when_memory_full = config_.when_memory_full;
    file.trigger = trigger_of(draft_, config_, findings_);
    file.attributes = attributes_of_file(*draft_.graph.config, config_);
    file.dimensions = dimensions_given(draft_, config_, findings_);
    file.is_of_cmip = config_.cmip.has_value();
    file.is_fixed = file.is_of_cmip && config_.cmip->is_fixed;
    file.where = config_.where;
    id_ = FileId(plan_.files.size());
    plan_.files.push_back(std::move(file));
    for (const Entry* entry : entries) {
      add(*entry);
      if (has_too_many_axes(*entry)) return;
    }
    if (plan_.files[id_.index].is_fixed) {
      (void)schedule_of(schedule_of_fixed_file(id_, *find_manipulation("instantaneous")));
    } else if (plan_.files[id_.index].schedules.empty() && !findings_.has_errors()) {
      report(
          findings_, config_.where,
          label() +
              " would hold static fields alone, and it begins with the first record of others: include one");
    }
    name_schedules(plan_, plan_.files[id_.index].schedules, naming());
    name_times();
    name_variables();
    name_dimensions(draft_, config_, plan_.files[id_.index], dimension_users());
    std::vector<Variable*> variables;
    for (const Written& written : variables_) variables.push_back(&at(written));
    describe_grids(draft_, entries_, variables, plan_.files[id_.index]);
    if (config_.cmip) shape_of_cmip();
    choose_levels(draft_, config_, entries_, variables, plan_.files[id_.index], findings_);
    const std::vector<std::string> taken = check_names();
    std::vector<std::string> names;
    for (const Variable* variable : variables) names.push_back(variable->name);
    check_named_variables(draft_, entries_, names, findings_);
    check_formula_terms(draft_, entries_, names, findings_);
    add_target_places(draft_, plan_.files[id_.index], variables, taken, config_.storage);
  }

 private:
  std::string label() const { return "file " + quoted(config_.name.value); }
  const Manipulation* find_manipulation(std::string_view word) const {
    return pileus::planning::find_manipulation(draft_.graph.config->catalogue, word);
  }

  bool is_wrong(const Entry& entry) {
    const FileIncludeConfig& include = *entry.include;
    const std::string& word = include.time_manipulation.value;
    const Manipulation* const manipulation = find_manipulation(entry.include->time_manipulation.value);
    if (manipulation == nullptr) {
      report(findings_,
             include.time_manipulation.is_given() ? include.time_manipulation.where : include.where,
             "no time_manipulation " + quoted(word) + did_you_mean(word, manipulation_words()));
      return true;
    }
    const bool is_at_times = (*manipulation)->record_of != RecordOf::each_sample;
    if (is_at_times && !include.output_frequency.value_or(Duration{}).is_given()) {
      if (!had_errors_) {
        report(findings_, include.where,
               quoted(entry.name.value) + " needs an output_frequency of more than 0 s");
      }
      return true;
    }
    const std::string problem = chain_problem(include, draft_.graph.config->catalogue, plan_.time);
    if (!problem.empty()) report(findings_, include.time_manipulation.where, problem);
    return !problem.empty();
  }

  bool has_too_many_axes(const Entry& entry) {
    if (plan_.files[id_.index].schedules.size() <= kMostAxes) return false;
    report(findings_, entry.include->where,
           label() + " has more than " + std::to_string(kMostAxes) +
               " time axes, one for each manipulation and frequency; write several files");
    return true;
  }

  void add(const Entry& entry) {
    const TermIndex term = *draft_.values[entry.node];
    const Manipulation manipulation = *find_manipulation(entry.include->time_manipulation.value);
    if (manipulation.covers_window() && !is_number(draft_.terms[term].type)) {
      return report(findings_, entry.include->time_manipulation.where,
                    quoted(entry.name.value) + " is a text: its time_manipulation is instantaneous or none");
    }
    const bool is_static = draft_.is_static[entry.node];
    if (manipulation.covers_window() && !is_static && plan_.files[id_.index].may_lack_records())
      return report_windowed(entry);
    if (manipulation->is_of_segments && (is_static || entry.include->segments.samples == 0)) {
      if (had_errors_) return;
      return report(findings_, entry.include->time_manipulation.where,
                    is_static ? "what is static has no spectrum in time"
                              : quoted(entry.name.value) + " needs segments for a spectrum in time");
    }
    const Term& value = draft_.terms[term];
    const ScheduleId schedule = is_static ? ScheduleId() : schedule_of(entry, value, manipulation);

    const auto [before, is_first] =
        first_entries_.try_emplace({name_of(entry), given_name(entry), schedule}, &entry);
    if (!is_first && is_static) return;  // several groups may write it, each in its own way
    if (!is_first) {
      const Entry& first = *before->second;
      const Location& where = entry.name.where == first.name.where ? entry.include->where : entry.name.where;
      return report(findings_, where,
                    quoted(entry.name.value) + " is written twice to file " + quoted(config_.name.value) +
                        " in the same way; the first is at " + first.include->where.text());
    }
    const auto dimensions =
        ordered(draft_, entry, draft_.terms[term], storage_of(draft_, entry).order, findings_);
    if (!dimensions || has_axis_twice(entry, *dimensions)) return;
    std::vector<Stage> chain = {{is_static ? *find_manipulation("instantaneous") : manipulation, {}}};
    if (!is_static) chain.insert(chain.begin(), plan_[schedule].stages.begin(), plan_[schedule].stages.end());
    Variable variable = describe_variable(draft_, entry, term, chain, findings_);
    variable.dimensions = *dimensions;
    variable.file = id_;
    variable.schedule = schedule;
    if (config_.kind->is_of_messages) make_messages(draft_, entry, value, variable, findings_);
    if (manipulation->is_of_segments) variable.segments = segments_of(*entry.include);
    variable.is_exact = draft_.is_exact[number_of(entry)];
    variable.definition =
        window_definition(draft_.definitions[entry.node], value, variable.is_exact, draft_.shapes);
    if (variable.segments.are_overlapping) variable.definition += " overlapping";
    entries_.push_back(&entry);
    (is_static ? draft_.static_terms : draft_.variable_terms).push_back(*draft_.written[number_of(entry)]);
    if (is_static) {
      variables_.push_back({true, plan_.statics.size()});
      return plan_.statics.push_back(std::move(variable));
    }
    variables_.push_back({false, plan_.variables.size()});
    plan_.files[id_.index].variables.emplace_back(plan_.variables.size());
    plan_.variables.push_back(std::move(variable));
  }

  ScheduleId schedule_of(const Entry& entry, const Term& value, Manipulation manipulation) {
    const Frequency frequency = manipulation->record_of == RecordOf::each_sample
                                    ? Frequency()
                                    : frequency_of(*entry.include->output_frequency, plan_.time);
    if (config_.is_of_checkpoints)
      return schedule_of({id_, manipulation, frequency, 1, "", false, false, true});
    const bool at_end = value.at_end && !value.cadence.is_every_step();
    Schedule wanted{id_, manipulation, frequency, value.cadence, "", at_end, config_.write_on_terminate};
    wanted.is_from_last = entry.include->is_from_last;
    wanted.stages = stages_of(*entry.include, draft_.graph.config->catalogue, plan_.time);
    wanted.running_windows = running_windows(*entry.include);
    wanted.span = span_of(*entry.include);
    wanted.diurnal = diurnal_of(*entry.include, plan_.time);
    wanted.lookback = lookback_of(config_, wanted, entry.include->where, findings_);
    return schedule_of(std::move(wanted));
  }

  /// A variable that is written into the file, with records or static.
  struct Written {
    bool is_static = false;
    std::size_t index = 0;  ///< in Plan::variables or Plan::statics
  };
  Variable& at(const Written& written) {
    return written.is_static ? plan_.statics[written.index] : plan_.variables[written.index];
  }
  TermIndex term_of(const Written& written) const {
    return (written.is_static ? draft_.static_terms : draft_.variable_terms)[written.index];
  }

  std::size_t number_of(const Entry& entry) const {
    return static_cast<std::size_t>(&entry - draft_.graph.entries.data());
  }

  /// Reports two dimensions of one variable that have the same axis.
  bool has_axis_twice(const Entry& entry, const std::vector<DimensionId>& dimensions) {
    std::map<std::string, const PlannedDimension*> known;
    for (DimensionId id : dimensions) {
      const PlannedDimension& dimension = draft_.shapes.dimensions[id.index];
      if (dimension.axis.empty()) continue;
      const auto [first, is_new] = known.try_emplace(dimension.axis, &dimension);
      if (is_new) continue;
      const auto& said = draft_.graph.config->dimensions;
      const auto later = std::find_if(said.begin(), said.end(), [&](const DimensionConfig& one) {
        return one.name.value == dimension.name;
      });
      report(findings_, later == said.end() ? entry.name.where : later->axis.where,
             quoted(entry.name.value) + " in file " + quoted(config_.name.value) + " has the dimensions " +
                 quoted(first->second->name) + " and " + quoted(dimension.name) + ", and both are the axis " +
                 dimension.axis);
      return true;
    }
    return false;
  }

  /// Writes the name of the time axis into the cell_methods of its variables.
  void name_times() {
    for (const Written& written : variables_) {
      Variable& variable = at(written);
      if (written.is_static) leave_out_time(variable);
      for (Attribute& attribute : variable.attributes) {
        if (attribute.name != "cell_methods" || written.is_static) continue;
        name_time(std::get<std::string>(attribute.value), plan_[variable.schedule]);
      }
    }
  }

  /// A variable without a time axis was not sampled in time, so only its methods in space are left.
  static void leave_out_time(Variable& variable) {
    const auto methods = std::ranges::find_if(
        variable.attributes, [](const Attribute& one) { return one.name == "cell_methods"; });
    if (methods == variable.attributes.end()) return;
    auto& text = std::get<std::string>(methods->value);
    text.erase(std::min(text.find(kTimePlace), text.size()));
    while (text.ends_with(' ')) text.pop_back();
    if (text.empty()) variable.attributes.erase(methods);
  }

  /// What stands for a period is promised, and a record that lacks would pass for a period without values.
  void report_windowed(const Entry& entry) {
    const FileIncludeConfig& include = *entry.include;
    const Location& where =
        include.time_manipulation.is_given() ? include.time_manipulation.where : include.where;
    const std::string why = config_.trigger.is_given()
                                ? "trigger=" + quoted(config_.trigger.value)
                                : "when_memory_full=" + quoted(std::string(name(config_.when_memory_full)));
    report(findings_, where,
           label() + " may leave records out (" + why +
               "), which only instantaneous values or time_manipulation=\"none\" bear; " +
               quoted(entry.name.value) + " is " + include.time_manipulation.value +
               ": write it to another file");
  }

  ScheduleId schedule_of(Schedule wanted) {
    std::vector<ScheduleId>& known = plan_.files[id_.index].schedules;
    for (ScheduleId id : known) {
      if (plan_[id].is_like(wanted)) return id;
    }
    known.push_back(ScheduleId(plan_.schedules.size()));
    plan_.schedules.push_back(std::move(wanted));
    return known.back();
  }

  Naming naming() const { return config_.naming; }

  std::string name_of(const Entry& entry) const { return full_name_of(draft_.graph, entry); }
  static const std::string& given_name(const Entry& entry) { return entry.include->name.value; }

  void name_variables() {
    const std::vector<std::string> plain = names_without_time(draft_.graph, entries_);
    std::map<std::string, int> by_name, by_suffix;
    std::map<std::string, std::vector<Variable*>> by_frequency;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!given_name(*entries_[i]).empty()) continue;
      ++by_name[plain[i]];
      if (variables_[i].is_static) continue;
      ++by_suffix[plain[i] + variable_suffix(plan_[at(variables_[i]).schedule], naming())];
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Variable& variable = at(variables_[i]);
      variable.name = plain[i];
      if (!given_name(*entries_[i]).empty() || by_name[plain[i]] == 1 || variables_[i].is_static) continue;
      const Schedule& schedule = plan_[variable.schedule];
      variable.name += variable_suffix(schedule, naming());
      if (by_suffix[variable.name] > 1) variable.name += frequency_suffix(schedule);
      by_frequency[variable.name].push_back(&variable);
    }
    for (const auto& [name, alike] : by_frequency)
      for (Variable* const variable : alike)
        if (alike.size() > 1) variable->name += detail_suffix(plan_[variable->schedule]);
  }

  std::vector<DimensionUser> dimension_users() {
    std::vector<DimensionUser> users;
    for (std::size_t i = 0; i < variables_.size(); ++i)
      users.push_back(
          {at(variables_[i]).name, &draft_.terms[term_of(variables_[i])], entries_[i]->name.where});
    return users;
  }

  void shape_of_cmip() {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (!entries_[i]->is_of_grid)
        shape_for_cmip(draft_, config_, *entries_[i], at(variables_[i]), plan_.files[id_.index], findings_);
  }

  static const Location& place_of_name(const Entry& entry) {
    return given_name(entry).empty() ? entry.name.where : entry.include->name.where;
  }

  void check_length(const Entry& entry, const std::string& name) {
    if (name.size() <= kLongestVariable) return;
    report(findings_, place_of_name(entry),
           quoted(entry.name.value) + " cannot be a variable of file " + quoted(config_.name.value) +
               ": its name there has " + std::to_string(name.size()) + " bytes, and netCDF takes " +
               std::to_string(kLongestVariable));
  }

  /// Returns those that the file has.
  std::vector<std::string> check_names() {
    std::map<std::string, std::string> taken;
    for (ScheduleId id : plan_.files[id_.index].schedules) {
      taken[plan_[id].dimension] = "the time axis";
      if (!plan_[id].manipulation.covers_window()) continue;
      taken[plan_[id].dimension + "_bnds"] = "the bounds of the time axis";
      taken["bnds"] = "the dimension of bounds";
    }
    for (const PlannedScalar& scalar : plan_.files[id_.index].scalars) {
      taken[scalar.name] = "a coordinate of the table";
      if (!scalar.bounds.empty()) taken[scalar.name + "_bnds"] = "the bounds of " + quoted(scalar.name);
    }
    check_dimensions(draft_, config_, plan_.files[id_.index], dimension_users(), taken, findings_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::string& name = at(variables_[i]).name;
      const Location& where = place_of_name(*entries_[i]);
      check_beginning(name, where, "name= of the include gives another");
      check_length(*entries_[i], name);
      check_is_new(quoted(entries_[i]->name.value), name, where, taken);
      for (const std::string& other : names_beside(at(variables_[i])))
        check_is_new("what write_if or audit of " + quoted(name) + " brings", other, where, taken);
    }
    for (const Container& container : plan_.files[id_.index].containers) {
      check_beginning(container.name, container.where, "call the grid or grid_mapping differently");
      check_is_new("what describes " + quoted(container.name), container.name, container.where, taken);
    }
    std::vector<std::string> names;
    for (const auto& [name, what] : taken) names.push_back(name);
    return names;
  }

  void check_beginning(const std::string& name, const Location& where, const char* advice) {
    if (!name.starts_with('-') && !name.starts_with('.')) return;
    report(findings_, where,
           quoted(name) + " cannot be a variable of file " + quoted(config_.name.value) +
               ": names in files begin with a letter, a digit or \"_\"; " + advice);
  }

  void check_is_new(const std::string& what, const std::string& name, const Location& where,
                    std::map<std::string, std::string>& taken) {
    const auto [known, is_new] = taken.try_emplace(name, "another variable (" + where.text() + ")");
    if (is_new) return;
    report(findings_, where,
           what + " cannot be a variable of file " + quoted(config_.name.value) + ": " + quoted(name) +
               " is the name of " + known->second + " there");
  }

  Draft& draft_;
  Plan& plan_;
  std::size_t index_;
  const FileConfig& config_;
  bool had_errors_;
  Findings& findings_;
  FileId id_;
  std::vector<const Entry*> entries_;  ///< by variable of this file
  /// The first entry for each full name, name in the file if given, and schedule.
  std::map<std::tuple<std::string, std::string, ScheduleId>, const Entry*> first_entries_;
  std::vector<Written> variables_;  ///< by variable of this file
};

}  // namespace

void lay_out_files(Draft& draft, Findings& findings) {
  const bool had_errors = findings.has_errors();
  const bool has_model = !draft.shapes.is_imagined;  // it may give an epoch
  check_files(*draft.graph.config, draft.plan.time, has_model, findings);
  for (std::size_t file = 0; file < draft.graph.config->files.size(); ++file) {
    FileLayout(draft, file, had_errors, findings).lay_out();
  }
  if (!findings.has_errors()) add_levels(draft, draft.plan);
}

}  // namespace pileus::planning
