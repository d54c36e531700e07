#include "joint/made_note.h"

#include "core/encoder.h"
#include "core/error.h"

namespace pileus {
namespace {

constexpr std::string_view kMadeForm = "pileus made note 2";

std::string made_path(const CheckpointHome& home) { return (home.folder() / ".made").string(); }

void put_times(Encoder& out, const std::map<std::string, double>& times) {
  out.put(static_cast<std::uint64_t>(times.size()));
  for (const auto& [name, time_s] : times) {
    out.put(name);
    out.put(time_s);
  }
}

MadeNote decoded(Decoder& in) {
  MadeNote note;
  note.run = in.get_text();
  note.origins = in.get_text();
  note.has_ended = in.get<std::uint8_t>() != 0;
  note.has_kept = in.get<std::uint8_t>() != 0;
  note.last_s = in.get<double>();
  for (std::size_t i = in.get_length(8); i > 0; --i) note.files.insert(in.get_text());
  for (std::size_t i = in.get_length(16); i > 0; --i) {
    std::map<std::string, double>& times = note.first_s[in.get_text()];
    for (std::size_t j = in.get_length(16); j > 0; --j) {
      const std::string name = in.get_text();
      times[name] = in.get<double>();
    }
  }
  return note;
}

}  // namespace

void write_made_note(FileSystem& files, const CheckpointHome& home, const MadeNote& note) {
  Bytes bytes;
  Encoder out(bytes);
  out.put(std::string(kMadeForm));
  out.put(note.run);
  out.put(note.origins);
  out.put(note.has_ended);
  out.put(note.has_kept);
  out.put(note.last_s);
  out.put(static_cast<std::uint64_t>(note.files.size()));
  for (const std::string& name : note.files) out.put(name);
  out.put(static_cast<std::uint64_t>(note.first_s.size()));
  for (const auto& [group, times] : note.first_s) {
    out.put(group);
    put_times(out, times);
  }
  files.make_directory((home.directory / kCheckpointsFolder).string());
  files.make_directory(home.folder().string());
  const std::string path = made_path(home);
  files.write_whole(path + ".new", bytes);
  files.publish(path + ".new", path, true);
}

std::optional<MadeNote> read_made_note(FileSystem& files, const CheckpointHome& home) {
  if (!is_made_of_files(files, home)) return std::nullopt;
  const Bytes bytes = files.read_whole(made_path(home));
  try {
    Decoder in(bytes);
    if (in.get_text() != kMadeForm) return std::nullopt;
    return decoded(in);
  } catch (const TransportError&) {
    return std::nullopt;
  }
}

bool is_made_of_files(FileSystem& files, const CheckpointHome& home) { return files.exists(made_path(home)); }

}  // namespace pileus
