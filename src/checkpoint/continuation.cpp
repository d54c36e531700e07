#include "checkpoint/continuation.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "state/checkpoint_folders.h"
#include "state/checkpoint_part.h"

namespace pileus {
namespace {

constexpr const char* kNeed = "need";

/// Bytes of entries that are read with one call, and one entry more.
constexpr std::uint64_t kMostAtOnce = 4U << 20;

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

bool has_any(const Manifest& manifest, const PartSummary& part, const StateFilter& wanted) {
  return std::ranges::any_of(part.holdings, [&](const Holding& holding) {
    return std::ranges::any_of(holding.names, [&](std::uint32_t name) {
      return wanted(manifest.names[name], holding.hull) != Wanted::nothing;
    });
  });
}

Bytes read_bytes(SourceFile& file, std::uint64_t first, std::uint64_t size) {
  Bytes bytes(size);
  file.read_at(first, bytes);
  return bytes;
}

void require_checksum(std::uint32_t sum, const EntryPlace& place) {
  if (sum == place.checksum) return;
  std::string key = place.key;
  std::ranges::replace(key, '\n', ' ');
  throw TransportError("the checksum of its " + place.kind + " \"" + key +
                       "\" is not that of its directory: it is damaged");
}

/// The bytes of an entry. Its file stays open with them.
class BytesOfFile : public ByteSource {
 public:
  BytesOfFile(std::shared_ptr<SourceFile> file, const EntryPlace& place)
      : file_(std::move(file)), first_(place.first), size_(place.size) {}
  std::uint64_t size_bytes() const override { return size_; }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    file_->read_at(first_ + offset, out);
  }

 private:
  std::shared_ptr<SourceFile> file_;
  std::uint64_t first_, size_;
};

/// Adds entries that lie one behind the other in the file.
void read_stretch(SourceFile& file, std::vector<EntryPlace>& places, StateEntries& entries) {
  if (places.empty()) return;
  const std::uint64_t first = places.front().first;
  const Bytes bytes = read_bytes(file, first, places.back().first + places.back().size - first);
  for (EntryPlace& place : places) {
    const auto own = std::span(bytes).subspan(place.first - first, place.size);
    require_checksum(checksum(own), place);
    entries.add({std::move(place.kind), std::move(place.key), place.region, Bytes(own.begin(), own.end())});
  }
  places.clear();
}

/// Adds an entry that stays on the disk; its bytes are checked piece by piece.
void add_on_disk(const std::shared_ptr<SourceFile>& file, EntryPlace& place, ScratchSpace* scratch,
                 StateEntries& entries) {
  const auto source = std::make_shared<const BytesOfFile>(file, place);
  const std::shared_ptr<ScratchBytes> copy = scratch ? scratch->make(place.size) : nullptr;
  std::uint32_t sum = 0;
  in_pieces(*source, [&](std::uint64_t offset, std::span<const std::byte> piece) {
    sum = checksum(piece, sum);
    if (copy) copy->write(offset, piece);
  });
  require_checksum(sum, place);
  std::shared_ptr<const ByteSource> more = source;
  if (copy) more = copy;
  entries.add({std::move(place.kind), std::move(place.key), place.region, {}, std::move(more)});
}

void read_part(const std::shared_ptr<SourceFile>& opened, const PartSummary& part, const StateFilter& wanted,
               ScratchSpace* scratch, StateEntries& entries) {
  SourceFile& file = *opened;
  if (const std::uint64_t size = file.size_bytes(); size != part.size_bytes) {
    throw TransportError("it has " + std::to_string(size) + " bytes, its manifest says " +
                         std::to_string(part.size_bytes));
  }
  const Bytes directory = read_bytes(file, 0, part.directory_bytes);
  if (checksum(directory) != part.directory_checksum)
    throw TransportError("the checksum of its directory is not that of the manifest: it is damaged");
  std::vector<EntryPlace> stretch;
  std::uint64_t stretch_bytes = 0;
  for (EntryPlace& place : decode_directory(directory, part.size_bytes)) {
    const Wanted what = wanted({place.kind, place.key}, place.region);
    if (what == Wanted::region) entries.add({std::move(place.kind), std::move(place.key), place.region, {}});
    if (what == Wanted::nothing || what == Wanted::region) continue;
    if (what == Wanted::on_disk && place.size > kMostInMemory) {
      add_on_disk(opened, place, scratch, entries);
      continue;
    }
    const bool follows = !stretch.empty() && stretch.back().first + stretch.back().size == place.first;
    if (!follows || stretch_bytes > kMostAtOnce) {
      read_stretch(file, stretch, entries);
      stretch_bytes = 0;
    }
    stretch_bytes += place.size;
    stretch.push_back(std::move(place));
  }
  read_stretch(file, stretch, entries);
}

}  // namespace

