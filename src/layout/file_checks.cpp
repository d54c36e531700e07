#include "layout/file_checks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "config/key_in_name.h"
#include "config/substitution.h"
#include "config/values.h"
#include "core/suggest.h"
#include "layout/metadata.h"
#include "plan/step_limits.h"

namespace pileus::planning {
namespace {

/// What the names of a file's periods have in common.
std::string series_of(std::string base) {
  base = std::string(without_extension(base));
  bool has_key = false;
  for (const std::string& key : period_keys()) {
    const std::string written = "{" + key + "}";
    for (std::size_t at; (at = base.find(written)) != base.npos; has_key = true) {
      base.replace(at, written.size(), "{}");
    }
  }
  return has_key ? base : base + "_{}";
}

/// Checks that dates in names have an epoch, and periods that end on whole seconds.
void check_dates_in_names(const Config& config, const PlannedTime& time, Findings& findings) {
  for (const FileConfig& file : config.files) {
    if (file.name.value.find("{date}") == std::string::npos) continue;
    const std::string what = "file " + quoted(file.name.value) + ": {date} ";
    if (!time.has_epoch) {
      report(
          findings, file.name.where,
          what +
              "needs the date of model time 0: <time epoch=\"2000-01-01 00:00:00\"/>, or pileus_calendar in "
              "the model");
    } else if (file.write_time_frequency.seconds != std::floor(file.write_time_frequency.seconds)) {
      report(findings, file.name.where, what + "needs a write_time_frequency of whole seconds; use {time}");
    }
  }
}

/// Every time that is given in months, with the attribute that gives it.
std::vector<std::pair<const Duration*, const char*>> months_in(const Config& config) {
  std::vector<std::pair<const Duration*, const char*>> found;
  if (config.checkpoint.frequency.months > 0)
    found.emplace_back(&config.checkpoint.frequency, "frequency of checkpoints");
  for (const FileConfig& file : config.files) {
    if (file.write_time_frequency.months > 0)
      found.emplace_back(&file.write_time_frequency, "write_time_frequency");
    for (const FileIncludeConfig& include : file.includes) {
      if (include.output_frequency && include.output_frequency->months > 0)
        found.emplace_back(&*include.output_frequency, "output_frequency");
    }
  }
  return found;
}

/// Checks that months have an epoch.
void check_months(const Config& config, bool has_model, Findings& findings) {
  for (const auto& [duration, attribute] : months_in(config)) {
    const std::string what = std::string(attribute) + " in months needs the date of model time 0: ";
    if (!has_model) {  // the model may give one
      if (!findings.has_errors())
        findings.note(duration->where, what + "nothing here says it, so the model has to (pileus_calendar)");
      return;
    }
    report(findings, duration->where,
           what +
               "<time epoch=\"2000-01-01 00:00:00\"/>, or pileus_calendar in the model; without one write "
               "days such as \"30 d\"");
  }
}

/// Warns of frequencies that were probably meant in other units: pileus_begin refuses steps that are too long
/// for them.
void warn_of_short_frequencies(const Config& config, Findings& findings) {
  constexpr double kShort_s = 1e-3;
  for (const FileConfig& file : config.files) {
    for (const FileIncludeConfig& include : file.includes) {
      const bool is_chain = !include.stages.empty();
      const Duration every =
          is_chain ? include.stages.front().period : include.output_frequency.value_or(Duration{});
      const bool is_window =
          include.time_manipulation.value != "none" && include.time_manipulation.value != "instantaneous";
      if (!is_window || every.months > 0 || !(every.seconds > 0 && every.seconds < kShort_s)) continue;
      findings.warning(every.where,
                       (is_chain ? "a period of " : "output_frequency=") +
                           quoted(text(Frequency(every.seconds))) + ": a step of " +
                           text(Frequency(every.seconds * static_cast<double>(kMostRecordsOfAStep))) +
                           " or more would end " + std::to_string(kMostRecordsOfAStep) +
                           " records and is refused; is it meant in other units?");
    }
  }
}
/// The characters that may replace {time}, {date}, {index} and {step}.
constexpr std::string_view kOfKeys = "0123456789.-TZ";
/// More files are not compared, as each is compared with every other.
constexpr std::size_t kMostFiles = 2500;
/// The name of the folder for checkpoints beside the files.
constexpr std::string_view kCheckpoints = "pileus-checkpoints";

std::string name_of(const FileConfig& file) {
  return is_moncs(file.naming) ? moncs_name(file) : file.name.value;
}

/// Whether the periods have names of their own.
bool is_series(const FileConfig& file) {
  if (file.keeps_newest) return false;
  return file.write_time_frequency.is_given() || file.write_timestep_frequency > 0 || file.is_of_checkpoints;
}

/// The name for all periods, without the ending; {} stands for the part that differs.
std::string names_of(const FileConfig& file) {
  const std::string name = name_of(file), series = series_of(name);
  if (name.find('{') != name.npos) return series;
  const std::string stem = series.substr(0, series.size() - 3);  // without _{}
  if (!is_series(file)) return stem;
  return stem + (file.write_timestep_frequency > 0 ? "_step_{}" : "_{}");
}

/// Whether some period of `series` may have this name. All ways to read the name are followed at once, as
/// they are too many to follow one after the other.
bool may_be_of(std::string_view series, std::string_view name) {
  const std::size_t first_key = std::min(series.find("{}"), series.size());
  if (!name.starts_with(series.substr(0, first_key))) return false;
  if (const std::size_t last_key = series.rfind("{}"); last_key != series.npos) {
    // The quickest checks come first, as there are many pairs of files.
    const std::string_view behind = series.substr(last_key + 2);
    if (!name.ends_with(behind) || name.size() < first_key + behind.size()) return false;
  }
  // is_end[i]: the first i characters of the name can be read by the part of the series so far.
  std::vector<bool> is_end(name.size() + 1);
  is_end[first_key] = true;
  for (std::size_t at = first_key; at < series.size();) {
    std::vector<bool> next(name.size() + 1);
    const bool is_key = series.substr(at).starts_with("{}");
    for (std::size_t i = 0; i < name.size(); ++i) {
      const bool goes_on = is_key ? kOfKeys.find(name[i]) != kOfKeys.npos : name[i] == series[at];
      next[i + 1] = goes_on && (is_end[i] || (is_key && next[i]));
    }
    at += is_key ? 2 : 1;
    is_end.swap(next);
  }
  return is_end[name.size()];
}

void refuse_both(const FileConfig& first, const FileConfig& second, Findings& findings) {
  report(findings, second.name.where,
         "files " + quoted(first.name.value) + " (" + first.name.where.text() + ") and " +
             quoted(second.name.value) + " would have the same names on the disk");
}

/// Reports files whose names clash on the disk. The periods of "run.nc" and "run" would have the same names.
/// A period of "run.nc" may have the name of "run_100.nc", a file for the whole run.
void check_file_names(const Config& config, Findings& findings) {
  if (config.files.size() > kMostFiles) {
    return report(findings, config.files[kMostFiles].where,
                  "more than " + std::to_string(kMostFiles) + " files: this is not a configuration");
  }
  std::map<std::string, const FileConfig*> known;
  for (const FileConfig& file : config.files) {
    const auto [first, is_new] = known.try_emplace(series_of(name_of(file)) + file.kind->extension, &file);
    if (!is_new) refuse_both(*first->second, file, findings);
  }
  for (std::size_t second = 1; second < config.files.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const FileConfig &one = config.files[first], &other = config.files[second];
      if (is_series(one) == is_series(other) || one.kind != other.kind) continue;
      const FileConfig& series = is_series(one) ? one : other;
      const FileConfig& whole = is_series(one) ? other : one;
      if (may_be_of(names_of(series), names_of(whole))) refuse_both(one, other, findings);
    }
  }
}

/// The length of ".NAME.RUN-ATTEMPT.part" without NAME: the id of a run has 16 bytes, an attempt at most 10
/// digits.
constexpr std::size_t kAroundName = 1 + 1 + 16 + 1 + 10 + 5;

/// The longest name of a period in bytes, with numbers of 64 bits and times to the last bit.
std::size_t longest_name(const FileConfig& file) {
  const bool is_in_steps = file.write_timestep_frequency > 0 || file.is_of_checkpoints;
  const std::size_t time = is_in_steps ? 20 : 24;
  const std::pair<std::string_view, std::size_t> keys[] = {{"{time}", time},
                                                           {"{index}", 20},
                                                           {"{date}", 16},
                                                           {"{step}", 20},
                                                           {"{years}", 9},
                                                           {"{months}", 13},
                                                           {"{days}", 17},
                                                           {"{minutes_of_1h}", 25},
                                                           {"{minutes_of_3h}", 25},
                                                           {"{minutes_of_6h}", 25},
                                                           {"{minutes_each_1h}", 25},
                                                           {"{minutes_each_3h}", 25},
                                                           {"{minutes_each_6h}", 25}};
  std::string name = name_of(file);
  name = std::string(without_extension(name));
  // A temporary name has three characters for each of these (files/file_layout.h).
  std::size_t size = name.size() + 2 * static_cast<std::size_t>(std::ranges::count_if(
                                           name, [](char c) { return c == '+' || c == '%'; }));
  bool has_key = false;
  for (const auto& [key, longest] : keys) {
    for (std::size_t at = 0; (at = name.find(key, at)) != name.npos; at += key.size()) {
      size += longest - key.size();
      has_key = true;
    }
  }
  if (!has_key && is_series(file)) size += std::string_view(is_in_steps ? "_step_" : "_").size() + time;
  // Under way each period has a name of its own.
  if (file.keeps_newest) size += std::string_view(".").size() + 20;
  return size + std::string_view(file.kind->extension).size() + std::string_view(file.kind->beside).size();
}

/// What lies in the folder of checkpoints is theirs.
void check_folders(const Config& config, Findings& findings) {
  for (const FileConfig& file : config.files) {
    if (!file.name.value.starts_with(std::string(kCheckpoints) + "/")) continue;
    report(findings, file.name.where,
           "file " + quoted(file.name.value) + " cannot lie in the folder of checkpoints; choose another");
  }
}

void check_lengths(const Config& config, Findings& findings) {
  constexpr std::size_t kMost = kLongestFileName - kAroundName;
  for (const FileConfig& file : config.files) {
    const std::size_t longest = longest_name(file);
    if (longest <= kMost) continue;
    report(findings, file.name.where,
           "file " + quoted(file.name.value) + ": the name of a period may have " + std::to_string(longest) +
               " bytes; at most " + std::to_string(kMost) + " are possible, as the temporary name is longer");
  }
}

/// The file of the events lies beside the other files, none of which may have its name.
void check_events(const Config& config, Findings& findings) {
  if (config.events.empty()) return;
  if (config.events == kCheckpoints) {
    return report(findings, config.events_where,
                  "the events cannot have the name " + quoted(config.events) +
                      ", which is that of the folder of checkpoints");
  }
  const std::string name(without_extension(config.events));
  if (name == config.events) return;
  for (const FileConfig& file : config.files) {
    if (!may_be_of(names_of(file), name)) continue;
    return report(findings, config.events_where,
                  "the events cannot have the name " + quoted(config.events) + ": file " +
                      quoted(file.name.value) + " (" + file.name.where.text() + ") may have it");
  }
}

}  // namespace

std::string moncs_name(const FileConfig& file) {
  const std::string& name = file.name.value;
  const bool is_one = !file.write_time_frequency.is_given() && !file.is_by_steps;
  const auto& keys = period_keys();
  const bool has_key = std::ranges::any_of(
      keys, [&](const std::string& key) { return name.find("{" + key + "}") != name.npos; });
  if (is_one || has_key || file.keeps_newest) return name;
  return with_key_before(Dot::first, name, file.is_by_steps ? "_{step}" : "_{time}");
}

void check_files(const Config& config, const PlannedTime& time, bool has_model, Findings& findings) {
  check_file_names(config, findings);
  warn_of_short_frequencies(config, findings);
  check_folders(config, findings);
  check_lengths(config, findings);
  check_events(config, findings);
  if (has_model) check_dates_in_names(config, time, findings);
  if (!time.has_epoch) check_months(config, has_model, findings);
}

}  // namespace pileus::planning
