#include "steering/control.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/messages.h"
#include "core/error.h"
#include "core/log.h"
#include "core/shortest.h"
#include "core/step.h"
#include "core/suggest.h"

namespace pileus {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, std::min(rest.find_first_of(kBlanks), rest.size()));
  rest.remove_prefix(word.size());
  return word;
}

/// How many multiples of the period have passed; a step that ends just before one has reached it.
double passed(double time_s, double frequency_s, double length_s) {
  return std::floor((time_s + kBoundaryTolerance * length_s) / frequency_s);
}

}  // namespace

/// The name of a file may have blanks; a period comes last.
ControlRequest read_request(std::string_view line) {
  constexpr std::size_t kMostSaid = 200;
  ControlRequest request;
  request.text = line.substr(0, kMostSaid);
  std::string_view rest = line;
  const std::string_view verb = next_word(rest);
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  rest = rest.substr(0, rest.find_last_not_of(kBlanks) + 1);
  if (verb == "frequency") {
    const std::size_t last = rest.find_last_of(kBlanks);
    if (last == rest.npos) return request;
    const std::string_view number = rest.substr(last + 1);
    const auto read = std::from_chars(number.begin(), number.end(), request.frequency_s);
    if (read.ec != std::errc() || read.ptr != number.end()) return request;
    if (!(request.frequency_s > 0) || !std::isfinite(request.frequency_s)) return request;
    rest = rest.substr(0, rest.find_last_not_of(kBlanks, last) + 1);
  } else if (verb != "on" && verb != "off") {
    return request;
  }
  if (rest.empty()) return request;
  request.verb = verb;
  request.file = rest;
  return request;
}

std::string line_of(const ControlRequest& request) {
  const std::string number = request.verb == "frequency" ? " " + shortest(request.frequency_s) : "";
  return request.verb + " " + request.file + number;
}

std::optional<std::size_t> Control::find(const std::string& name) const {
  const auto found = std::ranges::find(plan_.files, name, &PlannedFile::name);
  if (found == plan_.files.end()) return std::nullopt;
  return static_cast<std::size_t>(found - plan_.files.begin());
}

std::string Control::problem_of(const ControlRequest& request) const {
  if (request.verb.empty()) return "it is none of \"on FILE\", \"off FILE\" and \"frequency FILE SECONDS\"";
  const auto file = find(request.file);
  if (!file) {
    std::vector<std::string> names;
    for (const PlannedFile& one : plan_.files) names.push_back(one.name);
    return "no file is called " + in_quotes(request.file) + did_you_mean(request.file, names);
  }
  const auto counts_from_last = [&](ScheduleId axis) { return plan_[axis].is_from_last; };
  if (request.verb == "frequency" && std::ranges::any_of(plan_.files[*file].schedules, counts_from_last))
    return in_quotes(request.file) +
           " counts its records from the last one, which another frequency would move";
  const auto looks_back = [&](ScheduleId axis) { return plan_[axis].lookback.records > 0; };
  if (request.verb == "frequency" && std::ranges::any_of(plan_.files[*file].schedules, looks_back))
    return in_quotes(request.file) + " has all its records from before its trigger on";
  return problem_of_file(*file);
}

std::string Control::problem_of_file(std::size_t file) const {
  const PlannedFile& planned = plan_.files[file];
  for (const ScheduleId axis : planned.schedules) {
    if (plan_[axis].manipulation.covers_window())
      return "what stands for a period cannot be left out, and " + in_quotes(planned.name) + " has " +
             plan_[axis].manipulation->name + " values: write instantaneous ones to a file of their own";
  }
  for (const PlannedTrigger& trigger : plan_.triggers) {
    for (const VariableId variable : {trigger.when, trigger.until})
      if (variable.is_valid() && plan_[variable].file.index == file)
        return "the conditions of triggers stand in it, which are needed in every step";
  }
  return "";
}

std::string Control::take(const ControlRequest& request) {
  through_ = request.through;
  std::string problem = problem_of(request);
  if (!problem.empty()) return problem;
  const std::size_t file = *find(request.file);
  if (request.verb == "frequency") {
    slow_down(file, request.frequency_s);
  } else if (request.verb == "off") {
    files_[file].is_off = true;
  } else {
    files_[file] = {};
  }
  return "";
}

void Control::slow_down(std::size_t file, double frequency_s) {
  OfFile& one = files_[file];
  one.frequency_s = frequency_s;
  one.axes.clear();
  for (const ScheduleId axis : plan_.files[file].schedules)
    one.axes.push_back({make_cursor(plan_, axis, time_s_), time_s_});
}

void Control::add_dropped(const Step& step, DroppedAxes& dropped) {
  for (std::size_t f = 0; f < files_.size(); ++f)
    if (files_[f].is_off || files_[f].frequency_s > 0) add_dropped(step, f, dropped);
  time_s_ = step.time;
}

/// Of an axis with another period the first record at or after each multiple of it is kept, and the last one.
void Control::add_dropped(const Step& step, std::size_t file, DroppedAxes& dropped) {
  OfFile& one = files_[file];
  for (std::size_t a = 0; a < plan_.files[file].schedules.size(); ++a) {
    const ScheduleId axis = plan_.files[file].schedules[a];
    bool is_out = one.is_off;
    if (one.frequency_s > 0) {
      OfAxis& of_axis = one.axes[a];
      const bool is_due = step.is_final != 0 || step.is_closing != 0 ||
                          passed(step.time, one.frequency_s, step.length) >
                              passed(of_axis.last_s, one.frequency_s, step.length);
      const bool has_record = std::ranges::any_of(of_axis.cursor.advance(step), &SampleAction::ends_record);
      is_out = is_out || !is_due;
      const bool is_written = !is_out && !dropped.has(axis);
      if (has_record && is_written) of_axis.last_s = step.time;
    }
    if (is_out) dropped.add(axis, WhyDropped::asked);
  }
}

void Control::encode(Encoder& out) const {
  out.put(through_);
  out.put(time_s_);
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const OfFile& one = files_[f];
    if (!one.is_off && one.frequency_s == 0) continue;
    out.put(plan_.files[f].name);
    out.put(one.is_off);
    out.put(one.frequency_s);
    std::vector<double> last_s;
    for (const OfAxis& axis : one.axes) last_s.push_back(axis.last_s);
    out.put(last_s);
  }
}

void Control::restore(Decoder& in) {
  through_ = in.get<std::uint64_t>();
  time_s_ = in.get<double>();
  while (!in.is_at_end()) {
    const std::string name = in.get_text();
    const bool is_off = in.get<std::uint8_t>() != 0;
    const auto frequency_s = in.get<double>();
    const std::vector<double> last_s = in.get_vector<double>();
    if (!(frequency_s >= 0) || !std::isfinite(frequency_s) ||
        !std::ranges::all_of(last_s, [](double time) { return std::isfinite(time); }))
      throw TransportError("what people asked for is damaged in a checkpoint");
    const auto file = find(name);
    const std::string problem = file ? problem_of_file(*file) : "there is no such file any more";
    if (!problem.empty()) {
      log::warning("what was asked for " + in_quotes(name) + " is not done any more: " + problem);
      continue;
    }
    files_[*file].is_off = is_off;
    if (frequency_s > 0) slow_down(*file, frequency_s);
    for (std::size_t a = 0; a < std::min(last_s.size(), files_[*file].axes.size()); ++a)
      files_[*file].axes[a].last_s = last_s[a];
  }
}

}  // namespace pileus