Manifest read_manifest(WholeFiles& files, const CheckpointHome& home, std::int64_t step) {
  const std::string path = (checkpoint_folder(home, step) / kManifestName).string();
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

Continuation read_continuation(WholeFiles& files, const CheckpointHome& home, std::int64_t step) {
  return read_continuation(files, home, step, [](const StateName&, const Region&) { return Wanted::all; });
}

Continuation read_continuation(WholeFiles& files, const CheckpointHome& home, std::int64_t step,
                               const StateFilter& wanted, ScratchSpace* scratch) {
  Continuation continuation;
  continuation.manifest = read_manifest(files, home, step);
  const Manifest& manifest = continuation.manifest;
  continuation.step = manifest.step;
  continuation.identity = identity_after(manifest);
  continuation.identity.component = home.component;
  for (const auto& [kind, key] : manifest.names) continuation.entries.add_key(kind, key);
  for (std::size_t p = 0; p < manifest.parts.size(); ++p) {
    if (!has_any(manifest, manifest.parts[p], wanted)) continue;
    const std::string path = (checkpoint_folder(home, step) / part_name(p)).string();
    try {
      read_part(files.open_source(path), manifest.parts[p], wanted, scratch, continuation.entries);
    } catch (const DiskFullError& error) {
      refuse(path, std::string("there is no space to lay its static variables aside: ") + error.what());
    } catch (const std::exception& error) {
      refuse(path, error.what());
    }
  }
  return continuation;
}

int next_attempt(WholeFiles& files, const CheckpointHome& home, const RunIdentity& identity) {
  int next = identity.attempt;
  const std::string of_run = identity.id + "-";
  const std::string folder = home.folder().string();
  const auto take_attempt_in = [&](const std::string& name) {
    const std::size_t at = name.rfind(of_run);
    if (at == std::string::npos) return;
    int attempt = 0;
    const char* first = name.data() + at + of_run.size();
    if (std::from_chars(first, name.data() + name.size(), attempt).ec == std::errc())
      next = std::max(next, attempt + 1);
  };
  const auto look_at = [&](const std::string& name) {
    if (name.starts_with(".")) take_attempt_in(name);
  };
  for (const std::string& name : files.list(home.directory.string())) {
    look_at(name);
    if (!name.ends_with(".parts")) continue;
    for (const std::string& part : files.list((home.directory / name).string())) take_attempt_in(part);
  }
  for (const std::string& name : files.list(folder)) {
    look_at(name);
    try {
      const auto step = step_of_checkpoint(name);
      if (!step) continue;
      const Manifest manifest = read_manifest(files, home, *step);
      if (manifest.run == identity.id) next = std::max(next, manifest.attempt + 1);
    } catch (const UsageError&) {
      continue;  // whose it is nobody can say, and nobody can continue from it
    }
  }
  return next;
}

std::vector<std::string> texts_of_other_runs(WholeFiles& files, const CheckpointHome& home,
                                             const RunIdentity& identity) {
  const std::string folder = home.folder().string();
  std::map<std::string, std::vector<std::int64_t>> steps;  // by run
  for (const std::string& name : files.list(folder)) {
    const auto step = step_of_checkpoint(name);
    if (!step) continue;
    try {
      const Manifest manifest = read_manifest(files, home, *step);
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
