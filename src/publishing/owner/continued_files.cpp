#include "publishing/owner/continued_files.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/log.h"
#include "publishing/owner/rebuild.h"
#include "time/file_periods.h"
#include "time/file_timeline.h"

namespace pileus {
namespace {

/// The only entry of its kind and key. Errors: TransportError if there are more.
const StateEntry* entry(const StateEntries& entries, std::string_view kind, const std::string& key) {
  const auto found = entries.find(kind, key);
  if (found.size() > 1) throw TransportError("a checkpoint has \"" + key + "\" more than once");
  return found.empty() ? nullptr : &found.front();
}

class Matching {
 public:
  Matching(const Plan& plan, const StateEntries& entries, const std::map<VariableId, std::string>& holes)
      : plan_(plan), entries_(entries), holes_(holes) {}

  ContinuedFiles run() {
    for (std::size_t f = 0; f < plan_.files.size(); ++f) match_series(FileId(f));
    for (const std::string& key : entries_.keys(kSeriesKind)) {
      if (!known_.contains(key)) out_.not_continued.push_back(key + ": the configuration has no such file");
    }
    for (const std::string& key : entries_.keys(kFileKind)) match_file(key);
    for (const auto& [file, timeline] : timelines_) {
      for (const std::int64_t period : timeline.open_periods()) find_first_records({file, period}, timeline);
    }
    return std::move(out_);
  }

 private:
  void match_series(FileId file) {
    const PlannedFile& planned = plan_[file];
    known_[planned.name] = file;
    const StateEntry* kept = entry(entries_, kSeriesKind, planned.name);
    if (!kept) return out_.not_continued.push_back(planned.name + ": it begins now");
    SeriesState state = decode_series(*kept);
    if (state.names != series_text(planned)) {
      return out_.not_continued.push_back(planned.name + ": its files cover other times than before");
    }
    FileTimeline timeline(plan_, file, 0);
    Decoder in(state.timeline);
    const std::vector<std::string> others = timeline.restore(in);
    others_[file] = {others.begin(), others.end()};
    const bool is_same = definition_hash(file_definition(plan_, file, {}, holes_)) == state.definition;
    if (is_same && others.empty()) out_.same.insert(file);
    timelines_.emplace(file, std::move(timeline));
    out_.series[file] = std::move(state);
  }

  void match_file(const std::string& key) {
    const auto [name, period] = parse_file_key(key);
    const StateEntry& kept = *entry(entries_, kFileKind, key);
    FileUnderWay state = decode_file(kept);
    const auto known = known_.find(name);
    const bool goes_on = known != known_.end() && out_.same.contains(known->second);
    const bool is_replaced = known != known_.end() && plan_[known->second].keeps_newest;
    if (!goes_on && !is_replaced && !state.records.empty()) out_.left_records.insert(state.final_name);
    if (known == known_.end() || !out_.series.contains(known->second)) return;  // said of the series
    const FileId file = known->second;
    const FilePeriod at{file, period};
    const auto& schedules = plan_[file].schedules;
    if (!goes_on) return begin_anew(at, state);
    const bool is_possible = state.definition == out_.series.at(file).definition &&
                             std::ranges::all_of(state.records, [&](const KeptRecord& record) {
                               return record.axis < schedules.size() && record.mark.period == period;
                             });
    if (!is_possible) throw TransportError("the state of the file " + state.final_name + " is damaged");
    out_.begun[at] = state.counts(schedules.size());
    out_.under_way[at] = std::move(state);
  }

  /// A file that begins anew, or did so in a run before, has fewer records than its schedules have given, or
  /// none yet. Axes are known by the names of their dimensions; those that do not go on begin at 0 again.
  void find_first_records(FilePeriod file, const FileTimeline& timeline) {
    std::vector<Index> first = timeline.records_in(file.period);
    const auto& schedules = plan_[file.file].schedules;
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
      if (others_.at(file.file).contains(plan_[schedules[axis]].dimension)) first[axis] = 0;
    }
    const auto begun = out_.begun.find(file);
    for (std::size_t axis = 0; axis < first.size() && begun != out_.begun.end(); ++axis)
      first[axis] = std::max<Index>(0, first[axis] - begun->second[axis]);
    if (std::ranges::any_of(first, [](Index records) { return records > 0; }))
      out_.first_records[file] = std::move(first);
  }

