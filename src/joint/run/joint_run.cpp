#include "joint/run/joint_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "analytics/operators/list.h"
#include "checkpoint/continuation.h"
#include "config/components.h"
#include "config/messages.h"
#include "config/read_config.h"
#include "core/error.h"
#include "core/run_id.h"
#include "disk/file_system.h"
#include "files/file_layout.h"
#include "joint/made_note.h"
#include "joint/run/file_series.h"
#include "joint/run/origins.h"
#include "joint/run/step_maker.h"
#include "joint/run/turn.h"
#include "math/exactness.h"
#include "monc/dialect.h"
#include "state/checkpoint_folders.h"

namespace pileus {
namespace {

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

/// Nothing is the same time as infinity.
bool is_not_after(double a, double b) { return a < b || (std::isfinite(a - b) && is_same_time(a, b)); }

/// In the note: files of a data-definition that has other fields now are looked at anew.
std::string key_of(const DataGroupConfig& group) {
  std::string key = group.name.value + ":";
  for (const FieldConfig& field : group.fields) key += " " + field.name.value;
  return key;
}

std::string name_in(const std::string& directory, const std::string& path) {
  return path.substr(directory.size() + 1);
}

class JointRun {
 public:
  JointRun(const JointSettings& settings, FileSystem& files)
      : settings_(settings),
        files_(files),
        home_(settings.directory, settings.component),
        origins_(settings, files) {}

  Joined run() {
    find_what_was_made();
    if (!find_groups()) return result_;
    find_times();
    if (steps_.times.empty()) {
      result_.waits_for = "there is no time that all files have a record for" + still_written_;
      return result_;
    }
    choose_steps();
    if (steps_.first < steps_.end) make_steps();
    return result_;
  }

 private:
  void find_what_was_made() {
    steps_.is_final = origins_.have_ended();
    const std::vector<std::int64_t> steps = complete_checkpoints(home_);
    made_ = read_made_note(files_, home_);
    has_note_ = made_.has_value();
    if (!made_) made_ = MadeNote{new_run_id(), origins_.runs(), false, false, 0, {}, {}};
    if (!steps.empty()) {
      const Manifest manifest = read_manifest(files_, home_, steps.back());
      steps_.after = Step{manifest.step.index, manifest.step.time, manifest.step.length};
      made_->run = manifest.run;
      made_->has_kept = true;
    }
    result_.has_any = steps_.after.has_value();
    if (steps_.after) result_.last_s = steps_.after->time;
    const bool has_made = steps_.after || made_->has_ended || made_->has_kept;
    if (has_note_ && has_made && made_->origins != origins_.runs())
      throw UsageError("component " + in_quotes(settings_.component) +
                       " was made of files of other runs than those of now: remove its files and " +
                       home_.folder().string() + ", or write to another directory");
  }

  double made_s() const {
    return steps_.after ? steps_.after->time : -std::numeric_limits<double>::infinity();
  }

  /// False if some files are not there yet.
  bool find_groups() {
    for (const DataGroupConfig& group : origins_.config().data_groups) {
      const std::string& component = group.component.value;
      PublishedSeries series =
          published_files(origins_.file_of(group), settings_.directory,
                          {origins_.run_of(component), origins_.has_ended(component)}, files_);
      if (!series.waits_for.empty()) still_written_ = "; " + series.waits_for + " is not published yet";
      if (series.paths.empty()) {
        result_.waits_for = "component " + in_quotes(component) + " has published no file " +
                            in_quotes(group.file.value) + " in " + settings_.directory + still_written_;
        if (settings_.is_final) throw UsageError(result_.waits_for);
        return false;
      }
      open_group(group, std::move(series.paths));
    }
    return true;
  }

  /// Of files that lie wholly before what was made nothing is read: those with a successor that begins there.
  void open_group(const DataGroupConfig& group, std::vector<std::string> paths) {
    std::map<std::string, double>& known = made_->first_s[key_of(group)];
    const bool is_known = has_note_ && steps_.after && !known.empty();
    std::size_t first = 0;
    for (std::size_t file = 0; file < paths.size(); ++file) {
      const auto found = known.find(name_in(settings_.directory, paths[file]));
      if (found != known.end() && is_not_after(found->second, made_s())) first = file;
    }
    for (std::size_t file = 0; is_known && file < first; ++file) {
      if (!known.contains(name_in(settings_.directory, paths[file]))) refuse_late(paths[file]);
    }
    paths.erase(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(first));
    groups_.emplace_back(group, paths);
    const std::vector<double> firsts = groups_.back().first_times();
    for (std::size_t file = 0; file < paths.size(); ++file) {
      const bool is_new =
          known.insert_or_assign(name_in(settings_.directory, paths[file]), firsts[file]).second;
      if (is_known && is_new && groups_.back().begins_at(file, made_s())) refuse_late(paths[file]);
    }
  }

  [[noreturn]] void refuse_late(const std::string& path) const {
    throw UsageError(path + ": a record of it came late: component " + in_quotes(settings_.component) +
                     " has been made up to " + number_text(made_s()) +
                     " s without it. Move the file away, or remove " + home_.folder().string() +
                     " and the files of the component, which are then made again");
  }

  void find_times() {
    std::vector<std::vector<double>> timelines;
    for (const RecordGroup& group : groups_) {
      timelines.insert(timelines.end(), group.times().begin(), group.times().end());
      if (!group.clock()) continue;
      if (!clock_) clock_ = group.clock();
      if (clock_->epoch != group.clock()->epoch || clock_->calendar != group.clock()->calendar)
        throw UsageError(group.clock()->path + ": its times are seconds since " + group.clock()->epoch +
                         " (" + group.clock()->calendar + "), and those of " + clock_->path + " since " +
                         clock_->epoch + " (" + clock_->calendar +
                         "); components that are read together need one calendar and epoch");
    }
    if (timelines.empty()) throw UsageError("all that is read is static: there are no times");
    steps_.times = common_times(timelines);
  }

