#pragma once
// Where checkpoints lie: each has a folder, named by the step, below pileus-checkpoints in the directory of
// the run's files; those of a component of a job below a folder of its name there. A checkpoint is complete
// as soon as its folder has that name.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pileus {

inline constexpr std::string_view kCheckpointsFolder = "pileus-checkpoints";
inline constexpr std::string_view kManifestName = "manifest";

/// Where a run has its files, and beside them its checkpoints. A directory stands for a run without a
/// component.
struct CheckpointHome {
  CheckpointHome(std::filesystem::path the_directory, std::string the_component = {})
      : directory(std::move(the_directory)), component(std::move(the_component)) {}
  CheckpointHome(const std::string& the_directory) : directory(the_directory) {}
  CheckpointHome(const char* the_directory) : directory(the_directory) {}

  /// DIRECTORY/pileus-checkpoints, or DIRECTORY/pileus-checkpoints/COMPONENT
  std::filesystem::path folder() const {
    const std::filesystem::path all = directory / kCheckpointsFolder;
    return component.empty() ? all : all / component;
  }

  std::filesystem::path directory;
  std::string component;  ///< "" for none
};

/// "step-0000000120"; a step of more than ten digits keeps them all. REQUIRES: step >= 0.
std::string checkpoint_name(std::int64_t step);
/// The step of exactly such a name; nullopt for any other name.
std::optional<std::int64_t> step_of_checkpoint(std::string_view name);

/// DIRECTORY/pileus-checkpoints/step-0000000120
std::filesystem::path checkpoint_folder(const CheckpointHome& home, std::int64_t step);

/// The steps of the complete checkpoints, ascending, without a look at their contents. There are none if the
/// folder does not exist. Errors: OutputError if the directory itself cannot be read.
std::vector<std::int64_t> complete_checkpoints(const CheckpointHome& home);

/// The components that have a folder for checkpoints below a directory, in the order of their names.
std::vector<std::string> components_with_checkpoints(const std::filesystem::path& directory);

}  // namespace pileus
