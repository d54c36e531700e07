#pragma once
// Finds what a configuration asks of the model: its fields, and how often files have something that is made
// of each. It follows names alone, as no model has registered anything yet.

#include "config/config.h"
#include "core/error.h"
#include "core/wants.h"

namespace pileus {

/// `findings` gets the names that mean nothing; the result is valid only without errors.
Wants config_wants(const Config& config, Findings& findings);

}  // namespace pileus
