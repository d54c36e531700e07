#include "apps/clean.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <list>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "apps/checkpoint_listing.h"
#include "apps/left_parts.h"
#include "state/checkpoint_folders.h"
#include "state/folder_lock.h"

namespace pileus::apps {
namespace {

namespace fs = std::filesystem;
using FileClock = fs::file_time_type::clock;

struct Leftover {
  fs::path path;
  std::string run;  ///< its id; "" if it is unknown
  std::uintmax_t size_bytes = 0;
  fs::file_time_type written;
};

/// Measures a file, or a folder with everything in it. Files that vanish meanwhile count as nothing.
Leftover measured(const fs::path& path, const std::string& run) {
  std::error_code ignored;
  Leftover out{path, run, 0, fs::last_write_time(path, ignored)};
  if (!fs::is_directory(fs::symlink_status(path, ignored))) {
    const std::uintmax_t size = fs::file_size(path, ignored);
    if (!ignored) out.size_bytes = size;
    return out;
  }
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const Leftover inside = measured(entry.path(), run);
    out.size_bytes += inside.size_bytes;
    out.written = std::max(out.written, inside.written);
  }
  return out;
}

/// The id in "what.RUN-ATTEMPT.part" or ".step-0000000120-RUN-ATTEMPT"; nothing for other names.
std::optional<std::string> run_of(const std::string& name, const char* form) {
  std::smatch found;
  if (!std::regex_match(name, found, std::regex(form))) return std::nullopt;
  return found[1].str();
}

constexpr char kFile[] = R"(\..+\.([0-9a-f]{16})-[0-9]+\.part)";
constexpr char kCheckpoint[] = R"(\.step-[0-9]+-([0-9a-f]{16})-[0-9]+)";
constexpr char kNotes[] = R"(\.published-([0-9a-f]{16})-[0-9]+-[0-9]+)";

/// What `directory` holds besides published files, and which of it a checkpoint needs.
struct Found {
  std::vector<Leftover> leftovers, needed;
  std::vector<std::string> damaged;  ///< damaged checkpoints; nobody knows what they refer to
  std::vector<std::string> lacking;  ///< texts about parts of published files that are gone
};

/// Finds notes of published files. They serve those who continue from a checkpoint of the run.
void look_for_notes(const fs::path& checkpoints, const std::set<std::string>& runs_kept, Found& found) {
  if (!fs::is_directory(checkpoints)) return;
  for (const auto& entry : fs::directory_iterator(checkpoints)) {
    const std::optional<std::string> run = run_of(entry.path().filename(), kNotes);
    if (!run || !entry.is_regular_file() || entry.is_symlink()) continue;
    const bool is_needed = runs_kept.contains(*run) || !found.damaged.empty();
    (is_needed ? found.needed : found.leftovers).push_back(measured(entry.path(), *run));
  }
}

/// The run without a component, and each component that has checkpoints: all have their files together.
std::vector<CheckpointHome> homes_in(const std::string& directory) {
  std::vector<CheckpointHome> homes = {directory};
  for (const std::string& name : components_with_checkpoints(directory)) homes.push_back({directory, name});
  return homes;
}

Found look(const std::string& directory) {
  Found found;
  std::set<std::string> referred, referred_parts, runs_kept;
  for (const CheckpointHome& home : homes_in(directory)) {
    const CheckpointListing listing = list_checkpoints(home);
    for (const ListedCheckpoint& one : listing.checkpoints) {
      if (!one.damage.empty()) found.damaged.push_back(one.folder + ": " + one.damage);
      for (const ListedCheckpoint::File& file : one.files) {
        referred.insert(file.temporary_name);
        referred_parts.insert(file.parts.begin(), file.parts.end());
      }
      found.needed.push_back(measured(one.folder, one.manifest ? one.manifest->run : ""));
      if (one.manifest) runs_kept.insert(one.manifest->run);
    }
    for (const std::string& folder : listing.unfinished) {
      if (const auto run = run_of(fs::path(folder).filename(), kCheckpoint))
        found.leftovers.push_back(measured(folder, *run));
    }
  }
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    const std::optional<std::string> run = run_of(name, kFile);
    const bool is_file = entry.is_regular_file() || entry.is_directory();  // some formats have folders
    if (!run || !is_file || entry.is_symlink()) continue;
    const bool is_needed = referred.contains(name) || !found.damaged.empty();
    (is_needed ? found.needed : found.leftovers).push_back(measured(entry.path(), *run));
  }
  PartsListing parts = list_parts(directory, referred_parts);
  found.lacking = std::move(parts.lacking);
  for (const auto& [path, run] : parts.unneeded)
    (found.damaged.empty() ? found.leftovers : found.needed).push_back(measured(path, run));
  for (const CheckpointHome& home : homes_in(directory)) look_for_notes(home.folder(), runs_kept, found);
  return found;
}

double idle_hours(const Leftover& one) {
  return std::chrono::duration<double, std::ratio<3600>>(FileClock::now() - one.written).count();
}

