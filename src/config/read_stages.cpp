#include "config/read_stages.h"

#include <optional>

#include "config/messages.h"
#include "config/stages.h"
#include "config/values.h"

namespace pileus {

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
