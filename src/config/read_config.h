#pragma once
// Strict XML to Config. Used by servers at commit and by `pileus check`.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "config/dialect.h"
#include "config/include_files.h"
#include "core/error.h"

namespace pileus {

/// Reads the whole file. Errors: ConfigError that names the file and the system's reason.
std::string read_text_file(const std::filesystem::path& path);

/// Reads `text`, which came from `file_name` (only named in findings). Every mistake goes to `findings`, all
/// in one go. What could be read is returned all the same, so that a later stage can find more: wrong values
/// as their defaults, without second uses of a name and without rules that the catalogue does not know.
/// `options` are substituted for {key}; a missing key is an error at the place of use, unless
/// `allow_missing_options`, which leaves "{key}" as it is. Without `find_include` an include is an error.
/// Without `dialects` all is strict XML.
Config read_config(std::string_view text, const std::string& file_name, const Catalogue& catalogue,
                   const std::map<std::string, std::string>& options, Findings& findings,
                   bool allow_missing_options = false, const FindInclude& find_include = {},
                   const Dialects& dialects = {});

/// Tells of options that a command line gives and nothing that was read asks for: where {key:default} stands
/// nothing else tells of a key that is misspelt. A warning where one is near. `keys`: of all Configs that
/// they are for, in order.
void warn_of_unused_settings(std::span<const std::pair<std::string, std::string>> settings,
                             std::span<const std::string> keys, const std::string& file_name,
                             Findings& findings);

}  // namespace pileus
