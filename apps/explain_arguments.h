#pragma once
// What pileus explain takes on its command line.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "apps/explain.h"

namespace pileus::apps {

/// Adds the command; `files` and `settings` get what is asked for, and outlive the parsing.
CLI::App* add_explain(CLI::App& app, std::vector<std::string>& files, ExplainSettings& settings);

}  // namespace pileus::apps
