#include "plan/file_checks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "config/substitution.h"
#include "core/suggest.h"
#include "plan/metadata.h"
#include "plan/step_limits.h"

namespace pileus::planning {
namespace {

/// What the names of a file have in common, whatever the period is.
std::string series_of(std::string base) {
  if (base.ends_with(".nc")) base.resize(base.size() - 3);
  bool has_key = false;
  for (const std::string& key : period_keys()) {
    const std::string written = "{" + key + "}";
    for (std::size_t at; (at = base.find(written)) != base.npos; has_key = true) {
      base.replace(at, written.size(), "{}");
    }
  }
  return has_key ? base : base + "_{}";
}

/// Dates in names need an epoch, and periods that end on whole seconds.
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

/// Every time that is counted in months, with the attribute that says it.
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

/// Months need an epoch.
void check_months(const Config& config, bool has_model, Findings& findings) {
  for (const auto& [duration, attribute] : months_in(config)) {
    const std::string what = std::string(attribute) + " in months needs the date of model time 0: ";
    if (!has_model) {  // which may have one
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

/// Most often meant in other units: pileus_begin refuses steps that are too long for them.
void warn_of_short_frequencies(const Config& config, Findings& findings) {
  constexpr double kShort_s = 1e-3;
  for (const FileConfig& file : config.files) {
    for (const FileIncludeConfig& include : file.includes) {
      const Duration every = include.output_frequency.value_or(Duration{});
      const bool is_window =
          include.time_manipulation.value != "none" && include.time_manipulation.value != "instantaneous";
      if (!is_window || every.months > 0 || !(every.seconds > 0 && every.seconds < kShort_s)) continue;
      findings.warning(every.where,
                       "output_frequency=" + quoted(text(Frequency(every.seconds))) + ": a step of " +
                           text(Frequency(every.seconds * static_cast<double>(kMostRecordsOfAStep))) +
                           " or more would end " + std::to_string(kMostRecordsOfAStep) +
                           " records and is refused; is it meant in other units?");
    }
  }
}

std::string name_of(const FileConfig& file) {
  return file.naming == Naming::monc ? moncs_name(file) : file.name.value;
}

bool is_series(const FileConfig& file) {
  return file.write_time_frequency.is_given() || file.write_timestep_frequency > 0 || file.is_of_checkpoints;
}

/// Of all periods, without the ending: {} stands for what differs.
std::string names_of(const FileConfig& file) {
  const std::string name = name_of(file), series = series_of(name);
  if (name.find('{') != name.npos) return series;
  const std::string stem = series.substr(0, series.size() - 3);  // without _{}
  if (!is_series(file)) return stem;
  return stem + (file.write_timestep_frequency > 0 ? "_step_{}" : "_{}");
}

/// Whether some period of `series` may have this name.
bool may_be_of(std::string_view series, std::string_view name) {
  const std::size_t key = series.find("{}");
  if (key == series.npos) return series == name;
  if (!name.starts_with(series.substr(0, key))) return false;
  name.remove_prefix(key);
  series.remove_prefix(key + 2);
  const std::size_t most = std::min(name.find_first_not_of("0123456789.-TZ"), name.size());
  for (std::size_t taken = 1; taken <= most; ++taken) {
    if (may_be_of(series, name.substr(taken))) return true;
  }
  return false;
}

void refuse_both(const FileConfig& first, const FileConfig& second, Findings& findings) {
  report(findings, second.name.where,
         "files " + quoted(first.name.value) + " (" + first.name.where.text() + ") and " +
             quoted(second.name.value) + " would have the same names on the disk");
}

/// The periods of "run.nc" and "run" would have the same names on the disk, and a period of "run.nc" may have
/// that of "run_100.nc", which is one for the whole run.
void check_file_names(const Config& config, Findings& findings) {
  std::map<std::string, const FileConfig*> known;
  for (const FileConfig& file : config.files) {
    const auto [first, is_new] = known.try_emplace(series_of(name_of(file)), &file);
    if (!is_new) refuse_both(*first->second, file, findings);
  }
  for (std::size_t second = 1; second < config.files.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const FileConfig &one = config.files[first], &other = config.files[second];
      if (is_series(one) == is_series(other)) continue;
      const FileConfig& series = is_series(one) ? one : other;
      const FileConfig& whole = is_series(one) ? other : one;
      if (may_be_of(names_of(series), names_of(whole))) refuse_both(one, other, findings);
    }
  }
}

}  // namespace

std::string moncs_name(const FileConfig& file) {
  std::string name = file.name.value;
  const bool is_one = !file.write_time_frequency.is_given() && file.write_timestep_frequency == 0;
  const auto& keys = period_keys();
  const bool has_key = std::ranges::any_of(
      keys, [&](const std::string& key) { return name.find("{" + key + "}") != name.npos; });
  if (is_one || has_key) return name;
  return name.insert(std::min(name.find('.'), name.size()), "_{time}");
}

void check_files(const Config& config, const PlannedTime& time, bool has_model, Findings& findings) {
  check_file_names(config, findings);
  warn_of_short_frequencies(config, findings);
  if (has_model) check_dates_in_names(config, time, findings);
  if (!time.has_epoch) check_months(config, has_model, findings);
}

}  // namespace pileus::planning
