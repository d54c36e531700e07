#pragma once
// The description of a model in a JSON file: what its ranks registered, so that a configuration can be
// explained without the model. A run writes one on request, pileus explain reads it, and people may edit it.

#include <optional>
#include <string>

#include "core/ids.h"
#include "core/model_ranks.h"

namespace pileus {

/// More servers than any job has, and lengths of steps that no model has.
inline constexpr int kMostServers = 1 << 16;
inline constexpr double kShortestStep = 1e-9, kLongestStep = 1e15;  ///< in seconds

struct ModelFile {
  ModelDescription model;
  ServerRank servers = 1;  ///< how many the run had
  /// Length of the run's first step in seconds; none if the run has not come to one.
  std::optional<double> timestep_s = {};
  double start_time_s = 0;         ///< model time before that step
  bool has_initial_state = false;  ///< the run hands over the state at that time, in a step of length 0
};

/// The description as text. What all ranks have in common stands there once, and each rank has a line.
/// `model`: in place of the file's own.
std::string model_file_text(const ModelFile& file, const ModelRanks& model);
inline std::string model_file_text(const ModelFile& file) { return model_file_text(file, file.model); }

/// Writes the file, replacing an older one. Errors: OutputError with the path and the system's reason.
void write_model_file(const std::string& path, const ModelFile& file, const ModelRanks& model);

/// `name`: the name of the file in messages. Errors: UsageError "NAME:LINE:COLUMN: what" for a text that is
/// not JSON, and "NAME: PLACE: what" for one that is no description: a key unknown or missing, a value of
/// another kind, a field or dimension that is not described, a region that does not fit.
ModelFile read_model_file(const std::string& text, const std::string& name);

}  // namespace pileus
