#include "apps/state.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>

#include "apps/checkpoint_listing.h"
#include "core/error.h"
#include "disk/file_system.h"
#include "joint/common_times.h"
#include "joint/made_note.h"

namespace pileus::apps {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ListedCheckpoint& one) {
  Json out = {{"step", one.step}, {"folder", one.folder}, {"written", one.written}, {"damage", one.damage}};
  if (!one.manifest) return out;
  const Manifest& manifest = *one.manifest;
  out["time_s"] = manifest.step.time;
  out["run"] = manifest.run;
  out["attempt"] = manifest.attempt;
  out["history"] = manifest.history;
  out["pileus"] = manifest.version;
  out["configuration"] = manifest.configuration;
  out["configuration_hash"] = manifest.configuration_hash;
  out["model_ranks"] = manifest.model_ranks;
  out["parts"] = manifest.parts.size();
  out["size_bytes"] = one.size_bytes;
  out["windows"] = Json::array();
  for (const auto& [file, windows] : one.windows) {
    for (const ListedCheckpoint::Window& window : windows)
      out["windows"].push_back({{"file", file},
                                {"variable", window.variable},
                                {"pieces", window.pieces},
                                {"size_bytes", window.size_bytes}});
  }
  out["files"] = Json::array();
  for (const ListedCheckpoint::File& file : one.files) {
    Json axes = Json::array();
    for (const ListedCheckpoint::Axis& axis : file.axes)
      axes.push_back(
          {{"dimension", axis.name}, {"records", axis.records}, {"last_time_s", axis.last_time_s}});
    out["files"].push_back({{"file", file.series},
                            {"name", file.name},
                            {"temporary_name", file.temporary_name},
                            {"axes", std::move(axes)}});
  }
  return out;
}

