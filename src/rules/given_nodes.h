#pragma once
// What expressions and equations take that no field brings: coordinates of dimensions, and what the clock of
// a step says. Servers know both without the model ranks.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/graph.h"

namespace pileus::planning {

/// The names of these in a configuration. A field or diagnostic of the same name comes before them.
class GivenNames {
 public:
  /// REQUIRES: the graph outlives it and has its fields before anything is asked.
  explicit GivenNames(Graph& graph) : graph_(graph) {}

  /// The node for a name that a diagnostic takes; nothing where it is none of these.
  std::optional<NodeIndex> find(DiagnosticIndex diagnostic, const Text& name);
  /// Notes, once for each name, that a field or diagnostic hides what the clock says.
  void note_if_hidden(const Text& name, Findings& findings);
  const std::vector<std::string>& words();

 private:
  bool is_dimension(const std::string& name);

  Graph& graph_;
  std::set<std::string> dimensions_;  ///< once they were asked for
  std::vector<std::string> words_;    ///< likewise
  std::set<std::string> hidden_;      ///< that were noted
  std::map<std::pair<DiagnosticIndex, std::string>, NodeIndex> known_;
};

/// A file gets records of what comes from the model. Errors: entries that are made of nothing else than
/// coordinates and the clock.
void refuse_given_alone(const Graph& graph, Findings& findings);

}  // namespace pileus::planning
