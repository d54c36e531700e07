#include "joint/run/joint_run.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "analytics/operators/list.h"
#include "attached/attached_host.h"
#include "checkpoint/continuation.h"
#include "config/components.h"
#include "config/messages.h"
#include "config/read_config.h"
#include "core/error.h"
#include "core/log.h"
#include "disk/file_system.h"
#include "joint/common_times.h"
#include "joint/run/file_series.h"
#include "joint/run/record_group.h"
#include "joint/run/turn.h"
#include "joint/run_note.h"
#include "math/exactness.h"
#include "monc/dialect.h"
#include "state/checkpoint_folders.h"

namespace pileus {
namespace {

using Options = std::map<std::string, std::string>;

Config read(const JointSettings& settings, const std::string& component, const Options& options,
            Findings& findings, bool allow_missing = false) {
  return read_config(read_text_file(settings.configuration), settings.configuration, builtin_catalogue(),
                     options, findings, allow_missing, includes_on_disk(), all_dialects(), component);
}

/// A component whose files are read, as it says of itself.
struct Origin {
  std::optional<RunNote> note;
  Config config;
};

class JointRun {
 public:
  explicit JointRun(const JointSettings& settings)
      : settings_(settings), files_(posix_file_system()), home_(settings.directory, settings.component) {}

  Joined run() {
    find_origins();
    if (!find_groups()) return result_;
    find_times();
    if (times_.empty()) {
      result_.waits_for = "there is no time that all files have a record for";
      return result_;
    }
    choose_steps();
    if (first_ < end_) make_steps();
    return result_;
  }

 private:
  void find_origins() {
    Findings findings;
    for (const DataGroupConfig& group :
         read(settings_, settings_.component, {}, findings, true).data_groups) {
      if (group.is_from_files()) origins_.try_emplace(group.component.value);
    }
    for (auto& [name, origin] : origins_) {
      origin.note = read_run_note(*files_, {settings_.directory, name});
      if (origin.note) options_.insert(origin.note->options.begin(), origin.note->options.end());
    }
    for (const auto& [key, value] : settings_.options) options_[key] = value;
    Findings mistakes;
    config_ = read(settings_, settings_.component, options_, mistakes);
    if (mistakes.has_errors()) throw ConfigError(mistakes.errors());
    if (origins_.empty())
      throw UsageError(settings_.configuration + ": component \"" + settings_.component +
                       "\" has no fields from files of others (data-definition with component and file)");
    Findings ignored;
    for (auto& [name, origin] : origins_) origin.config = read(settings_, name, options_, ignored, true);
    is_final_ = settings_.is_final || std::ranges::all_of(origins_, [](const auto& one) {
                  return one.second.note && one.second.note->has_ended;
                });
  }

  /// False if some files are not there yet.
  bool find_groups() {
    for (const DataGroupConfig& group : config_.data_groups) {
      const Origin& origin = origins_.at(group.component.value);
      const auto file = std::ranges::find_if(
          origin.config.files, [&](const FileConfig& one) { return one.name.value == group.file.value; });
      const bool has_ended = is_final_ || (origin.note && origin.note->has_ended);
      std::vector<std::string> paths = published_files(*file, settings_.directory, has_ended, *files_);
      if (paths.empty()) {
        result_.waits_for = "component " + in_quotes(group.component.value) + " has published no file " +
                            in_quotes(group.file.value) + " in " + settings_.directory;
        return false;
      }
      groups_.emplace_back(group, std::move(paths));
    }
    return true;
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
    times_ = common_times(timelines);
  }

  std::string runs_that_are_read() const {
    std::string runs;
    for (const auto& [name, origin] : origins_)
      runs += name + "=" + (origin.note ? origin.note->run : "") + ";";
    return runs;
  }

  /// The last time waits for the next, as it may be the last one of all, of which more is written.
  void choose_steps() {
    const std::vector<std::int64_t> steps = complete_checkpoints(home_);
    if (!steps.empty()) {
      after_ = read_manifest(*files_, home_, steps.back()).step;
      while (first_ < times_.size() &&
             (times_[first_].time_s < after_->time || is_same_time(times_[first_].time_s, after_->time)))
        ++first_;
    }
    result_.has_any = after_.has_value();
    if (after_) result_.last_s = after_->time;
    end_ = is_final_ ? times_.size() : times_.size() - 1;
    const auto made = read_run_note(*files_, home_, kMadeNote);
    const std::string runs = runs_that_are_read();
    if (after_ && made && made->run != runs)
      throw UsageError("component " + in_quotes(settings_.component) +
                       " was made of files of other runs than those of now: remove its files and " +
                       home_.folder().string() + ", or write to another directory");
    result_.is_over = is_final_ && made && made->has_ended && made->run == runs &&
                      is_same_time(made->last_s, times_.back().time_s);
    if (result_.is_over) {
      end_ = first_;
      result_.last_s = made->last_s;
    }
    if (first_ >= end_ && !result_.is_over)
      result_.waits_for =
          "there is no further time that all files have a record for, and that is not the "
          "last so far";
  }

  /// The server and the client, of which only a run that is over is let go in order: another would be broken
  /// off, and publish what it has.
  struct Attached {
    std::unique_ptr<AttachedHost> host;
    std::unique_ptr<Client> client;
  };

