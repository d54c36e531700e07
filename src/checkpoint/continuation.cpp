#include "checkpoint/continuation.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "checkpoint/kept_statics.h"
#include "checkpoint/needed_entries.h"
#include "state/checkpoint_folders.h"

namespace pileus {
namespace {

constexpr const char* kNeed = "need";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UsageError("the run cannot continue from " + path + ": " + why);
}

template <class T>
StateEntry entry_of(const char* kind, const std::string& key, T value) {
  StateEntry entry{kind, key, {}, {}};
  Encoder(entry.bytes).put(value);
  return entry;
}

template <class T>
std::optional<T> value_of(const StateEntries& entries, const char* kind, const std::string& key) {
  const auto found = entries.find(kind, key);
  if (found.empty()) return std::nullopt;
  return Decoder(found[0].bytes).get<T>();
}

}  // namespace

Manifest read_manifest(WholeFiles& files, const std::string& directory, std::int64_t step) {
  const std::string path = (checkpoint_folder(directory, step) / kManifestName).string();
  try {
    Manifest manifest = decode_manifest(files.read_whole(path));
    if (manifest.step.index != step)
      refuse(path, "it is that of step " + std::to_string(manifest.step.index) + ", in a folder of another");
    return manifest;
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    refuse(path, error.what());
  }
}

Continuation read_continuation(WholeFiles& files, const std::string& directory, std::int64_t step) {
  return read_continuation(files, directory, step, [](const StateEntry&) { return true; });
}

Continuation read_continuation(WholeFiles& files, const std::string& directory, std::int64_t step,
                               const StateFilter& is_needed) {
  Continuation continuation;
  continuation.manifest = read_manifest(files, directory, step);
  continuation.step = continuation.manifest.step;
  continuation.identity = identity_after(continuation.manifest);
  for (std::size_t p = 0; p < continuation.manifest.parts.size(); ++p) {
    const Manifest::Part& right = continuation.manifest.parts[p];
    const std::string path = (checkpoint_folder(directory, step) / part_name(p)).string();
    try {
      const Bytes bytes = files.read_whole(path);
      if (bytes.size() != right.size_bytes) {
        throw TransportError("it has " + std::to_string(bytes.size()) + " bytes, its manifest says " +
                             std::to_string(right.size_bytes));
      }
      if (checksum(bytes) != right.checksum)
        throw TransportError("its checksum is not that of the manifest: it is damaged");
      for (StateEntry& entry : decode_entries(bytes)) {
        if (is_needed(entry)) continuation.entries.add(std::move(entry));
      }
    } catch (const std::exception& error) {
      refuse(path, error.what());
    }
  }
  return continuation;
}

int next_attempt(WholeFiles& files, const std::string& directory, const RunIdentity& identity) {
  int next = identity.attempt;
  const std::string of_run = identity.id + "-";
  const std::string folder = directory + "/" + std::string(kCheckpointsFolder);
  const auto look_at = [&](const std::string& name) {
    const std::size_t at = name.rfind(of_run);
    if (!name.starts_with(".") || at == std::string::npos) return;
    int attempt = 0;
    const char* first = name.data() + at + of_run.size();
    if (std::from_chars(first, name.data() + name.size(), attempt).ec == std::errc())
      next = std::max(next, attempt + 1);
  };
  for (const std::string& name : files.list(directory)) look_at(name);
  for (const std::string& name : files.list(folder)) {
    look_at(name);
    try {
      const auto step = step_of_checkpoint(name);
      if (!step) continue;
      const Manifest manifest = read_manifest(files, directory, *step);
      if (manifest.run == identity.id) next = std::max(next, manifest.attempt + 1);
    } catch (const UsageError&) {
      continue;  // whose it is nobody can say, and nobody can continue from it
    }
  }
  return next;
}

std::vector<std::string> texts_of_other_runs(WholeFiles& files, const std::string& directory,
                                             const RunIdentity& identity) {
  const std::string folder = directory + "/" + std::string(kCheckpointsFolder);
  std::map<std::string, std::vector<std::int64_t>> steps;  // by run
  for (const std::string& name : files.list(folder)) {
    const auto step = step_of_checkpoint(name);
    if (!step) continue;
    try {
      const Manifest manifest = read_manifest(files, directory, *step);
      if (manifest.run != identity.id) steps[manifest.run].push_back(*step);
    } catch (const UsageError&) {
      continue;  // whose it is nobody can say
    }
  }
  std::vector<std::string> texts;
  for (auto& [run, of_run] : steps) {
    std::ranges::sort(of_run);
    std::string list;
    for (std::int64_t step : of_run) list += (list.empty() ? "" : ", ") + std::to_string(step);
    texts.push_back(folder + " holds checkpoints of another run, " + run +
                    ", which is not continued: of step" + (of_run.size() == 1 ? " " : "s ") + list +
                    "; they stay, and this run cannot keep its own state of such a step: move them away, or "
                    "continue that run");
  }
  return texts;
}

RunIdentity identity_after(const Manifest& manifest) {
  return {manifest.run, manifest.history, manifest.attempt + 1};
}

void go_on(Plan& plan, const Continuation& continuation) {
  Continued& continued = plan.continued.emplace();
  continued.after = continuation.step;
  for (const Need& need : plan.needs) {
    const auto passed = value_of<std::int64_t>(continuation.entries, kNeed, text(need));
    if (passed && !NeedTracker::is_state(need, *passed))
      throw TransportError("what a checkpoint says of \"" + text(need) + "\" is no time");
    continued.passed.push_back(passed.value_or(NeedTracker::passed_at(need, continuation.step.time)));
  }
  mark_kept_statics(plan, continuation.entries);
}

std::vector<StateEntry> entries_of(const Plan& plan, const NeedTracker& needs) {
  std::vector<StateEntry> entries;
  std::set<std::string> known;  // needs of several files may be met by the same steps
  for (std::size_t i = 0; i < plan.needs.size(); ++i) {
    if (known.insert(text(plan.needs[i])).second)
      entries.push_back(entry_of(kNeed, text(plan.needs[i]), needs.passed()[i]));
  }
  return entries;
}

}  // namespace pileus
