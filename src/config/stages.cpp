#include "config/stages.h"

#include <algorithm>
#include <cmath>

#include "config/messages.h"
#include "config/value_check.h"
#include "config/values.h"
#include "core/stages.h"

namespace pileus {
namespace {

constexpr const char* kExample = "such as \"maximum over 1 d, averaged\"";

bool is_of_instants(std::string_view name) { return name == "instantaneous" || name == "none"; }

std::string unknown_name(const WrittenStage& stage, std::span<const std::string> names) {
  return "stage " + in_quotes(stage.name) + ": expected " + listed(names) + suggestion(stage.name, names);
}

/// "over 1 d averaged"
std::string without_comma(const WrittenStage& stage, std::span<const std::string> names) {
  for (const std::string& word : split_words(stage.period)) {
    if (std::ranges::find(names, word) != names.end())
      return "a comma is missing before " + in_quotes(word) + "; expected stages " + kExample;
  }
  return "";
}

std::string period_problem(const WrittenStage& stage, std::span<const std::string> names) {
  if (std::string problem = without_comma(stage, names); !problem.empty()) return problem;
  if (stage.period == "over")
    return "a period is missing behind \"over\" of " + in_quotes(stage.name) + "; expected stages " +
           kExample;
  const std::string problem = duration_problem(stage.period);
  return problem.empty()
             ? ""
             : "the period " + in_quotes(stage.period) + " of " + in_quotes(stage.name) + ": " + problem;
}

/// Of one that has "over" or is not the last.
std::string why_not_of_instants(const WrittenStage& stage, bool is_chain) {
  const std::string what = in_quotes(stage.name) + " takes samples as they are";
  if (!is_chain)
    return what + " and covers no period: remove \"over " + shortened(stage.period) +
           "\"; output_frequency says how often a sample is written";
  return what +
         " and is no stage of a chain; frequency=\"1 h\" of a data-definition takes a sample each hour";
}

std::string text_of(const Duration& duration) {
  if (duration.months > 0) return text(duration.in_months());
  return text(Frequency(duration.seconds));
}

/// How often `part` is in `whole`; 0: no whole number of times, or nobody knows without a calendar.
std::int64_t times_in(const Duration& part, const Duration& whole) {
  if (part.months > 0) return times_in(part.in_months(), whole.in_months());
  if (whole.months > 0) return 0;
  const double times = whole.seconds / part.seconds;
  const double rounded = std::round(times);
  return rounded >= 1 && rounded < 1e15 && std::abs(times - rounded) <= 1e-9 * rounded ? std::llround(rounded)
                                                                                       : 0;
}

std::string pair_problem(const Duration& part, const std::string& what, const Duration& whole,
                         const std::string& whole_what) {
  const std::string both = what + " is " + text_of(part) + " long and " + whole_what + " " + text_of(whole);
  if (part.months > 0 && whole.months == 0)
    return both + ": months differ in length; give both in months, or both in days";
  if (whole.months > 0 && part.months == 0) return "";  // the calendar says
  if (times_in(part, whole) > 0) return "";
  const bool begins_apart = part.months > 0 && whole.months % part.months == 0;
  if (begins_apart && (part.from_month > 0) != (whole.from_month > 0))
    return both + ": say in which month both begin, such as \"1 year from December\"";
  if (begins_apart) return both + ": where one of those begins none of these does";
  return both + ": it has to go a whole number of times into that";
}

}  // namespace

std::vector<WrittenStage> split_stages(std::string_view text) {
  std::vector<WrittenStage> stages;
  for (const ListItem& item : split_list(text)) {
    const std::vector<std::string> words = split_words(item.text);
    WrittenStage& stage = stages.emplace_back();
    if (words.size() < 2 || words[1] != "over") {
      stage.name = item.text;
      continue;
    }
    stage.name = words[0];
    if (words.size() == 2) stage.period = "over";
    for (std::size_t w = 2; w < words.size(); ++w) stage.period += (w > 2 ? " " : "") + words[w];
  }
  return stages;
}

std::string stages_problem(std::string_view text, std::span<const std::string> names) {
  const std::vector<WrittenStage> stages = split_stages(text);
  if (stages.empty()) return "expected " + listed(names) + ", or stages " + kExample;
  if (stages.size() > kMostStages)
    return std::to_string(stages.size()) + " stages; at most " + std::to_string(kMostStages) +
           " are possible";
  for (const WrittenStage& stage : stages) {
    const bool is_last = &stage == &stages.back();
    if (stage.name.empty())
      return std::string("a stage is missing beside a comma; expected stages ") + kExample;
    if (std::ranges::find(names, stage.name) == names.end()) return unknown_name(stage, names);
    const bool has_period = !stage.period.empty();
    if (is_of_instants(stage.name) && (has_period || stages.size() > 1))
      return why_not_of_instants(stage, stages.size() > 1);
    if (!has_period && !is_last)
      return "stage " + in_quotes(stage.name) + " needs its period: " + in_quotes(stage.name + " over 1 d") +
             "; only the last stage has that of output_frequency";
    if (!has_period) continue;
    if (std::string problem = period_problem(stage, names); !problem.empty()) return problem;
  }
  return "";
}

std::string periods_problem(const FileIncludeConfig& include) {
  const Duration& output = *include.output_frequency;
  for (std::size_t s = 0; s < include.stages.size(); ++s) {
    const bool is_last = s + 1 == include.stages.size();
    const StageConfig& stage = include.stages[s];
    const Duration& whole = is_last ? output : include.stages[s + 1].period;
    const std::string whole_what = is_last ? "output_frequency" : in_quotes(include.stages[s + 1].name);
    if (std::string problem = pair_problem(stage.period, in_quotes(stage.name), whole, whole_what);
        !problem.empty())
      return problem;
  }
  if (!include.over.is_given()) return "";
  const std::string& name = include.time_manipulation.value;
  const std::string both =
      in_quotes(name) + " is over " + text_of(include.over) + " and output_frequency is " + text_of(output);
  const bool is_mixed = (include.over.months > 0) != (output.months > 0);
  if (is_mixed) return both + ": give both in months, or both in days";
  const std::int64_t times = times_in(output, include.over);
  if (include.over.from_month > 0 && times != 1)
    return both + ": a running window begins with each output_frequency, in any month; leave out the month";
  if (times == 0) return both + ": a running window is a whole number of output_frequency long";
  if (times > kMostRunningWindows)
    return both + ": " + std::to_string(times) + " windows would be under way at once, and at most " +
           std::to_string(kMostRunningWindows) + " are possible; give a larger output_frequency";
  return "";
}

std::int64_t running_windows(const FileIncludeConfig& include) {
  return include.over.is_given() ? times_in(*include.output_frequency, include.over) : 1;
}

}  // namespace pileus
