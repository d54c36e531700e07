#pragma once
// The files that a configuration includes. They are found on the disk where it is first read, and sent with
// it to servers, which read no files.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "config/included_file.h"

namespace pileus {

/// Finds the file `written` in the file `from`. Errors: ConfigError that says where it was looked for, or why
/// it cannot be read.
using FindInclude = std::function<IncludedFile(const std::string& from, const std::string& written)>;

/// The folder of the ready-made pieces: PILEUS_PRESETS in the environment, or share/pileus/presets beside the
/// folder of the program or library that holds this code. "" if it is not there.
std::filesystem::path presets_directory();

/// The folders that PILEUS_INCLUDE_PATH names in the environment, separated by colons.
std::vector<std::filesystem::path> include_path();
/// The given folders, and then those of the environment.
std::vector<std::filesystem::path> folders_of(const std::vector<std::string>& given);

/// Finds files on the disk: beside the including file, then in the `folders`, then, for a name without a
/// path, among `presets`.
FindInclude includes_on_disk(std::filesystem::path presets = presets_directory(),
                             std::vector<std::filesystem::path> folders = include_path());
/// Finds only the files that were found before. REQUIRES: `files` outlives the function.
FindInclude known_includes(const std::vector<IncludedFile>& files);

}  // namespace pileus
