#pragma once
// pileus explain: what a run will write, compute, send and hold in memory, without running the model.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/check.h"

namespace pileus::apps {

/// More steps take longer than anybody waits.
inline constexpr std::int64_t kMostStepsExplained = 1'000'000;

enum class ExplainForm : std::uint8_t { text, json, dot, svg };

struct ExplainSettings {
  std::string model;  ///< path of the model's description
  std::optional<std::uint32_t> servers;
  std::optional<double> timestep_s;
  std::optional<std::int64_t> steps;
  std::string timesteps;  ///< path of a file with the length of each step
  ExplainForm form = ExplainForm::text;
  bool advises = false;                ///< says how many servers would do
  std::optional<double> step_takes_s;  ///< a step of the model, on the wall
};

/// Explains each file. Status: 0; 1 if a configuration has errors; 2 if a file cannot be read, if the model's
/// description is none or lacks what a configuration asks for, or if the graph cannot be drawn.
int explain(const std::vector<std::string>& files, const ReadSettings& reading,
            const ExplainSettings& settings);

}  // namespace pileus::apps
