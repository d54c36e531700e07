#pragma once
// Where checkpoints lie: each has a folder, named by the step, below pileus-checkpoints in the directory of
// the run's files. A checkpoint is complete as soon as its folder has that name.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

inline constexpr std::string_view kCheckpointsFolder = "pileus-checkpoints";
inline constexpr std::string_view kManifestName = "manifest";

/// "step-0000000120"; a step of more than ten digits keeps them all. REQUIRES: step >= 0.
std::string checkpoint_name(std::int64_t step);
/// The step of exactly such a name; nullopt for any other name.
std::optional<std::int64_t> step_of_checkpoint(std::string_view name);

/// DIRECTORY/pileus-checkpoints/step-0000000120
std::filesystem::path checkpoint_folder(const std::filesystem::path& directory, std::int64_t step);

/// The steps of the complete checkpoints, ascending, without a look at their contents. There are none if the
/// folder does not exist. Errors: OutputError if the directory itself cannot be read.
std::vector<std::int64_t> complete_checkpoints(const std::filesystem::path& directory);

}  // namespace pileus
