#pragma once
// What a component whose files others read leaves beside its checkpoints: with which options it runs, and
// whether it has ended. Server 0 writes it, and those who read the files look at it.

#include <map>
#include <optional>
#include <string>

#include "disk/file_system.h"
#include "state/checkpoint_folders.h"

namespace pileus {

struct RunNote {
  std::string run;         ///< id, the same in all continuations
  bool has_ended = false;  ///< all that it was to publish is there
  std::map<std::string, std::string> options;
  friend bool operator==(const RunNote&, const RunNote&) = default;
};

/// Replaces an older note. Errors: OutputError.
void write_run_note(FileSystem& files, const CheckpointHome& home, const RunNote& note);
/// nullopt if there is none, or if it is damaged. Errors: OutputError.
std::optional<RunNote> read_run_note(FileSystem& files, const CheckpointHome& home);

}  // namespace pileus
