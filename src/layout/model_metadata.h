#pragma once
// What the model says about its fields for people and files.

#include "config/config.h"
#include "core/error.h"
#include "core/model_ranks.h"

namespace pileus {

/// Copies from the model which fields are static, and units, standard_name and long_name where the
/// configuration has none. Everything that reads the configuration then knows them: the Plan, and the check
/// of units.
/// Errors: ranks that say different things. Warnings: units of the configuration that are not the model's.
void take_metadata(const ModelRanks& model, Config& config, Findings& findings);

}  // namespace pileus
