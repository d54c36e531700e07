#pragma once
// Makes the Plan from the Config and from what the model registered.

#include <string>
#include <vector>

#include "config/config.h"
#include "core/error.h"
#include "core/model_ranks.h"
#include "plan/plan.h"

namespace pileus {

/// `served_by`: as in Layout. `findings` gets every mistake in one go. The Plan is valid only if none of the
/// findings is an error. For a configuration that broke off, which is an error already, nothing more is
/// reported.
/// Deterministic: every server makes the same Plan from the same input.
Plan make_plan(const Config& config, const ModelRanks& model, ServerRank servers, Findings& findings,
               std::vector<ServerRank> served_by = {});

/// Checks what can be checked without a model: unknown names, cycles, things that nothing uses, and shapes
/// from sizes in the configuration. `with_advice`: also warns of what is allowed but probably not meant.
void check_config(const Config& config, Findings& findings, bool with_advice = false);

}  // namespace pileus
