#pragma once
// Reads strict XML into a Config. Servers do so at commit, and `pileus check` does too.

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

/// Reads `text`, which came from `file_name`, the name that findings use. `findings` gets every mistake in
/// one go. The result has what could be read, so that a later stage can find more: defaults replace wrong
/// values, and the second use of a name and rules that the catalogue does not know are left out.
/// `options` replace each {key}. A missing key is an error at the place of use; with `allow_missing_options`
/// "{key}" stays as it is. Without `find_include` an include is an error. Without `dialects` all files are
/// strict XML. `component`: of which it is read, where there are <component>s; {component} stands for it.
Config read_config(std::string_view text, const std::string& file_name, const Catalogue& catalogue,
                   const std::map<std::string, std::string>& options, Findings& findings,
                   bool allow_missing_options = false, const FindInclude& find_include = {},
                   const Dialects& dialects = {}, const std::string& component = "");

/// Warns of options that a command line gives and that nothing which was read uses, if a used key is near. It
/// may be misspelt, and where {key:default} stands no other check notices that. `keys`: the used keys of all
/// Configs that the options are for, in order.
void warn_of_unused_settings(std::span<const std::pair<std::string, std::string>> settings,
                             std::span<const std::string> keys, const std::string& file_name,
                             Findings& findings);

}  // namespace pileus
