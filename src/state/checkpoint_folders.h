#pragma once
// Where checkpoints lie: a folder for each below pileus-checkpoints in the directory of the run's files,
// named by the step, and complete as soon as it has that name.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

inline constexpr std::string_view kCheckpointsFolder = "pileus-checkpoints";
inline constexpr std::string_view kManifestName = "manifest";

/// "step-0000000120"; steps of more than ten digits have them all. REQUIRES: step >= 0.
std::string checkpoint_name(std::int64_t step);
/// Of exactly such a name.
std::optional<std::int64_t> step_of_checkpoint(std::string_view name);

/// DIRECTORY/pileus-checkpoints/step-0000000120
std::filesystem::path checkpoint_folder(const std::filesystem::path& directory, std::int64_t step);

/// The steps of the checkpoints that are complete, ascending; what is in them is not looked at. None where
/// there is no such folder. Errors: OutputError if the directory itself cannot be read.
std::vector<std::int64_t> complete_checkpoints(const std::filesystem::path& directory);

}  // namespace pileus
