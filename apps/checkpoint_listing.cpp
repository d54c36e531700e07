#include "apps/checkpoint_listing.h"

#include <sys/stat.h>

#include <ctime>
#include <filesystem>

#include "checkpoint/continuation.h"
#include "disk/file_system.h"
#include "publishing/owner/file_state.h"

namespace pileus::apps {
namespace {

/// "FILE\nREST"
std::pair<std::string, std::string> split_key(const std::string& key) {
  const std::size_t end = key.rfind('\n');
  return end == key.npos ? std::pair(key, std::string()) : std::pair(key.substr(0, end), key.substr(end + 1));
}

/// When the manifest, the last file of a checkpoint, was written.
std::string time_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "";
  std::tm utc{};
  gmtime_r(&status.st_mtime, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

ListedCheckpoint::File file_of(const StateEntry& entry) {
  const FileUnderWay state = decode_file(entry);
  ListedCheckpoint::File file{
      parse_file_key(entry.key).first, state.final_name, state.temporary_name, {}, {}};
  const std::size_t slash = state.final_name.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : state.final_name.substr(0, slash + 1);
  for (const PartOfFile& part : state.parts) file.parts.push_back(folder + part.name);
  for (const std::string& axis : state.axes) file.axes.push_back({axis, 0, 0});
  for (const KeptRecord& record : state.records) {
    ListedCheckpoint::Axis& axis = file.axes.at(record.axis);
    ++axis.records;
    axis.last_time_s = record.mark.time_s;
  }
  return file;
}

void add_contents(const StateEntries& entries, ListedCheckpoint& out) {
  for (const std::string& key : entries.keys("window")) {
    const auto [file, variable] = split_key(key);
    ListedCheckpoint::Window& window = out.windows[file].emplace_back();
    window.variable = variable;
    for (const StateEntry& entry : entries.find("window", key)) {
      ++window.pieces;
      window.size_bytes += entry.bytes.size();
    }
  }
  for (const std::string& key : entries.keys(kFileKind)) {
    for (const StateEntry& entry : entries.find(kFileKind, key)) out.files.push_back(file_of(entry));
  }
}

ListedCheckpoint look_at(FileSystem& files, const CheckpointHome& home, std::int64_t step) {
  ListedCheckpoint out;
  out.step = step;
  out.folder = checkpoint_folder(home, step).string();
  out.written = time_of(out.folder + "/" + std::string(kManifestName));
  try {
    out.manifest = read_manifest(files, home, step);
    for (const PartSummary& part : out.manifest->parts) out.size_bytes += part.size_bytes;
    add_contents(read_continuation(files, home, step).entries, out);
  } catch (const std::exception& error) {
    out.damage = error.what();
  }
  return out;
}

}  // namespace

CheckpointListing list_checkpoints(const CheckpointHome& home) {
  CheckpointListing listing;
  const std::unique_ptr<FileSystem> files = posix_file_system();
  for (const std::int64_t step : complete_checkpoints(home))
    listing.checkpoints.push_back(look_at(*files, home, step));
  const std::string folder = home.folder().string();
  for (const std::string& name : files->list(folder)) {
    const std::optional<std::int64_t> step = step_of_checkpoint(name);
    const bool is_listed = step && files->exists(folder + "/" + name + "/" + std::string(kManifestName));
    const bool is_folder = step || name.starts_with(".step-");  // the others are the lock and notes of files
    if (!is_listed && is_folder) listing.unfinished.push_back(folder + "/" + name);
  }
  return listing;
}

}  // namespace pileus::apps
