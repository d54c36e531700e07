#pragma once
// What `pileus join` leaves beside the checkpoints of the component that it makes: which run that is, what it
// was made of, and how far it came.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "disk/file_system.h"
#include "state/checkpoint_folders.h"

namespace pileus {

struct MadeNote {
  std::string run;      ///< id, chosen once: those who read its files know it by this after a kill, too
  std::string origins;  ///< ids of the runs that are read
  bool has_ended = false;
  bool has_kept = false;  ///< there was a checkpoint
  double last_s = 0;      ///< where it has ended: model time of its last step
  /// Names of its files in the configuration, whose names on the disk were free when it began.
  std::set<std::string> files;
  /// By data-definition and name of a file that is read: from which time on it has records of all axes.
  std::map<std::string, std::map<std::string, double>> first_s;
  friend bool operator==(const MadeNote&, const MadeNote&) = default;
};

/// Replaces an older note. Errors: OutputError.
void write_made_note(FileSystem& files, const CheckpointHome& home, const MadeNote& note);
/// nullopt if there is none, or if it is damaged. Errors: OutputError.
std::optional<MadeNote> read_made_note(FileSystem& files, const CheckpointHome& home);

/// Whether a component is made of what others publish: such a note is there.
bool is_made_of_files(FileSystem& files, const CheckpointHome& home);

}  // namespace pileus
