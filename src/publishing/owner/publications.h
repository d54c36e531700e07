#pragma once
// Publications note beside the checkpoints what a run has published since its first checkpoint. Its
// continuation knows from that which files are the run's own and may be made again, whatever its
// configuration says now. A file that is not noted, or is not the one that was noted, is never touched.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/ids.h"
#include "disk/file_system.h"
#include "files/file_layout.h"

namespace pileus {

/// A file is known by its length and the checksum of its beginning and its end, where everything differs that
/// two runs write.
struct FileMark {
  std::uint64_t size_bytes = 0;
  std::uint32_t checksum = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

/// Errors: OutputError.
FileMark mark_of(FileSystem& files, const std::string& path);

/// Notes that a file comes to its name after the checkpoint of step `after`. It is on the disk afterwards.
/// `records`: that it has. Each server has notes of its own. Errors: OutputError.
void note_publication(FileSystem& files, const std::string& directory, const RunIdentity& run,
                      ServerRank server, std::int64_t after, const std::string& name, const FileMark& mark,
                      std::int64_t records);

struct Publication {
  FileMark mark;
  std::int64_t records = 0;
  bool is_after = false;  ///< the checkpoint, as the server knew; of an attempt before that which made it
                          ///< nobody can say
  bool is_of_attempt_before = false;
};
/// Reads what the run has published, by name. The checkpoint is the one that `attempt` made of step `after`,
/// whatever attempt `run` is.
using Publications = std::map<std::string, std::vector<Publication>>;
Publications publications_of(WholeFiles& files, const std::string& directory, const RunIdentity& run,
                             std::int32_t attempt, std::int64_t after);

/// The records of the file, if it is one of them; 0 if it is none. Errors: OutputError.
std::int64_t records_published(FileSystem& files, const std::string& directory, const Publications& known,
                               const std::string& name);

/// Tells whether the file is one of them, or, with `only_after`, of those after the checkpoint. Errors:
/// OutputError.
bool is_published(FileSystem& files, const std::string& directory, const Publications& known,
                  const std::string& name, bool only_after);

}  // namespace pileus
