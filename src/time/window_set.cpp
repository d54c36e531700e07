#include "time/window_set.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"

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
      axes_.push_back({variable.schedule, {}});
      axis = axes_.end() - 1;
    }
    Fed& fed = axis->variables.emplace_back();
    fed.variable = id;
    fed.window =
        make_window(plan[variable.schedule].manipulation, variable.is_exact, plan[variable.value].missing);
  }
  if (continued != nullptr) restore(*continued);
}

void WindowSet::restore(const ContinuedWindows& continued) {
  for (Axis& axis : axes_) {
    for (Fed& fed : axis.variables) {
      const Region& region = region_of(fed.variable);
      const ContinuedWindows::Taken taken = continued.pieces(fed.variable, region);
      fed.absent_samples = taken.absent_samples;
      if (!taken.pieces.empty()) fed.window->restore(region.count, taken.pieces);
    }
  }
}

std::vector<StateEntry> WindowSet::state() const {
  std::vector<StateEntry> entries;
  for (const Axis& axis : axes_) {
    for (const Fed& fed : axis.variables) {
      if (fed.is_spoilt) throw UsageError(plan_[fed.variable].name + " has a window without a value");
      const std::optional<WindowState> state = fed.window->state();
      if (!state && fed.absent_samples == 0) continue;
      const Region& region = region_of(fed.variable);
      if (region.size() == 0) continue;
      if (state && state->extents != region.count)
        throw UsageError(plan_[fed.variable].name + " has another shape than its region");
      entries.push_back(
          {"window", window_key(plan_, fed.variable), region, encode_window(state, fed.absent_samples)});
    }
  }
  return entries;
}

void WindowSet::advance(const ScheduleActions& actions, std::span<const Sample> values,
                        const std::shared_ptr<const void>& ballast) {
  Records records;
  for (Axis& axis : axes_) {
    for (const SampleAction& action : actions.of(axis.schedule)) {
      if (action.ends_record) records.reserve(records.size() + axis.variables.size());
      CostOfRuns costs;
      for (Fed& fed : axis.variables) {
        feed(fed, action, values[plan_[fed.variable].value.index], ballast, records);
        costs.add(fed.cost);
      }
    }
  }
  if (!records.empty()) records_.add(std::move(records), client_);
}

void WindowSet::add(Fed& fed, double weight_s, const Sample& sample) {
  if (is_absent(sample)) ++fed.absent_samples;
  try {
    fed.window->add(sample, weight_s);
  } catch (...) {
    spoil(fed);
  }
}

void WindowSet::feed(Fed& fed, const SampleAction& action, const Sample& sample,
                     const std::shared_ptr<const void>& ballast, Records& records) {
  if (action.is_of_sample) add(fed, action.weight_s, sample);
  if (action.ends_record) add_record(fed, action.mark, ballast, records);
}

/// The samples that the window has taken are worth nothing any more, so its record has no value. REQUIRES:
/// called in a catch block.
void WindowSet::spoil(Fed& fed) {
  const Variable& variable = plan_[fed.variable];
  const std::string what = plan_[variable.file].where.text() + ": " + variable.name + " in \"" +
                           plan_[variable.file].name + "\": ";
  fed.is_spoilt = true;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw PluginError(what + text_of_current_exception());  // nothing can be trusted to go on
  } catch (...) {
    const std::string text = what + "a record gets no value: " + text_of_current_exception();
    if (!std::exchange(fed.has_failed, true)) failed_ ? failed_(text) : log::error(text);
  }
}

std::optional<Array> WindowSet::take_record(Fed& fed) {
  try {
    std::optional<Array> record = fed.window->take_record();  // empties it in any case
    if (!fed.is_spoilt) return record;
  } catch (...) {
    spoil(fed);
  }
  fed.is_spoilt = false;
  return std::nullopt;
}

void WindowSet::finish(const ScheduleActions& actions) {
  Records records;
  for (Axis& axis : axes_) {
    for (const SampleAction& action : actions.of(axis.schedule)) {
      for (Fed& fed : axis.variables) add_record(fed, action.mark, nullptr, records);
    }
  }
  if (!records.empty()) records_.add(std::move(records), client_);
}

void WindowSet::add_record(Fed& fed, const RecordMark& mark, const std::shared_ptr<const void>& ballast,
                           Records& records) {
  std::optional<Array> record = take_record(fed);
  records.push_back({fed.variable, mark, region_of(fed.variable), std::move(record), ballast,
                     std::exchange(fed.absent_samples, 0)});
}

std::size_t WindowSet::most_bytes() const {
  std::size_t bytes = 0;
  for (const Axis& axis : axes_) {
    for (const Fed& fed : axis.variables) bytes += fed.window->most_bytes();
  }
  return bytes;
}

void WindowSet::add_costs(std::vector<Cost>& costs) const {
  for (const Axis& axis : axes_) {
    for (const Fed& fed : axis.variables) costs[fed.variable.index] += fed.cost;
  }
}

}  // namespace pileus