  void make_steps() {
    require_exact();
    if (!after_) remove_files_of_no_checkpoint();
    auto attached = std::make_unique<Attached>();
    try {
      attach(*attached);
      register_all(*attached->client);
      write_run_note(*files_, home_, {runs_that_are_read(), false, 0, options_}, kMadeNote);
      for (std::size_t step = first_; step < end_; ++step) make_step(step, *attached->client);
      result_.steps = static_cast<std::int64_t>(end_ - first_);
      result_.has_any = true;
      result_.last_s = times_[end_ - 1].time_s;
      if (is_final_) return finish(*attached);
      wait_for_checkpoint(*attached->host, *attached->client);
    } catch (...) {
      (void)attached.release();
      throw;
    }
    (void)attached.release();
  }

  /// A call that was killed before its first checkpoint may have published. The note, which is written when
  /// the names of files were found to be free, tells that they are its own.
  void remove_files_of_no_checkpoint() {
    const auto made = read_run_note(*files_, home_, kMadeNote);
    if (!made || made->has_ended || made->run != runs_that_are_read()) return;
    for (const FileConfig& file : config_.files) {
      for (const std::string& path : published_files(file, settings_.directory, true, *files_))
        files_->remove(path);
    }
  }

  void attach(Attached& attached) const {
    AttachedPlace place;
    place.make_host = [](const HostSettings& host, Endpoint& endpoint) {
      return std::unique_ptr<ServerHost>(make_server_host(host, endpoint));
    };
    place.polls_file_library = true;
    place.configuration = settings_.configuration;
    place.directory = settings_.directory;
    place.component = settings_.component;
    attached.host = std::make_unique<AttachedHost>(std::move(place));
    attached.client =
        std::make_unique<Client>(attached.host->client_endpoint(), attached.host->server_peer(), 0);
  }

  void finish(Attached& attached) {
    attached.client->finish();
    attached.client.reset();
    attached.host.reset();
    write_run_note(*files_, home_, {runs_that_are_read(), true, result_.last_s, options_}, kMadeNote);
    result_.is_over = true;
  }

  void register_all(Client& client) {
    for (const auto& [key, value] : options_) client.option(key, value);
    client.calendar(clock_->calendar, clock_->epoch);
    KnownDimensions dimensions;
    for (RecordGroup& group : groups_) group.register_with(dimensions, client);
    if (after_) client.continue_after(after_->index);
    client.commit();
  }

  std::int64_t index_of(std::size_t step) const {
    return (after_ ? after_->index : 0) + 1 + static_cast<std::int64_t>(step - first_);
  }

  /// The state before the last step is kept, so that a job which goes on later makes another last step.
  void make_step(std::size_t number, Client& client) {
    const double before = number > first_ ? times_[number - 1].time_s : after_ ? after_->time : 0;
    const bool is_first = number == first_ && !after_;
    Step step{index_of(number), times_[number].time_s,
              is_first ? first_length(times_) : times_[number].time_s - before};
    const bool is_last = number + 1 == times_.size() && is_final_;
    const bool is_kept = number + (is_final_ ? 2 : 1) == end_;
    step.is_checkpoint = !is_last && (is_kept || client.checkpoint_due(step) != Due::no) ? 1 : 0;
    client.begin(step, is_last);
    auto record = times_[number].records.begin();
    for (RecordGroup& group : groups_) {
      const std::size_t axes = group.times().size();
      group.put({record, record + static_cast<std::ptrdiff_t>(axes)}, client);
      record += static_cast<std::ptrdiff_t>(axes);
    }
    client.end();
  }

  /// Errors: OutputError if it does not come.
  void wait_for_checkpoint(const AttachedHost& host, Client& client) const {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds kPatience{10};
    const std::int64_t last = index_of(end_ - 1);
    for (Clock::time_point busy_at = Clock::now();;) {
      client.progress();
      if (std::filesystem::exists(checkpoint_folder(home_, last))) return;
      const Clock::time_point now = Clock::now();
      if (host.is_busy()) busy_at = now;
      if (now - busy_at > kPatience)
        throw OutputError("the checkpoint of step " + std::to_string(last) + " in " +
                          home_.folder().string() + " could not be written");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  const JointSettings& settings_;
  std::unique_ptr<FileSystem> files_;
  CheckpointHome home_;
  std::map<std::string, Origin> origins_;
  Options options_;
  Config config_;
  bool is_final_ = false;
  std::vector<RecordGroup> groups_;
  std::optional<FileClock> clock_;
  std::vector<CommonTime> times_;
  std::optional<Step> after_;        ///< the run goes on after it
  std::size_t first_ = 0, end_ = 0;  ///< the steps that are made now
  Joined result_;
};

}  // namespace

std::vector<std::string> joint_components(const std::string& configuration) {
  const std::string text = read_text_file(configuration);
  JointSettings settings;
  settings.configuration = configuration;
  std::map<std::string, std::set<std::string>> read_by;
  for (const std::string& name : component_names(text, configuration, all_dialects())) {
    Findings ignored;
    for (const DataGroupConfig& group : read(settings, name, {}, ignored, true).data_groups) {
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

Joined join_component(const JointSettings& settings) {
  const Turn turn({settings.directory, settings.component});
  return JointRun(settings).run();
}

}  // namespace pileus