  /// The last time waits for the next, as it may be the last one of all, of which more is written.
  void choose_steps() {
    const std::vector<CommonTime>& times = steps_.times;
    while (steps_.first < times.size() && is_not_after(times[steps_.first].time_s, made_s())) ++steps_.first;
    steps_.end = steps_.is_final ? times.size() : times.size() - 1;
    result_.is_over = steps_.is_final && made_->has_ended && is_same_time(made_->last_s, times.back().time_s);
    if (result_.is_over) {
      steps_.end = steps_.first;
      result_.last_s = made_->last_s;
    } else if (made_->has_kept && !steps_.after) {
      throw UsageError("component " + in_quotes(settings_.component) + " was made before, and " +
                       home_.folder().string() +
                       " has no checkpoint of it any more, to go on from: what is "
                       "published stays as it is. Bring the checkpoint back, or remove the folder and the "
                       "files of the component, which are then made again");
    } else if (steps_.first >= steps_.end) {
      result_.waits_for =
          "there is no further time that all files have a record for, and that is not the last so far" +
          still_written_;
    }
  }

  /// A run that is over is let go in order. Another one would be broken off, and publish what it has.
  void make_steps() {
    require_exact();
    if (!steps_.after) remove_what_a_killed_call_made();
    StepMaker maker(settings_, steps_, groups_);
    try {
      maker.begin(made_->run, origins_.options(), *clock_);
      made_->has_ended = false;
      made_->origins = origins_.runs();
      for (const FileConfig& file : origins_.config().files) made_->files.insert(file.name.value);
      write_made_note(files_, home_, *made_);
      for (std::size_t step = steps_.first; step < steps_.end; ++step) make(step, maker);
      if (steps_.is_final) finish(maker);
    } catch (...) {
      maker.leave();
      throw;
    }
    maker.leave();
    result_.steps = static_cast<std::int64_t>(steps_.end - steps_.first);
    result_.has_any = true;
    result_.last_s = steps_.times[steps_.end - 1].time_s;
  }

  void make(std::size_t step, StepMaker& maker) {
    maker.make(step);
    if (!steps_.is_kept(step) || made_->has_kept) return;
    made_->has_kept = true;
    write_made_note(files_, home_, *made_);
  }

  void finish(StepMaker& maker) {
    maker.finish();
    made_->has_ended = true;
    made_->last_s = steps_.times.back().time_s;
    write_made_note(files_, home_, *made_);
    result_.is_over = true;
  }

  /// A call that was killed before its first checkpoint may have published. The names of these series were
  /// found to be free before it did, so that the files are its own; they are made again.
  void remove_what_a_killed_call_made() {
    if (!has_note_) return;
    for (const FileConfig& file : origins_.config().files) {
      if (!made_->files.contains(file.name.value) || is_moncs(file.naming)) continue;
      for (const std::string& path : published_files(file, settings_.directory, {"", true}, files_).paths)
        files_.remove(path);
    }
    const std::string of_run = "." + made_->run + "-";
    for (const std::string& name : files_.list(settings_.directory)) {
      if (!name_of_temporary(name).empty() && name.find(of_run) != std::string::npos)
        files_.remove(settings_.directory + "/" + name);
    }
  }

  const JointSettings& settings_;
  FileSystem& files_;
  CheckpointHome home_;
  Origins origins_;
  std::optional<MadeNote> made_;  ///< of calls before, or a new one
  bool has_note_ = false;         ///< of calls before
  std::vector<RecordGroup> groups_;
  std::optional<FileClock> clock_;
  StepMaker::Steps steps_;
  std::string still_written_;  ///< a clause about a file that is waited for; "" for none
  Joined result_;
};

}  // namespace

std::vector<std::string> joint_components(const std::string& configuration) {
  const std::string text = read_text_file(configuration);
  std::map<std::string, std::set<std::string>> read_by;
  for (const std::string& name : component_names(text, configuration, all_dialects())) {
    Findings ignored;
    const Config config = read_config(text, configuration, builtin_catalogue(), {}, ignored, true,
                                      includes_on_disk(), all_dialects(), name);
    for (const DataGroupConfig& group : config.data_groups) {
      if (group.is_from_files()) read_by[name].insert(group.component.value);
    }
  }
  std::vector<std::string> ordered;
  const auto is_there = [&](const std::string& name) {
    return !read_by.contains(name) || std::ranges::find(ordered, name) != ordered.end();
  };
  for (std::size_t before = SIZE_MAX; before != ordered.size();) {
    before = ordered.size();
    for (const auto& [name, origins] : read_by) {
      if (!is_there(name) && std::ranges::all_of(origins, is_there)) ordered.push_back(name);
    }
  }
  for (const auto& [name, origins] : read_by) {
    if (!is_there(name)) ordered.push_back(name);  // it stands in a circle, which is an error of its own
  }
  return ordered;
}

/// The server's lock on the checkpoints stays until the process ends, and so must the turn.
Joined join_component(const JointSettings& settings) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Origins(settings, *files);  // what is wrong with the configuration is said before anything is made there
  auto turn =
      std::make_unique<Turn>(CheckpointHome(settings.directory, settings.component), settings.patience_s);
  (void)turn.release();
  return JointRun(settings, *files).run();
}

}  // namespace pileus
