#include "steering/control.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/messages.h"
#include "core/error.h"
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
  ControlRequest request;
  request.text = line;
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
  const PlannedFile& planned = plan_.files[*file];
  for (const ScheduleId axis : planned.schedules) {
    if (plan_[axis].manipulation.covers_window())
      return "what stands for a period cannot be left out, and " + in_quotes(request.file) + " has " +
             plan_[axis].manipulation->name + " values: write instantaneous ones to a file of their own";
  }
  for (const PlannedTrigger& trigger : plan_.triggers) {
    for (const VariableId variable : {trigger.when, trigger.until})
      if (variable.is_valid() && plan_[variable].file.index == *file)
        return "the conditions of triggers stand in it, which are needed in every step";
  }
  return "";
}

std::string Control::take(const ControlRequest& request) {
  through_ = std::max(through_, request.through);
  std::string problem = problem_of(request);
  if (!problem.empty()) return problem;
  OfFile& of_file = files_[*find(request.file)];
  if (request.verb == "frequency") {
    of_file.frequency_s = request.frequency_s;
    of_file.last_s = time_s_;
  } else {
    of_file.is_off = request.verb == "off";
    if (request.verb == "on") of_file.frequency_s = 0;
  }
  return "";
}

/// Of a file with another period the first record after each multiple of it is kept.
void Control::add_dropped(const Step& step, DroppedAxes& dropped) {
  for (std::size_t f = 0; f < files_.size(); ++f) {
    OfFile& one = files_[f];
    bool is_out = one.is_off;
    if (one.frequency_s > 0) {
      const bool is_due =
          passed(step.time, one.frequency_s, step.length) > passed(one.last_s, one.frequency_s, step.length);
      is_out = is_out || !is_due;
      if (is_due) one.last_s = step.time;
    }
    if (!is_out) continue;
    for (const ScheduleId axis : plan_.files[f].schedules)
      if (std::ranges::find(dropped, axis) == dropped.end()) dropped.push_back(axis);
  }
  time_s_ = step.time;
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
    out.put(one.last_s);
  }
}

void Control::restore(Decoder& in) {
  through_ = in.get<std::uint64_t>();
  time_s_ = in.get<double>();
  while (!in.is_at_end()) {
    const auto file = find(in.get_text());
    OfFile one;
    one.is_off = in.get<std::uint8_t>() != 0;
    one.frequency_s = in.get<double>();
    one.last_s = in.get<double>();
    if (!(one.frequency_s >= 0) || !std::isfinite(one.frequency_s) || !std::isfinite(one.last_s))
      throw TransportError("what people asked for is damaged in a checkpoint");
    if (file) files_[*file] = one;
  }
}

}  // namespace pileus
