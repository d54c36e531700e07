#include "publishing/owner/publications.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/error.h"
#include "state/checkpoint_folders.h"
#include "state/manifest.h"

namespace pileus {
namespace {

/// A file is known by so many bytes at its beginning and at its end.
constexpr std::uint64_t kMarkedBytes = std::uint64_t{1} << 16;
constexpr std::string_view kPrefix = ".published-";

std::string folder_in(const std::string& directory, const RunIdentity& run) {
  return CheckpointHome(directory, run.component).folder().string();
}

/// The attempt that wrote the notes of this name; nothing where they are of another run.
std::optional<std::int32_t> attempt_of(std::string_view name, const std::string& run) {
  const std::string begin = std::string(kPrefix) + run + "-";
  if (!name.starts_with(begin)) return {};
  std::int32_t attempt = 0;
  const auto [end, problem] = std::from_chars(name.data() + begin.size(), name.data() + name.size(), attempt);
  if (problem != std::errc() || end == name.data() + name.size() || *end != '-') return {};
  return attempt;
}

/// Takes the notes of one file. A line that was cut off is of a file that never came to its name.
void read_notes(const std::string& text, std::int64_t after, bool is_of_attempt_before, Publications& out) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    std::istringstream words(line);
    std::int64_t step = 0;
    FileMark mark;
    std::int64_t records = 0;
    std::string name;
    if (!(words >> step >> mark.size_bytes >> mark.checksum)) continue;
    if (words.get() == ':') {  // notes of before have no records
      words >> records;
      words.get();
    }
    if (std::getline(words, name)) out[name].push_back({mark, records, step >= after, is_of_attempt_before});
  }
}

}  // namespace

FileMark mark_of(FileSystem& files, const std::string& path) {
  const auto file = files.open_source(path);
  FileMark mark{file->size_bytes(), 0};
  Bytes bytes(std::min(mark.size_bytes, kMarkedBytes));
  file->read_at(0, bytes);
  mark.checksum = checksum(bytes);
  file->read_at(mark.size_bytes - bytes.size(), bytes);
  mark.checksum = checksum(bytes, mark.checksum);
  return mark;
}

void note_publication(FileSystem& files, const std::string& directory, const RunIdentity& run,
                      ServerRank server, std::int64_t after, const std::string& name, const FileMark& mark,
                      std::int64_t records) {
  const std::string folder = folder_in(directory, run);
  const std::string path = folder + "/" + std::string(kPrefix) + run.id + "-" + std::to_string(run.attempt) +
                           "-" + std::to_string(server);
  const bool is_new = !files.exists(path);
  if (is_new && !run.component.empty()) files.make_directory(CheckpointHome(directory).folder().string());
  if (is_new) files.make_directory(folder);
  files.append_lines(path, std::to_string(after) + " " + std::to_string(mark.size_bytes) + " " +
                               std::to_string(mark.checksum) + ":" + std::to_string(records) + " " + name +
                               "\n");
  files.open_parts(path)->sync();
  if (is_new) files.sync_directory(folder);
}

Publications publications_of(WholeFiles& files, const std::string& directory, const RunIdentity& run,
                             std::int32_t attempt, std::int64_t after) {
  Publications known;
  const std::string folder = folder_in(directory, run);
  for (const std::string& name : files.list(folder)) {
    const auto wrote = attempt_of(name, run.id);
    if (!wrote) continue;
    const Bytes bytes = files.read_whole(folder + "/" + name);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    // A later attempt comes after everything that this one did.
    read_notes(text,
               *wrote > attempt   ? INT64_MIN
               : *wrote < attempt ? INT64_MAX
                                  : after,
               *wrote < attempt, known);
  }
  return known;
}

std::int64_t records_published(FileSystem& files, const std::string& directory, const Publications& known,
                               const std::string& name) {
  const auto found = known.find(name);
  if (found == known.end()) return 0;
  const FileMark mark = mark_of(files, directory + "/" + name);
  const auto one = std::ranges::find(found->second, mark, &Publication::mark);
  return one == found->second.end() ? 0 : one->records;
}

bool is_published(FileSystem& files, const std::string& directory, const Publications& known,
                  const std::string& name, bool only_after) {
  const auto found = known.find(name);
  if (found == known.end()) return false;
  const FileMark mark = mark_of(files, directory + "/" + name);
  return std::ranges::any_of(found->second, [&](const Publication& one) {
    return one.mark == mark && (one.is_after || !only_after);
  });
}

}  // namespace pileus
