#pragma once
// Lists the checkpoints in a directory. It reads and checks each as a run that continues would.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "state/checkpoint_folders.h"
#include "state/manifest.h"

namespace pileus::apps {

struct ListedCheckpoint {
  std::int64_t step = 0;
  std::string folder;                ///< path
  std::string written;               ///< "2000-01-01T00:00:00Z"; "" if it is not known
  std::optional<Manifest> manifest;  ///< none if it is damaged
  std::string damage;                ///< why no run can continue from it; "" if it is whole
  std::uint64_t size_bytes = 0;      ///< size of all parts

  struct Window {
    std::string variable;
    std::uint64_t pieces = 0, size_bytes = 0;
  };
  std::map<std::string, std::vector<Window>> windows;  ///< unfinished windows, by configured file
  struct Axis {
    std::string name;
    std::uint64_t records = 0;
    double last_time_s = 0;
  };
  struct File {
    std::string series;                ///< the configured name
    std::string name, temporary_name;  ///< names in the directory
    std::vector<Axis> axes;            ///< the axes, with the records that are in the file
    std::vector<std::string> parts;    ///< files of servers that have more of these, in the directory
  };
  std::vector<File> files;  ///< unfinished files
};

struct CheckpointListing {
  std::vector<ListedCheckpoint> checkpoints;  ///< by step
  std::vector<std::string> unfinished;        ///< folders of checkpoints that were not completed
};

/// Those of a run, or of one component. Errors: OutputError if the directory cannot be read.
CheckpointListing list_checkpoints(const CheckpointHome& home);

}  // namespace pileus::apps