  void begin_anew(FilePeriod file, const FileUnderWay& state) {
    out_.not_continued.push_back(
        state.final_name + ": begins anew: the configuration defines it otherwise than before, so its " +
        std::to_string(state.records.size()) + (state.records.size() == 1 ? " record" : " records") +
        " before are not in it");
    out_.first_records[file].assign(plan_[file.file].schedules.size(), 0);
  }

  const Plan& plan_;
  const StateEntries& entries_;
  const std::map<VariableId, std::string>& holes_;
  std::map<std::string, FileId> known_;
  std::map<FileId, FileTimeline> timelines_;        ///< where the run before stood
  std::map<FileId, std::set<std::string>> others_;  ///< axes that do not go on
  ContinuedFiles out_;
};

}  // namespace

bool ContinuedFiles::is_over(FilePeriod file) const {
  const auto found = series.find(file.file);
  if (found == series.end()) return false;
  const bool was_published = replacing.contains(file.file) && found->second.published.contains(file.period);
  return was_published || found->second.failed.contains(file.period);
}

Index ContinuedFiles::record_in_file(FilePeriod file, std::size_t axis, Index record) const {
  const auto found = first_records.find(file);
  return found == first_records.end() ? record : record - found->second[axis];
}

ContinuedFiles continued_files(const Plan& plan, const StateEntries& entries, const Step& after,
                               const std::map<VariableId, std::string>& holes) {
  ContinuedFiles continued = Matching(plan, entries, holes).run();
  continued.after = after;
  continued.statics = kept_wholes(plan, entries);
  return continued;
}

void find_published_names(ContinuedFiles& continued, const Plan& plan, const std::string& directory,
                          FileSystem& files) {
  for (auto& [key, state] : continued.under_way) {
    const PlannedFile& planned = plan[key.file];
    if (!has_last_step_in_name(planned)) continue;  // runs note thousands of publications
    const FilePeriods periods(planned.write_frequency, planned.write_frequency_steps);
    for (const auto& [name, known] : continued.publications) {
      const auto step = step_of_name(planned, name);
      const bool is_it = step && periods.period_of(0, 0, {*step, 0, 0}) == key.period;
      // Whatever the server knew of checkpoints then: what is under way in one came to its name later.
      const bool is_later = !std::ranges::all_of(known, &Publication::is_of_attempt_before);
      if (is_it && is_later && files.exists(directory + "/" + name)) state.final_name = name;
    }
  }
}

namespace {

/// The last period that the run before published after the checkpoint, if there is any. What was noted of all
/// periods is known of their one name.
std::int64_t last_noted(ContinuedFiles& continued, const PlannedFile& planned, const std::string& name) {
  std::int64_t last = INT64_MIN;
  std::vector<Publication> all;
  for (const auto& [noted, known] : continued.publications) {
    const auto period = replaced_period_of(planned, noted);
    if (!period) continue;
    all.insert(all.end(), known.begin(), known.end());
    if (std::ranges::any_of(known, &Publication::is_after)) last = std::max(last, *period);
  }
  if (!all.empty()) continued.publications[name] = std::move(all);
  return last;
}

}  // namespace

