#pragma once
// pileus init: a first configuration for a model, of the presets that fit its description.

#include <string>
#include <vector>

#include "apps/presets.h"
#include "core/model_description.h"

namespace pileus::apps {

struct InitSettings {
  std::string model;   ///< a description, as a run writes it
  std::string output;  ///< "": the standard output
};

/// A preset and what it is to be told about a model; or what the model lacks for it.
struct FittedPreset {
  const Preset* preset = nullptr;
  std::vector<const ModelField*> fields;                      ///< by PresetField; empty if one is missing
  std::vector<std::pair<std::string, std::string>> settings;  ///< where they are not the defaults
  std::string lacks;
};

FittedPreset fitted(const Preset& preset, const RankDescription& model);

/// The configuration as text. Where no preset fits it writes the time mean of each field. Errors:
/// std::runtime_error where there is none.
std::string first_configuration(const std::vector<FittedPreset>& fits, const RankDescription& model);

/// Writes it, and checks it, in a file with the description. Status: that of check; 2 if the description
/// cannot be read, or the file exists or cannot be written.
int init(const InitSettings& settings);

}  // namespace pileus::apps
