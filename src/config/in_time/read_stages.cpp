#include "config/in_time/read_stages.h"

#include <cmath>
#include <optional>

#include "config/messages.h"
#include "config/stages.h"
#include "config/values.h"
#include "core/stages.h"

namespace pileus {

namespace {

constexpr std::int64_t kDay_s = 86400;

/// Whether each record of the stage before is of one part of the day.
bool divides_parts(const FileIncludeConfig& include) {
  if (include.stages.empty()) return true;
  const Duration& period = include.stages.back().period;
  const double periods = static_cast<double>(kDay_s / include.diurnal) / period.seconds;
  return period.months == 0 && periods > 0.5 && std::abs(periods - std::round(periods)) < 1e-9;
}

}  // namespace

void read_stages(const ElementReader& include, FileIncludeConfig& out) {
  out.time_manipulation = include.text("time_manipulation");
  if (!include.is_usable("time_manipulation")) return;
  const Location& where = out.time_manipulation.where;
  const std::vector<WrittenStage> stages = split_stages(out.time_manipulation.value);
  for (const WrittenStage& stage : stages) {
    Duration period = parse_duration(stage.period).value_or(Duration{});
    period.where = where;
    if (&stage != &stages.back()) {
      out.stages.push_back({stage.name, period});
    } else {
      out.time_manipulation.value = stage.name;
      out.over = period;
    }
  }
  if (out.stages.empty() && !out.over.is_given()) return;
  if (include.text("counts_from").value == "last_record")
    return include.error(include.text("counts_from").where,
                         "counts_from=\"last_record\" has records at no multiples of output_frequency, and "
                         "chains and running windows need these: remove it");
  if (!out.output_frequency) return;
  if (const std::string problem = periods_problem(out); !problem.empty()) include.error(where, problem);
}

void read_diurnal(const ElementReader& include, FileIncludeConfig& out) {
  const Text text = include.text("diurnal");
  out.diurnal = include.integer("diurnal").value_or(0);
  if (out.diurnal == 0) return;
  const auto is_wrong = [&](bool is_right, const char* problem) {
    if (!is_right) include.error(text.where, text.value + " parts of the day" + problem);
    return !is_right;
  };
  if (is_wrong(out.diurnal <= kMostBinsOfDay && kDay_s % out.diurnal == 0,
               ": each has whole seconds and at least a minute, as of 24, 48, 96 or 1440") ||
      is_wrong(!out.over.is_given() && !out.is_from_last,
               " go with a time_manipulation over each output_frequency: remove diurnal, or \"over\" and "
               "counts_from") ||
      is_wrong(
          divides_parts(out),
          ": each has to be a whole number of periods of the stage before long, as of \"averaged over 10 "
          "min, averaged\""))
    out.diurnal = 0;
  if (out.diurnal == 0 || !out.output_frequency || out.output_frequency->months > 0) return;
  is_wrong(std::fmod(out.output_frequency->seconds, static_cast<double>(kDay_s)) == 0,
           " need an output_frequency of whole days, or of months");
}

void read_span(const ElementReader& include, FileIncludeConfig& out) {
  out.from = include.duration("from").value_or(Duration{});
  out.until = include.duration("until").value_or(Duration{});
  for (const char* attribute : {"from", "until"}) {
    const std::optional<Duration> time = include.duration(attribute);
    if (time && time->months > 0)
      include.error(time->where, std::string(attribute) +
                                     " is a model time, in seconds, minutes, hours or days: months differ in "
                                     "length");
  }
  const bool are_both = out.from.seconds > 0 && out.until.seconds > 0;
  if (are_both && out.until.seconds <= out.from.seconds)
    include.error(out.until.where, "until=" + in_quotes(include.text("until").value) + " is not after from=" +
                                       in_quotes(include.text("from").value) + ": nothing would count");
}

}  // namespace pileus
