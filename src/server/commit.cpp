#include "server/commit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "checkpoint/continuation.h"
#include "checkpoint/kept_statics.h"
#include "client/frames.h"
#include "config/read_config.h"
#include "core/component_path.h"
#include "core/environment.h"
#include "core/error_text.h"
#include "core/log.h"
#include "core/run_id.h"
#include "description/model_file.h"
#include "layout/config_wants.h"
#include "messaging/frames.h"
#include "publishing/owner/continued_files.h"
#include "publishing/publishing.h"
#include "server/needed_state.h"
#include "state/checkpoint_folders.h"
#include "time/continued_windows.h"

namespace pileus {
namespace {

/// Now, or what SOURCE_DATE_EPOCH says, for runs that are to give the same bytes.
std::time_t first_start() {
  if (const char* text = std::getenv("SOURCE_DATE_EPOCH")) {
    std::int64_t seconds = 0;
    const std::string_view view(text);
    const auto [end, problem] = std::from_chars(view.data(), view.data() + view.size(), seconds);
    if (problem == std::errc() && end == view.data() + view.size()) return static_cast<std::time_t>(seconds);
    log::warning("SOURCE_DATE_EPOCH is \"" + std::string(view) +
                 "\", which is no number of seconds; it is ignored");
  }
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

/// `given`: its id; "": it gets one of its own.
RunIdentity make_identity(const std::string& given) {
  const std::time_t start = first_start();
  std::tm utc{};
  gmtime_r(&start, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {given.empty() ? new_run_id() : given, std::string(text) + " written by Pileus " PILEUS_VERSION};
}

void require_same_options(const ModelRanks& model) {
  const auto& first = model.kind(0).options;
  for (std::size_t kind = 1; kind < model.kind_count(); ++kind) {
    const auto& options = model.kind(kind).options;
    if (options == first) continue;
    const auto [mine, others] = std::ranges::mismatch(options, first);
    const std::string key = mine != options.end() ? mine->first : others->first;
    throw UsageError("model rank " + std::to_string(model.first_rank(kind)) +
                     " gives other options than model rank 0: look at \"" + key +
                     "\"; options are the same on every rank");
  }
}

void require_same_start(const ModelRanks& model) {
  const auto start_of = [](const RankDescription& rank) {
    return rank.continue_after ? "continues after step " + std::to_string(*rank.continue_after)
                               : std::string("starts afresh");
  };
  for (std::size_t kind = 1; kind < model.kind_count(); ++kind) {
    if (model.kind(kind).continue_after == model.kind(0).continue_after) continue;
    throw UsageError("model rank " + std::to_string(model.first_rank(kind)) + " " +
                     start_of(model.kind(kind)) + ", but model rank 0 " + start_of(model.kind(0)) +
                     "; pileus_continue is called with the same step on every rank, or on none");
  }
}

/// Exactly the checkpoint that the model asks for has to be there.
void require_checkpoint(const CheckpointHome& home, std::int64_t step) {
  const std::vector<std::int64_t> steps = complete_checkpoints(home);
  if (std::ranges::binary_search(steps, step)) return;
  std::string known = steps.size() == 1 ? "; there is that of step " : "; there are those of steps ";
  for (std::size_t i = 0; i < steps.size(); ++i) known += (i > 0 ? ", " : "") + std::to_string(steps[i]);
  if (steps.empty()) known = "; there is none at all";
  throw UsageError("pileus_continue: there is no checkpoint of step " + std::to_string(step) + " in " +
                   home.folder().string() + known);
}

/// The folders in which files of the plan lie, with the place of one of the files.
std::map<std::string, Location> folders_of(const Plan& plan) {
  std::map<std::string, Location> folders;
  for (const PlannedFile& file : plan.files) {
    if (const std::size_t slash = file.name.rfind('/'); slash != std::string::npos)
      folders.emplace(file.name.substr(0, slash), file.where);
  }
  return folders;
}

/// Files get their names by a rename, which no file system does into another. A link may lead there.
/// Errors: ConfigError for a folder that files could not come into.
void require_folders(const Plan& plan, const std::string& directory) {
  struct stat here {};
  stat(directory.c_str(), &here);
  for (const auto& [folder, where] : folders_of(plan)) {
    // The folders that are not there yet will be on the file system of the one above.
    std::filesystem::path path = std::filesystem::path(directory) / folder;
    struct stat there {};
    int error = 0;
    while ((error = stat(path.c_str(), &there) == 0 ? 0 : errno) == ENOENT && path != directory)
      path = path.parent_path();
    std::string problem;
    if (error != 0) {
      problem = " cannot be reached: " + std::generic_category().message(error);
    } else if (!S_ISDIR(there.st_mode)) {
      problem = " is no folder";
    } else if (there.st_dev != here.st_dev) {
      problem = " is on another file system than " + directory + ", where files lie until they are complete";
    } else if (access(path.c_str(), W_OK) != 0) {
      problem = " cannot be written to: " + std::generic_category().message(errno);
    }
    if (problem.empty()) continue;
    Findings findings;
    findings.error(where, path.string() + problem + "; choose another folder, or another directory for all");
    throw ConfigError(findings);
  }
}

/// The names in the directory, and in the folders in which files of the plan lie.
std::vector<std::string> names_beside(const Plan& plan, const std::string& directory, FileSystem& files) {
  std::vector<std::string> names = files.list(directory);
  for (const auto& [folder, where] : folders_of(plan)) {
    for (const std::string& name : files.list(directory + "/" + folder)) names.push_back(folder + "/" + name);
  }
  return names;
}

/// Files that this run would write, or its continuation: named now, not when the first record comes.
/// `continued`: files of the run before may be there.
void require_free_names(const Plan& plan, const std::string& directory, FileSystem& files,
                        const std::optional<ContinuedFiles>& continued) {
  std::error_code problem;
  const std::filesystem::directory_iterator entries(directory, problem);
  if (problem) throw UsageError("cannot write files to " + directory + ": " + problem.message());
  if (access(directory.c_str(), W_OK) != 0) {
    throw UsageError("cannot write files to " + directory + ": " + std::generic_category().message(errno));
  }
  require_folders(plan, directory);
  for (const std::string& name : names_beside(plan, directory, files)) {
    for (std::size_t f = 0; f < plan.files.size(); ++f) {
      const PlannedFile& file = plan.files[f];
      if (file.may_overwrite || !is_of_series(file, name)) continue;
      if (continued && !may_be_written(*continued, plan, FileId(f), name)) continue;
      if (continued && may_be_replaced(*continued, FileId(f), name, directory, files)) continue;
      Findings findings;
      findings.error(
          file.where,
          "the output file " + directory + "/" + name +
              " exists already; move it away, write to another directory, or say overwrite=\"true\"");
      throw ConfigError(findings);
    }
  }
}

/// Tells whether the run makes checkpoints without being asked. A model that asks for one takes the lock with
/// the first.
bool keeps_checkpoints(const CheckpointReasons& reasons) {
  return reasons.steps > 0 || reasons.frequency.is_given() || reasons.wall_time_s > 0 ||
         !reasons.signals.empty();
}

/// The same configuration goes on with everything, or not at all: what begins afresh there would be lost to a
/// change of the model that nobody may have meant.
std::string lost_by_same_configuration(const Continuation& continuation, const Plan& plan,
                                       const ContinuedFiles& files) {
  const Manifest& manifest = continuation.manifest;
  const bool is_same = manifest.configuration_hash == text_of(plan.attributes, "configuration_hash") &&
                       manifest.options == text_of(plan.attributes, "options");
  if (!is_same) return {};
  const ContinuedWindows windows(plan, continuation.entries, continuation.step.time);
  std::vector<std::string> lost = windows.warnings();
  lost.insert(lost.end(), files.not_continued.begin(), files.not_continued.end());
  return lost.empty() ? "" : lost.front();
}

/// Errors: UsageError if the run cannot go on with what the checkpoint has.
void require_whole(const Continuation& continuation, const Plan& plan, const ContinuedFiles& continued,
                   const std::string& directory, FileSystem& files) {
  const std::string refused =
      "the run cannot continue from " +
      checkpoint_folder({directory, continuation.identity.component}, continuation.step.index).string() +
      ": ";
  const std::vector<std::string> missing = missing_sources(continued, directory, files);
  if (!missing.empty()) throw UsageError(refused + missing.front());
  const std::string lost = lost_by_same_configuration(continuation, plan, continued);
  if (lost.empty()) return;
  throw UsageError(refused + "the configuration is the same, but the model has changed, so that " + lost +
                   "; register fields and dimensions as before, or change the configuration if it is meant");
}

}  // namespace

namespace {

/// Who starts the job overrules the program that he starts.
std::string path_of_description(const ServerSettings& settings, const Registrations& all) {
  const auto own = [&](const std::string& named) { return path_of_component(named, settings.component); };
  if (!settings.model_file.empty()) return own(settings.model_file);
  if (const char* const named = std::getenv("PILEUS_DESCRIBE_MODEL")) return own(named);
  return all.of_first().describe_model;
}

}  // namespace

void describe_model_if_asked(const ServerSettings& settings, const Registrations& all, const ClockTick* first,
                             bool has_initial_state) {
  const std::string path = path_of_description(settings, all);
  if (path.empty()) return;
  ModelFile file;
  file.servers = static_cast<ServerRank>(settings.servers.size());
  if (first != nullptr) {
    file.timestep_s = first->step.length;
    file.start_time_s = first->start_time_s;
    file.has_initial_state = has_initial_state;
  }
  write_model_file(path, file, all.model());
}

namespace {

/// Errors: UsageError if the ranks give different options.
ModelRanks model_of(const Registrations& all) {
  ModelRanks model = all.model();
  require_same_options(model);
  return model;
}

/// Gives the run the options, overruled by those of the command line, and the text of the configuration.
void take_configuration(const ServerSettings& settings, RunDescription& run) {
  run.options = run.model.kind(0).options;
  for (const auto& [key, value] : settings.options) run.options[key] = value;
  if (settings.configuration.empty()) {
    throw UsageError(
        "no configuration: name the XML file on the command line of pileus-server, or, where the model "
        "runs without servers, in pileus_start");
  }
  run.configuration_name = settings.configuration;
  run.configuration_text = read_text_file(settings.configuration);
}

Wants wants_of(const ServerSettings& settings, const Registrations& questions) {
  RunDescription run;
  run.identity.component = settings.component;
  run.model = model_of(questions);
  take_configuration(settings, run);
  Findings findings;
  Wants wants = config_wants(config_of(run, findings, includes_on_disk()), findings);
  if (findings.has_errors()) throw ConfigError(findings.errors());
  return wants;
}

}  // namespace

Bytes answer_questions(const ServerSettings& settings, const Registrations& questions) {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::wants);
  try {
    const Wants wants = wants_of(settings, questions);
    out.put(true);
    wants.encode(out);
  } catch (...) {
    out.put(false);
    out.put(text_of_current_exception());
  }
  return frame;
}

JointStarts::Job joint_job(const RunDescription& description) {
  const RunIdentity& identity = description.identity;
  return {description.configuration_name,
          description.directory,
          identity.component,
          {identity.id, false, description.options}};
}

RunDescription describe_run(const ServerSettings& settings, const Registrations& all, FileSystem& files,
                            FolderLock& lock, const ReadGrid& read_grid, const OpenInput& open_input) {
  const CheckpointHome home{settings.directory, settings.component};
  RunDescription run;
  run.model = model_of(all);
  require_same_start(run.model);
  if (const auto& step = run.model.kind(0).continue_after) require_checkpoint(home, *step);
  for (const std::string& mistake : mistakes_of_environment()) log::warning(mistake);
  for (const std::string& text : settings.placement) log::info(text);
  for (const std::string& text : settings.placement_warnings) log::warning(text);
  take_configuration(settings, run);
  std::optional<Continuation> continuation;
  if (const auto& after = run.model.kind(0).continue_after) {
    lock.take(home, read_manifest(files, home, *after).run);
    continuation = read_continuation(files, home, *after, state_needed_to_plan());
  }
  run.identity = continuation ? continuation->identity : make_identity(settings.run);
  run.identity.component = settings.component;
  if (continuation) run.identity.attempt = next_attempt(files, home, run.identity);
  for (const std::string& text : texts_of_other_runs(files, home, run.identity)) log::warning(text);
  run.of_components = settings.of_components;
  run.directory = settings.directory;
  run.served_by = settings.served_by;
  run.owners_write_all = !files.bears_positioned_writes(settings.directory);

  Findings findings;
  PlannedRun planned = plan_run(run, static_cast<ServerRank>(settings.servers.size()), findings,
                                includes_on_disk(), read_grid, open_input);
  warn_of_unused_settings(settings.options, planned.config.keys, run.configuration_name, findings);
  run.included = std::move(planned.config.included);
  const char* const events = std::getenv("PILEUS_EVENTS");
  run.events = path_of_component(events != nullptr ? events : planned.config.events, settings.component);
  std::optional<ContinuedFiles> continued;
  if (continuation) {
    continued =
        files_of(planned.plan, *continuation, settings.directory, files, texts_of_holes(planned.plan));
    require_whole(*continuation, planned.plan, *continued, settings.directory, files);
    run.kept_statics = fields_kept_whole(planned.plan, continuation->entries);
  }
  require_free_names(planned.plan, settings.directory, files, continued);
  if (keeps_checkpoints(planned.plan.checkpoints)) lock.take(home, run.identity.id);
  if (!planned.plan.readers().empty()) write_run_note(files, home, joint_job(run).note);
  for (const Finding& finding : findings.all()) {
    if (finding.severity == Severity::warning) {
      log::warning(findings.text(finding));
    } else {
      log::debug(findings.text(finding));
    }
  }
  return run;
}

}  // namespace pileus