std::string count_text(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string size_text(std::uint64_t bytes) {
  char text[32];
  const double size = static_cast<double>(bytes);
  if (bytes < 1000) return count_text(bytes, "byte");
  std::snprintf(text, sizeof text, bytes < 1'000'000 ? "%.1f kB" : "%.1f MB",
                bytes < 1'000'000 ? size / 1e3 : size / 1e6);
  return text;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

void print(const ListedCheckpoint& one) {
  if (!one.damage.empty()) {
    std::cout << "step " << one.step << ": damaged: " << one.damage << '\n';
    return;
  }
  const Manifest& manifest = *one.manifest;
  std::cout << "step " << one.step << " at " << number(manifest.step.time) << " s, written " << one.written
            << ", " << size_text(one.size_bytes) << " in " << count_text(manifest.parts.size(), "part")
            << '\n'
            << "  run " << manifest.run;
  if (manifest.attempt > 0)
    std::cout << ", continued " << count_text(static_cast<std::uint64_t>(manifest.attempt), "time");
  std::cout << ", " << count_text(static_cast<std::uint64_t>(manifest.model_ranks), "model rank")
            << ", Pileus " << manifest.version << '\n'
            << "  configuration " << manifest.configuration << " (sha256 "
            << manifest.configuration_hash.substr(0, 12) << ")\n";
  for (const auto& [file, windows] : one.windows) {
    std::cout << "  in progress for " << file << ":";
    for (std::size_t i = 0; i < windows.size(); ++i)
      std::cout << (i > 0 ? ", " : " ") << windows[i].variable << " (" << size_text(windows[i].size_bytes)
                << ")";
    std::cout << '\n';
  }
  for (const ListedCheckpoint::File& file : one.files) {
    std::cout << "  under way: " << file.name << " (" << file.temporary_name << ")";
    for (const ListedCheckpoint::Axis& axis : file.axes) {
      std::cout << (&axis == file.axes.data() ? ": " : ", ") << count_text(axis.records, "record") << " of "
                << axis.name;
      if (axis.records > 0) std::cout << " up to " << number(axis.last_time_s) << " s";
    }
    std::cout << '\n';
  }
}

void print(const CheckpointListing& listing, const std::string& directory) {
  if (listing.checkpoints.empty()) std::cout << "no checkpoint in " << directory << '\n';
  for (const ListedCheckpoint& one : listing.checkpoints) print(one);
  for (const std::string& folder : listing.unfinished)
    std::cout << folder << ": not complete: a run that is under way writes it, or one that was killed did\n";
}

Json json_of(const CheckpointListing& listing) {
  Json out = {{"checkpoints", Json::array()}, {"unfinished", listing.unfinished}};
  for (const ListedCheckpoint& one : listing.checkpoints) out["checkpoints"].push_back(json_of(one));
  return out;
}

bool has_damage(const CheckpointListing& listing) {
  return std::ranges::any_of(listing.checkpoints, [](const auto& one) { return !one.damage.empty(); });
}

using Components = std::map<std::string, CheckpointListing>;

/// The run of the checkpoint that was written last. Those of another one are no part of a set: runs of a job
/// do not name each other.
std::string newest_run(const CheckpointListing& listing) {
  const ListedCheckpoint* newest = nullptr;
  for (const ListedCheckpoint& one : listing.checkpoints) {
    if (one.manifest && (newest == nullptr || newest->written <= one.written)) newest = &one;
  }
  return newest == nullptr ? "" : newest->manifest->run;
}

/// Time and step of the checkpoints of that run that are whole, by time.
std::vector<std::pair<double, std::int64_t>> times_of(const CheckpointListing& listing) {
  std::vector<std::pair<double, std::int64_t>> times;
  const std::string run = newest_run(listing);
  for (const ListedCheckpoint& one : listing.checkpoints) {
    if (one.damage.empty() && one.manifest && one.manifest->run == run)
      times.emplace_back(one.manifest->step.time, one.step);
  }
  std::ranges::sort(times);
  return times;
}

/// The components that a job goes on with: what is made of files follows them by itself.
Components models_among(Components components, const std::string& directory) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  std::erase_if(components, [&](const auto& component) {
    return component.second.checkpoints.empty() || is_made_of_files(*files, {directory, component.first});
  });
  return components;
}

/// The checkpoints of all components, in their order, of the times for which each has one that is whole.
std::vector<std::pair<double, std::map<std::string, std::int64_t>>> common_sets(
    const Components& components) {
  std::vector<std::vector<double>> timelines;
  std::vector<std::vector<std::int64_t>> steps;
  for (const auto& [name, listing] : components) {
    timelines.emplace_back();
    steps.emplace_back();
    for (const auto& [time_s, step] : times_of(listing)) {
      timelines.back().push_back(time_s);
      steps.back().push_back(step);
    }
  }
  std::vector<std::pair<double, std::map<std::string, std::int64_t>>> sets;
  for (const CommonTime& common : common_times(timelines)) {
    auto& [time, of_component] = sets.emplace_back();
    time = common.time_s;
    std::size_t number = 0;
    for (const auto& [name, listing] : components) {
      of_component[name] = steps[number][common.records[number]];
      ++number;
    }
  }
  return sets;
}

void print_sets(const Components& components) {
  const auto sets = common_sets(components);
  if (sets.empty()) std::cout << "no time for which all components have a checkpoint\n";
  for (const auto& [time, steps] : sets) {
    std::cout << "all components at " << number(time) << " s:";
    for (const auto& [name, step] : steps)
      std::cout << (name == steps.begin()->first ? " " : ", ") << name << " step " << step;
    std::cout << '\n';
  }
}

Json json_of_sets(const Components& components) {
  Json sets = Json::array();
  for (const auto& [time, steps] : common_sets(components))
    sets.push_back({{"time_s", time}, {"steps", steps}});
  return sets;
}

}  // namespace

int state(const std::string& directory, bool as_json) {
  CheckpointListing listing;
  Components components;
  try {
    listing = list_checkpoints(directory);
    for (const std::string& name : components_with_checkpoints(directory))
      components.emplace(name, list_checkpoints({directory, name}));
  } catch (const OutputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  const Components models = models_among(components, directory);
  if (as_json) {
    Json all = {{"directory", directory}};
    all.update(json_of(listing));
    for (const auto& [name, one] : components) all["components"][name] = json_of(one);
    if (!components.empty()) all["sets"] = json_of_sets(models);
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  } else {
    if (components.empty() || !listing.checkpoints.empty()) print(listing, directory);
    for (const auto& [name, one] : components) {
      std::cout << "component " << name << '\n';
      print(one, directory);
    }
    if (models.size() > 1) print_sets(models);
  }
  bool is_any_damaged = has_damage(listing);
  for (const auto& [name, one] : components) is_any_damaged = is_any_damaged || has_damage(one);
  return is_any_damaged ? 1 : 0;
}

}  // namespace pileus::apps