/// A file is noted before it comes to its name, which it gets after those before it: one that is not under
/// its temporary name any more had the name before a later one that is noted.
void find_replaced(ContinuedFiles& continued, const Plan& plan, const std::string& directory,
                   FileSystem& files) {
  std::map<FileId, std::int64_t> last;
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    const PlannedFile& planned = plan.files[f];
    if (!planned.keeps_newest) continue;
    last[FileId(f)] = last_noted(continued, planned, file_name(planned, plan.time, 0));
  }
  std::erase_if(continued.under_way, [&](const auto& one) {
    const auto& [key, state] = one;
    const auto found = last.find(key.file);
    const bool is_replaced = found != last.end() && key.period < found->second &&
                             !files.exists(directory + "/" + state.temporary_name);
    if (is_replaced) {
      continued.series.at(key.file).published.add(key.period);
      continued.begun.erase(key);
    }
    return is_replaced;
  });
  for (const auto& [file, series] : continued.series) {
    if (plan[file].keeps_newest && !series.published.ranges().empty()) continued.replacing.insert(file);
  }
}

/// Only the notes say when files were published of a series that the checkpoint does not have under these
/// names, as an old name may be that of a new period.
bool may_be_replaced(const ContinuedFiles& continued, FileId file, const std::string& name,
                     const std::string& directory, FileSystem& files) {
  if (continued.replacing.contains(file)) return true;
  return is_published(files, directory, continued.publications, name, !continued.series.contains(file));
}

bool may_replace(const ContinuedFiles* continued, FilePeriod file, const FileNames& names,
                 FileSystem& files) {
  if (!continued) return false;
  const auto series = continued->series.find(file.file);
  const bool is_older = series != continued->series.end() && series->second.published.contains(file.period);
  return !is_older && may_be_replaced(*continued, file.file, names.name(file), names.directory(), files);
}

void keep_aside(const ContinuedFiles& continued, const std::string& directory, const std::string& name,
                FileSystem& files) {
  if (!continued.left_records.contains(name)) return;
  const std::string path = directory + "/" + name;
  const std::string aside = name_aside(path, continued.after.index);
  if (files.exists(aside)) return;
  files.publish(path, aside, false);
  log::warning(path +
               " has records from before the checkpoint, which the file of now has not: it is kept as " +
               aside);
}

bool may_be_written(const ContinuedFiles& continued, const Plan& plan, FileId file, const std::string& name) {
  const PlannedFile& planned = plan[file];
  if (planned.keeps_newest) return true;
  if (const auto step = step_of_name(planned, name)) return *step >= continued.after.index;
  const auto is_it = [&](std::int64_t period) { return file_name(planned, plan.time, period) == name; };
  for (const auto& [under_way, state] : continued.under_way) {
    if (under_way.file == file && is_it(under_way.period)) return true;
  }
  for (const auto& [begun_anew, first] : continued.first_records) {
    if (begun_anew.file == file && is_it(begun_anew.period)) return true;
  }
  const FilePeriods periods(planned.write_frequency, planned.write_frequency_steps);
  const auto period = period_of_name(planned, plan.time, name, periods.full_after(continued.after) + 1);
  return period.has_value();
}

std::vector<std::string> missing_sources(const ContinuedFiles& continued, const std::string& directory,
                                         FileSystem& files) {
  std::vector<std::string> texts;
  for (const auto& [file, state] : continued.under_way) {
    try {
      source_of(files, directory, state, continued.after.index);
      require_parts(files, directory, state);
    } catch (const OutputError& error) {
      texts.push_back(error.what());
    }
  }
  return texts;
}

std::vector<std::string> remove_leftovers(const std::string& directory, const std::string& run_id,
                                          const std::set<std::int32_t>& kept, FileSystem& files) {
  constexpr std::string_view kEnd = ".part";
  const std::string of_run = "." + run_id + "-";
  std::vector<std::string> removed;
  for (const std::string& name : files.list(directory)) {
    const std::size_t at = name.rfind(of_run);
    if (!name.starts_with(".") || !name.ends_with(kEnd) || at == std::string::npos) continue;
    const char* first = name.data() + at + of_run.size();
    const char* last = name.data() + name.size() - kEnd.size();
    std::int32_t attempt = 0;
    const auto [end, problem] = std::from_chars(first, last, attempt);
    if (problem != std::errc() || end != last || kept.contains(attempt)) continue;
    files.remove(directory + "/" + name);
    removed.push_back(name);
  }
  return removed;
}

}  // namespace pileus
