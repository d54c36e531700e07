#pragma once
// What a run will do, in words, in figures and as a graph: the Plan, and everything that is expected of its
// run.

#include <string>
#include <vector>

#include "description/model_file.h"
#include "explain/expected_inputs.h"
#include "explain/expected_memory.h"
#include "explain/expected_traffic.h"
#include "explain/handed_over.h"
#include "explain/rule_costs.h"

namespace pileus::explain {

struct Explanation {
  std::string configuration, model;  ///< names of the files that it is made from
  Plan plan;
  Steps steps;
  std::vector<ExpectedFile> files;
  ExpectedRun run;
  std::vector<ExpectedMemory> memory;  ///< by server
  std::vector<RuleCost> rules;
  std::vector<HandedOver> handed_over;
  std::vector<ExpectedInput> inputs = {};  ///< where the configuration has any
  std::vector<std::string> advice;         ///< where it was asked for
};

Explanation explain(Plan plan, const ModelFile& model, Steps steps, const ServerBudget& budget = {});

/// A text for people.
std::string text_of(const Explanation& explanation);
/// JSON for programs: every figure under a name with its unit.
std::string json_of(const Explanation& explanation);
/// The graph of fields, rules and files in the language of Graphviz.
std::string dot_of(const Explanation& explanation);

/// "double [x, y, z]", the fastest dimension last, as files have it.
std::string shape_text(const Plan& plan, const Variable& variable);
/// "averaged every 10 s"
std::string schedule_text(const Schedule& schedule);
/// "a file every 100 s"
std::string sequence_text(const PlannedFile& file);
/// The traffic that all ranks of the model send.
Traffic from_model(const ExpectedRun& run);

}  // namespace pileus::explain
