#include "time/window_set.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "time/manipulations/last_sample.h"
#include "time/segments/segments_window.h"
#include "time/window_bytes.h"

namespace pileus {
WindowSet::WindowSet(const Plan& plan, std::vector<VariableId> variables, std::vector<Region> regions,
                     ClientRank client, RecordSink& records, std::function<void(const std::string&)> failed,
                     const ContinuedWindows* continued)
    : plan_(plan),
      regions_(std::move(regions)),
      client_(client),
      records_(records),
      failed_(std::move(failed)) {
  for (VariableId id : variables) {
    const Variable& variable = plan[id];
    auto axis = std::ranges::find(axes_, variable.schedule, &Axis::schedule);
    if (axis == axes_.end()) {
      axes_.push_back({variable.schedule, {}, {}, {}});
      axis = axes_.end() - 1;
    }
    Fed& fed = axis->variables.emplace_back();
    fed.variable = id;
    make_windows(fed);
  }
  for (Axis& axis : axes_) make_bundles(axis);
  if (continued != nullptr) restore(*continued);
}

void WindowSet::make_windows(Fed& fed) const {
  const Variable& variable = plan_[fed.variable];
  const Schedule& schedule = plan_[variable.schedule];
  for (std::size_t stage = 0; stage <= schedule.stages.size(); ++stage) {
    const bool is_last = stage == schedule.stages.size();
    const Manipulation manipulation = is_last ? schedule.manipulation : schedule.stages[stage].manipulation;
    const std::optional<double> missing = missing_of(plan_, variable, stage);
    for (std::int64_t n = is_last ? schedule.last_windows() - schedule.lookback.records : 1; n > 0; --n)
      fed.windows.push_back(
          {manipulation->is_of_segments
               ? make_segments_window(plan_, variable, region_of_samples(fed.variable).count, missing)
               : make_window(manipulation, variable.is_exact, missing)});
  }
  for (std::int64_t n = schedule.lookback.records; n > 0; --n)
    fed.windows.push_back({make_kept_sample(missing_of(plan_, variable, 0))});
  fed.last_stage = schedule.stages.size();
  fed.is_in_bins = schedule.diurnal.bins > 0 || schedule.lookback.records > 0;
}

/// Finds those of its variables whose values are a bundle.
void WindowSet::make_bundles(Axis& axis) {
  std::map<ValueId, std::size_t> places;  // of those in bundles
  for (std::size_t v = 0; v < axis.variables.size(); ++v) {
    const ValueId value = plan_[axis.variables[v].variable].value;
    if (plan_[value].is_in_bundle) places[value] = v;
  }
  std::set<std::size_t> bundled;
  for (std::size_t b = 0; b < plan_.bundles.size() && !places.empty(); ++b) {
    const Bundle& bundle = plan_.bundles[b];
    if (!places.contains(bundle.members.front().value)) continue;
    Bundled& one = axis.bundles.emplace_back();
    one.bundle = b;
    std::vector<ExactWindow*> windows;
    for (const Bundle::Member& member : bundle.members) {
      one.members.push_back(places.at(member.value));
      windows.push_back(axis.variables[one.members.back()].windows.front().window->as_exact());
    }
    one.windows = std::make_unique<WindowBundle>(bundle, std::move(windows));
    bundled.insert(one.members.begin(), one.members.end());
  }
  for (std::size_t v = 0; v < axis.variables.size(); ++v)
    if (!bundled.contains(v)) axis.alone.push_back(v);
}

void WindowSet::restore(const ContinuedWindows& continued) {
  for (Axis& axis : axes_) {
    for (Fed& fed : axis.variables) {
      const Region& region = region_of_samples(fed.variable);
      for (std::size_t w = 0; w < fed.windows.size(); ++w) {
        const ContinuedWindows::Taken taken = continued.pieces(fed.variable, region, w);
        fed.windows[w].absent_samples = taken.absent_samples;
        if (!taken.pieces.empty()) fed.windows[w].window->restore(region.count, taken.pieces);
      }
    }
    for (Bundled& bundled : axis.bundles) bundled.windows->part();
  }
}

/// By variable of the axis, of those whose windows are in one with others.
std::vector<std::optional<WindowState>> WindowSet::states_in_bundles(const Axis& axis) {
  std::vector<std::optional<WindowState>> states(axis.variables.size());
  for (const Bundled& bundled : axis.bundles) {
    for (std::size_t m = 0; m < bundled.members.size() && !bundled.windows->is_empty(); ++m)
      states[bundled.members[m]] = bundled.windows->state(m);
  }
  return states;
}

std::vector<StateEntry> WindowSet::state() const {
  std::vector<StateEntry> entries;
  for (const Axis& axis : axes_) {
    std::vector<std::optional<WindowState>> bundled = states_in_bundles(axis);
    for (std::size_t v = 0; v < axis.variables.size(); ++v) {
      const Fed& fed = axis.variables[v];
      for (std::size_t w = 0; w < fed.windows.size(); ++w) {
        const Open& open = fed.windows[w];
        if (open.is_spoilt) throw UsageError(plan_[fed.variable].name + " has a window without a value");
        const std::optional<WindowState> state = bundled[v] ? std::move(bundled[v]) : open.window->state();
        if (!state && open.absent_samples == 0) continue;
        const Region& region = region_of_samples(fed.variable);
        if (region.size() == 0) continue;
        if (state && state->extents != region.count)
          throw UsageError(plan_[fed.variable].name + " has another shape than its region");
        entries.push_back({kWindowKind, window_key(plan_, fed.variable, w), region,
                           encode_window(state, open.absent_samples)});
      }
    }
  }
  return entries;
}

void WindowSet::advance(const ScheduleActions& actions, std::span<const Sample> values,
                        const std::shared_ptr<const void>& ballast, const StepBundles& bundles) {
  static const BundleValues absent;
  Records records;
  for (Axis& axis : axes_) {
    for (const SampleAction& action : actions.of(axis.schedule)) {
      if (action.ends_record) records.reserve(records.size() + axis.variables.size());
      for (Bundled& bundled : axis.bundles) {
        const auto values_of_step = bundles.find(bundled.bundle);
        feed(axis, bundled, action, values_of_step == bundles.end() ? absent : values_of_step->second,
             ballast, records);
      }
      CostOfRuns costs;
      for (const std::size_t v : axis.alone) {
        Fed& fed = axis.variables[v];
        const Variable& variable = plan_[fed.variable];
        if (variable.first_of_pair.is_valid()) fed.first_of_pair = &values[variable.first_of_pair.index];
        feed(fed, action, values[variable.sampled().index], ballast, records);
        costs.add(fed.cost);
      }
    }
  }
  if (!records.empty()) records_.add(std::move(records), client_);
}

std::span<WindowSet::Open> WindowSet::windows_of(Fed& fed, std::size_t stage) {
  const std::span<Open> windows(fed.windows);
  return stage == fed.last_stage ? windows.subspan(stage) : windows.subspan(stage, 1);
}

void WindowSet::add(Fed& fed, SampleTime time, const Sample& sample) {
  for (Open& open : windows_of(fed, 0)) add(open, fed, time, sample);
}

void WindowSet::add(Open& open, Fed& fed, SampleTime time, const Sample& sample) {
  if (is_absent(sample)) ++open.absent_samples;
  try {
    if (fed.first_of_pair != nullptr) return open.window->add_pair(*fed.first_of_pair, sample, time);
    open.window->add(sample, time);
  } catch (...) {
    spoil(fed, open);
  }
}

/// The record of the stage before counts in the stage of the action. Where it has no value the next one lacks
/// what it stands for, and where it is spoilt so is that.
void WindowSet::pass_on(Fed& fed, const SampleAction& action) {
  const SampleTime time(action.weight_s, action.end_s);
  Open& before = fed.windows[action.stage - 1U];
  const std::optional<Array> record = take_record(fed, before, time.weight_s);
  const bool is_spoilt = std::exchange(before.is_spoilt, false);
  const std::int64_t absent_samples = std::exchange(before.absent_samples, 0);
  std::span<Open> windows = windows_of(fed, action.stage);
  if (fed.is_in_bins && action.stage == fed.last_stage) windows = windows.subspan(action.window, 1);
  for (Open& open : windows) {
    open.is_spoilt = open.is_spoilt || is_spoilt;
    open.absent_samples += absent_samples;
    if (record) {
      add(open, fed, time, *record);
    } else if (plan_[fed.variable].segments.samples > 0) {
      const std::int64_t absent = open.absent_samples;
      add(open, fed, time, Absent{});  // segments have the same places wherever they lie
      open.absent_samples = absent;
    }
  }
}

void WindowSet::feed(Fed& fed, const SampleAction& action, const Sample& sample,
                     const std::shared_ptr<const void>& ballast, Records& records) {
  if (action.stage > 0) {
    pass_on(fed, action);
  } else if (action.is_of_sample && fed.is_in_bins && fed.last_stage == 0) {
    Open& open = fed.windows[action.window];
    add(open, fed, {action.weight_s, action.end_s}, sample);
    if (!action.ends_record) keep(open, ballast);
  } else if (action.is_of_sample) {
    add(fed, {action.weight_s, action.end_s}, sample);
  }
  end(fed, action, ballast, records);
}

void WindowSet::feed(Axis& axis, Bundled& bundled, const SampleAction& action, const BundleValues& values,
                     const std::shared_ptr<const void>& ballast, Records& records) {
  Cost cost;
  {
    const CostOfRun measured(cost);
    if (action.is_of_sample) add(axis, bundled, {action.weight_s, action.end_s}, values);
    if (action.ends_record) add_records(axis, bundled, action.mark, ballast, records);
  }
  cost.time /= static_cast<std::int64_t>(bundled.members.size());
  for (const std::size_t v : bundled.members) axis.variables[v].cost += cost;
}

void WindowSet::add(Axis& axis, Bundled& bundled, SampleTime time, const BundleValues& values) {
  try {
    if (values.together && !bundled.windows->is_apart())
      return bundled.windows->add(*values.together, time.weight_s);
    bundled.windows->part();
  } catch (...) {
    for (const std::size_t v : bundled.members) spoil(axis.variables[v], axis.variables[v].windows.front());
    return;
  }
  for (std::size_t m = 0; m < bundled.members.size(); ++m)
    add(axis.variables[bundled.members[m]], time, bundled.windows->sample(values, m));
}

void WindowSet::add_records(Axis& axis, Bundled& bundled, const RecordMark& mark,
                            const std::shared_ptr<const void>& ballast, Records& records) {
  std::vector<Array> together;
  try {
    if (!bundled.windows->is_apart()) together = bundled.windows->take_records();
  } catch (...) {
    for (const std::size_t v : bundled.members) spoil(axis.variables[v], axis.variables[v].windows.front());
  }
  for (std::size_t m = 0; m < bundled.members.size(); ++m) {
    Fed& fed = axis.variables[bundled.members[m]];
    Open& open = fed.windows.front();
    const bool is_of_bundle = !together.empty() && !open.is_spoilt;
    std::optional<Array> record = take_record(fed, open, mark.end_s - mark.begin_s);  // of its own window
    open.is_spoilt = false;
    if (is_of_bundle) record = std::move(together[m]);
    records.push_back({fed.variable, mark, region_of(fed.variable), std::move(record), ballast,
                       std::exchange(open.absent_samples, 0)});
  }
  bundled.windows->come_together();
}

/// One sample in each place is counted. While the record before is not written there are two, and the step of
/// the second one is not done either.
void WindowSet::keep(Open& open, const std::shared_ptr<const void>& ballast) {
  if (const auto before = open.released.lock()) before->of_samples_after.push_back(ballast);
}

/// The samples that the window has taken are worth nothing any more, so its record has no value. REQUIRES:
/// called in a catch block.
void WindowSet::spoil(Fed& fed, Open& open) {
  const Variable& variable = plan_[fed.variable];
  const std::string what = plan_[variable.file].where.text() + ": " + variable.name + " in \"" +
                           plan_[variable.file].name + "\": ";
  open.is_spoilt = true;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw PluginError(what + text_of_current_exception());  // nothing can be trusted to go on
  } catch (...) {
    const std::string text = what + "a record gets no value: " + text_of_current_exception();
    if (!std::exchange(fed.has_failed, true)) failed_ ? failed_(text) : log::error(text);
  }
}

