#pragma once
// The description of a model in a JSON file: what its ranks registered, so that a configuration is explained
// without the model. A run writes one when it is asked, pileus explain reads it, people may edit it.

#include <optional>
#include <string>

#include "core/ids.h"
#include "core/model_description.h"

namespace pileus {

/// More servers than any job has, and steps of which no model has any.
inline constexpr int kMostServers = 1 << 16;
inline constexpr double kShortestStep = 1e-9, kLongestStep = 1e15;  ///< in seconds

struct ModelFile {
  ModelDescription model;
  ServerRank servers = 1;  ///< that the run had
  /// Of the run's first step, in seconds; none where it has not come to one.
  std::optional<double> timestep_s = {};
  double start_time_s = 0;         ///< model time before that step
  bool has_initial_state = false;  ///< the run hands over the state at that time, in a step of no length
};

/// As text. What all ranks have in common stands there once; each rank has a line.
std::string model_file_text(const ModelFile& file);

/// Writes it in place of what there is. Errors: OutputError with the path and the system's reason.
void write_model_file(const std::string& path, const ModelFile& file);

/// `name`: for messages. Errors: UsageError "NAME:LINE:COLUMN: what" for what is no JSON,
/// "NAME: PLACE: what" for what is no description: a key unknown or missing, a value of another kind, a field
/// or dimension that is not described, a region that does not fit.
ModelFile read_model_file(const std::string& text, const std::string& name);

}  // namespace pileus
