#pragma once
// The command line of pileus weights.

#include <CLI/CLI.hpp>

#include "apps/weights.h"

namespace pileus::apps {

/// Adds the command. `settings` gets its arguments, and must outlive the parsing.
CLI::App* add_weights(CLI::App& app, WeightsSettings& settings);

}  // namespace pileus::apps
