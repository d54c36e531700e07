#pragma once
// The ready-made configurations of share/pileus/presets: what they are for, which fields each needs, and
// which options it has. A comment at the top of each says it:
//
//   <!-- Mean profiles of a large-eddy simulation: means and fluxes.
//
//        w 3d: upward_air_velocity
//        theta 3d: air_potential_temperature
//
//        More words for people. -->

#include <optional>
#include <string>
#include <vector>

#include "core/text_options.h"

namespace pileus::apps {

/// A field that a preset needs: the option that names it, how many dimensions it has, and what CF calls it.
struct PresetField {
  std::string key;
  std::size_t dimensions = 0;
  std::vector<std::string> standard_names;
};

struct Preset {
  std::string file;     ///< its name, for <include>
  std::string summary;  ///< one sentence or two
  std::string more;     ///< the rest of the comment
  std::vector<PresetField> fields;
  std::vector<OptionOfText> options;  ///< those that name its fields among them
};

/// What the text of a preset says of itself; what its comment lacks is empty.
Preset preset_of(const std::string& file, const std::string& text);

/// Those of the installation, or of PILEUS_PRESETS, by name. Errors: std::runtime_error if there is no
/// folder.
std::vector<Preset> all_presets();

/// Lists them, or tells of one. Status: 0; 2 if there is none of the name.
int presets(const std::string& name);

}  // namespace pileus::apps
