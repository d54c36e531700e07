#pragma once
// What the model says of its fields for people and files.

#include "config/config.h"
#include "core/error.h"
#include "core/model_description.h"

namespace pileus {

/// Fills in which fields are static, and units, standard_name and long_name of fields where the configuration
/// says nothing, so that whatever reads the configuration knows them: the Plan, and the check of units.
/// Errors: ranks that say different things. Warnings: units of the configuration that are not the model's.
void take_metadata(const ModelDescription& model, Config& config, Findings& findings);

}  // namespace pileus
