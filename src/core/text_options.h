#pragma once
// Options in texts: the {key} and {key:default} of a configuration file, and what an include sets for them.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pileus {

/// "w=w_centre; every=10 min" as keys and values without blanks around them; no value where "=" is missing.
std::vector<std::pair<std::string, std::optional<std::string>>> settings_of(std::string_view text);

struct OptionOfText {
  std::string key;
  std::optional<std::string> otherwise;  ///< what stands for it where nobody gives it
};

/// Each {key} and {key:default} of a text once, in the order in which they first come.
std::vector<OptionOfText> options_with_defaults(std::string_view text);
std::vector<std::string> options_in(std::string_view text);

/// Whether the text includes others, which may use options of their own.
bool includes_files(std::string_view text);

}  // namespace pileus
