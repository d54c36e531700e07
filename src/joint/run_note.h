#pragma once
// What a component whose files others read leaves beside its checkpoints: with which options it runs, and
// whether it has ended. Server 0 writes it, and those who read the files look at it.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "disk/file_system.h"
#include "state/checkpoint_folders.h"

namespace pileus {

/// The names of notes: of a run whose files others read, and of what a component was made of.
inline constexpr std::string_view kRunNote = ".run", kMadeNote = ".made";

struct RunNote {
  std::string run;  ///< id, the same in all continuations; of kMadeNote those of the runs that are read
  bool has_ended = false;  ///< all that it was to publish is there
  double last_s = 0;       ///< of kMadeNote: model time of its last step
  std::map<std::string, std::string> options;
  friend bool operator==(const RunNote&, const RunNote&) = default;
};

/// Replaces an older note. Errors: OutputError.
void write_run_note(FileSystem& files, const CheckpointHome& home, const RunNote& note,
                    std::string_view name = kRunNote);
/// nullopt if there is none, or if it is damaged. Errors: OutputError.
std::optional<RunNote> read_run_note(FileSystem& files, const CheckpointHome& home,
                                     std::string_view name = kRunNote);

}  // namespace pileus