/// That of a window that is spoilt has no value, and the window stays spoilt.
std::optional<Array> WindowSet::take_record(Fed& fed, Open& open, double period_s) {
  try {
    std::optional<Array> record = open.window->take_record(period_s);  // empties it in any case
    if (!open.is_spoilt) return record;
  } catch (...) {
    spoil(fed, open);
  }
  return std::nullopt;
}

void WindowSet::finish(const ScheduleActions& actions) {
  Records records;
  for (Axis& axis : axes_) {
    for (const SampleAction& action : actions.of(axis.schedule)) {
      for (Bundled& bundled : axis.bundles) add_records(axis, bundled, action.mark, nullptr, records);
      for (const std::size_t v : axis.alone) feed(axis.variables[v], action, Absent{}, nullptr, records);
    }
  }
  if (!records.empty()) records_.add(std::move(records), client_);
}

/// Takes the record of the window that ends with the action, if one does.
void WindowSet::end(Fed& fed, const SampleAction& action, const std::shared_ptr<const void>& ballast,
                    Records& records) {
  if (!action.ends_record && !action.drops_window) return;
  Open& open = fed.windows[fed.last_stage + action.window];
  std::optional<Array> record = take_record(fed, open, action.mark.end_s - action.mark.begin_s);
  open.is_spoilt = false;
  const std::int64_t absent_samples = std::exchange(open.absent_samples, 0);
  if (action.drops_window) return;
  std::shared_ptr<const void> held = ballast;
  if (plan_[plan_[fed.variable].schedule].lookback.records > 0 && action.window > 0) {
    auto waited = std::make_shared<Waited>(Waited{ballast, {}});
    open.released = waited;
    held = std::move(waited);
  }
  records.push_back({fed.variable, action.mark, region_of(fed.variable), std::move(record), std::move(held),
                     absent_samples});
}

std::size_t WindowSet::most_bytes() const {
  std::size_t bytes = 0;
  for (const Axis& axis : axes_) {
    for (const Fed& fed : axis.variables)
      for (const Open& open : fed.windows) bytes += open.window->most_bytes();
    for (const Bundled& bundled : axis.bundles) bytes += bundled.windows->most_bytes();
  }
  return bytes;
}

void WindowSet::add_costs(std::vector<Cost>& costs) const {
  for (const Axis& axis : axes_) {
    for (const Fed& fed : axis.variables) costs[fed.variable.index] += fed.cost;
  }
}

}  // namespace pileus
