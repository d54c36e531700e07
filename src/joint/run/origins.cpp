#include "joint/run/origins.h"

#include <algorithm>

#include "analytics/operators/list.h"
#include "config/messages.h"
#include "config/read_config.h"
#include "core/error.h"
#include "monc/dialect.h"

namespace pileus {

Origins::Origins(const JointSettings& settings, FileSystem& files) : settings_(settings) {
  Findings ignored;
  plain_ = read(settings.component, {}, ignored, true);
  for (const DataGroupConfig& group : plain_.data_groups) {
    if (group.is_from_files()) origins_.try_emplace(group.component.value);
  }
  read_notes(files);
  merge_options();
  Findings mistakes;
  config_ = read(settings.component, options_, mistakes, false);
  require_options();
  if (mistakes.has_errors()) throw ConfigError(mistakes.errors());
  if (origins_.empty())
    throw UsageError(settings.configuration + ": component \"" + settings.component +
                     "\" has no fields from files of others (data-definition with component and file)");
}

Config Origins::read(const std::string& component, const Options& options, Findings& findings,
                     bool allow_missing) const {
  return read_config(read_text_file(settings_.configuration), settings_.configuration, builtin_catalogue(),
                     options, findings, allow_missing, includes_on_disk(), all_dialects(), component);
}

/// A component that left no note was run with the options that are given here.
void Origins::read_notes(FileSystem& files) {
  const Options given(settings_.options.begin(), settings_.options.end());
  for (auto& [name, origin] : origins_) {
    Findings ignored;
    origin.note = read_run_note(files, {settings_.directory, name});
    origin.plain = read(name, {}, ignored, true);
    origin.own = read(name, origin.note ? origin.note->options : given, ignored, true);
  }
}

void Origins::merge_options() {
  for (const auto& [name, origin] : origins_) {
    if (!origin.note) continue;
    for (const auto& [key, value] : origin.note->options) {
      const auto [known, is_new] = options_.try_emplace(key, value);
      if (!is_new && known->second != value) conflicts_.insert(key);
    }
  }
  for (const std::string& key : conflicts_) options_.erase(key);
  for (const auto& [key, value] : settings_.options) {
    options_[key] = value;
    conflicts_.erase(key);
  }
}

std::string Origins::conflict(const std::string& key) const {
  std::string text;
  for (const auto& [name, origin] : origins_) {
    if (!origin.note || !origin.note->options.contains(key)) continue;
    text += (text.empty() ? "" : ", ") + in_quotes(origin.note->options.at(key)) + " in " + in_quotes(name);
  }
  return text;
}

void Origins::require_options() const {
  for (const std::string& key : conflicts_) {
    if (std::ranges::find(config_.keys, key) == config_.keys.end()) continue;
    throw UsageError(settings_.configuration + ": component " + in_quotes(settings_.component) +
                     " uses the option \"" + key + "\", which the components that it reads have otherwise: " +
                     conflict(key) + "; say which value counts here with --set " + key + "=VALUE");
  }
}

bool Origins::have_ended() const {
  return settings_.is_final || std::ranges::all_of(origins_, [](const auto& origin) {
           return origin.second.note && origin.second.note->has_ended;
         });
}

bool Origins::has_ended(const std::string& component) const {
  const Origin& origin = origins_.at(component);
  return have_ended() || (origin.note && origin.note->has_ended);
}

std::string Origins::run_of(const std::string& component) const {
  const Origin& origin = origins_.at(component);
  return origin.note ? origin.note->run : "";
}

std::string Origins::runs() const {
  std::string runs;
  for (const auto& [name, origin] : origins_) runs += name + "=" + run_of(name) + ";";
  return runs;
}

/// The names are compared as they stand in the configuration: an option in them may have another value in
/// each component.
FileConfig Origins::file_of(const DataGroupConfig& group) const {
  const auto plain_group = std::ranges::find_if(
      plain_.data_groups, [&](const DataGroupConfig& one) { return one.where.text() == group.where.text(); });
  const std::string& name =
      plain_group == plain_.data_groups.end() ? group.file.value : plain_group->file.value;
  const Origin& origin = origins_.at(group.component.value);
  const auto file =
      std::ranges::find_if(origin.plain.files, [&](const FileConfig& one) { return one.name.value == name; });
  const auto place = static_cast<std::size_t>(file - origin.plain.files.begin());
  if (place >= origin.own.files.size())
    throw UsageError(group.file.where.text() + ": component " + in_quotes(group.component.value) +
                     " has no file " + in_quotes(group.file.value) +
                     ", as far as the options of its run are known; give them with --set key=value");
  return origin.own.files[place];
}

}  // namespace pileus
