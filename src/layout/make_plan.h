#pragma once
// Config + what the model registered → Plan.

#include <string>

#include "config/config.h"
#include "core/error.h"
#include "core/model_description.h"
#include "plan/plan.h"

namespace pileus {

/// Every mistake goes to `findings`, all at once; the Plan is only good when none of them is an error. Of a
/// configuration that broke off, for which there is an error already, nothing is said.
/// Deterministic: every server makes the same Plan from the same input.
Plan make_plan(const Config& config, const ModelDescription& model, ServerRank servers, Findings& findings);

/// What can be said without a model: unknown names, cycles, what nothing uses, shapes of the configuration's
/// own sizes. `with_advice`: what is right and probably not meant too.
void check_config(const Config& config, Findings& findings, bool with_advice = false);

}  // namespace pileus
