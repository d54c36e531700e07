#include "joint/run_note.h"

#include "core/encoder.h"
#include "core/error.h"

namespace pileus {
namespace {

constexpr std::string_view kForm = "pileus run note 2";

std::string path_of(const CheckpointHome& home) { return (home.folder() / ".run").string(); }

}  // namespace

void write_run_note(FileSystem& files, const CheckpointHome& home, const RunNote& note) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(std::string(kForm));
  out.put(note.run);
  out.put(note.has_ended);
  out.put(static_cast<std::uint64_t>(note.options.size()));
  for (const auto& [key, value] : note.options) {
    out.put(key);
    out.put(value);
  }
  files.make_directory((home.directory / kCheckpointsFolder).string());
  files.make_directory(home.folder().string());
  const std::string path = path_of(home);
  files.write_whole(path + ".new", bytes);
  files.publish(path + ".new", path, true);
}

std::optional<RunNote> read_run_note(FileSystem& files, const CheckpointHome& home) {
  const std::string path = path_of(home);
  if (!files.exists(path)) return std::nullopt;
  const Bytes bytes = files.read_whole(path);
  try {
    Decoder in(bytes);
    RunNote note;
    if (in.get_text() != kForm) return std::nullopt;
    note.run = in.get_text();
    note.has_ended = in.get<std::uint8_t>() != 0;
    for (std::size_t i = in.get_length(16); i > 0; --i) {
      std::string key = in.get_text();
      note.options[key] = in.get_text();
    }
    return note;
  } catch (const TransportError&) {
    return std::nullopt;
  }
}

}  // namespace pileus