/// The runs that wrote something within these hours and may be live.
std::map<std::string, double> live_runs(const Found& found, double hours) {
  std::map<std::string, double> live;
  for (const auto* list : {&found.leftovers, &found.needed}) {
    for (const Leftover& one : *list) {
      const double idle = idle_hours(one);
      if (idle >= hours) continue;
      const auto [at, is_new] = live.emplace(one.run, idle);
      if (!is_new) at->second = std::min(at->second, idle);
    }
  }
  return live;
}

std::string size_text(std::uintmax_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

std::string idle_text(double hours) {
  char text[48];
  std::snprintf(text, sizeof text, hours < 1 ? "%.0f min" : "%.0f h", hours < 1 ? 60 * hours : hours);
  return text;
}

bool is_wanted() {
  std::cout << "remove them? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

int remove_all(const std::vector<Leftover>& leftovers) {
  int status = 0;
  for (const Leftover& one : leftovers) {
    std::error_code error;
    fs::remove_all(one.path, error);
    std::error_code ignored;
    if (!error && one.path.parent_path().extension() == ".parts") fs::remove(one.path.parent_path(), ignored);
    if (!error) continue;
    std::cerr << one.path.string() << ": cannot be removed: " << error.message() << '\n';
    status = 2;
  }
  return status;
}

/// What may be removed.
std::vector<Leftover> removable(const Found& found, const CleanSettings& settings) {
  std::vector<Leftover> all = found.leftovers;
  if (settings.takes_all) all.insert(all.end(), found.needed.begin(), found.needed.end());
  const std::map<std::string, double> live = live_runs(found, settings.idle_hours);
  std::erase_if(all, [&](const Leftover& one) { return live.contains(one.run); });
  std::ranges::sort(all, {}, &Leftover::path);
  return all;
}

/// Says what is left and why, and what is gone.
void say_what_stays(const Found& found, const CleanSettings& settings) {
  for (const std::string& one : found.lacking) std::cout << one << '\n';
  for (const std::string& one : found.damaged)
    std::cout << one << "; what it refers to is not known, so that temporary files stay without --all\n";
  for (const auto& [run, idle] : live_runs(found, settings.idle_hours)) {
    std::cout << "run " << run << " wrote " << idle_text(idle)
              << " ago and may be live: what it left stays (--idle-hours 0 if you know that it is not)\n";
  }
}

/// Takes the locks, as nobody may remove the unfinished files of a live run, however long ago it wrote.
void take_locks(std::list<FolderLock>& locks, const std::string& directory) {
  for (const CheckpointHome& home : homes_in(directory)) {
    if (fs::is_directory(home.folder())) locks.emplace_back().take(home, "pileus clean");
  }
}

Found look_with_lock(const std::string& directory, bool is_dry) {
  std::list<FolderLock> locks;
  if (!is_dry) take_locks(locks, directory);
  return look(directory);
}

/// Removes what is still unused: a run may have begun while the question was open, and need some of it.
int remove_those_still_there(const std::vector<Leftover>& wanted, const std::string& directory,
                             const CleanSettings& settings) {
  std::list<FolderLock> locks;
  take_locks(locks, directory);
  std::vector<Leftover> all = removable(look(directory), settings);
  std::erase_if(all, [&](const Leftover& one) {
    return std::ranges::find(wanted, one.path, &Leftover::path) == wanted.end();
  });
  const bool stays = std::ranges::any_of(wanted, [&](const Leftover& one) {
    return fs::exists(fs::symlink_status(one.path)) &&
           std::ranges::find(all, one.path, &Leftover::path) == all.end();
  });
  const int status = remove_all(all);
  if (!stays) return status;
  std::cout << "what a run has begun to write meanwhile stays\n";
  return status != 0 ? status : 1;
}

int clean_folder(const std::string& directory, const CleanSettings& settings) {
  const Found found = look_with_lock(directory, settings.is_dry);
  say_what_stays(found, settings);
  const std::vector<Leftover> all = removable(found, settings);
  const bool stays = !live_runs(found, settings.idle_hours).empty();
  std::uintmax_t size_bytes = 0;
  for (const Leftover& one : all) {
    size_bytes += one.size_bytes;
    std::cout << one.path.string() << " (" << size_text(one.size_bytes) << ", written "
              << idle_text(idle_hours(one)) << " ago" << (one.run.empty() ? "" : ", run " + one.run) << ")\n";
  }
  if (all.empty()) {
    std::cout << "nothing to remove in " << directory << '\n';
    return stays ? 1 : 0;
  }
  std::cout << all.size() << (all.size() == 1 ? " thing, " : " things, ") << size_text(size_bytes) << '\n';
  if (settings.is_dry) return 0;
  if (settings.asks && !is_wanted()) return 1;
  const int status = remove_those_still_there(all, directory, settings);
  return status != 0 ? status : stays ? 1 : 0;
}

}  // namespace

int clean(const std::string& directory, const CleanSettings& settings) {
  try {
    return clean_folder(directory, settings);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace pileus::apps
