#include "apps/explain.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "analytics/operators/list.h"
#include "config/components.h"
#include "config/messages.h"
#include "config/read_config.h"
#include "description/model_file.h"
#include "explain/expected_load.h"
#include "explain/explanation.h"
#include "formats/netcdf/grid_file.h"
#include "formats/netcdf/input_values.h"
#include "inputs/declared/planned_inputs.h"
#include "layout/make_plan.h"
#include "layout/model_metadata.h"
#include "monc/dialect.h"
#include "server/gate/run_memory.h"

namespace pileus::apps {
namespace {

constexpr int kUnreadable = 2;

/// Lets Graphviz draw the graph to the standard output. Errors: UsageError if it fails.
void draw(const std::string& graph) {
  if (std::system("command -v dot > /dev/null 2>&1") != 0)
    throw UsageError("--svg: the program dot was not found; install Graphviz, or take --dot");
  std::signal(SIGPIPE, SIG_IGN);  // dot may end before it has read everything, and its status says so
  std::cout << std::flush;
  std::FILE* const graphviz = ::popen("dot -Tsvg", "w");
  if (graphviz == nullptr) throw UsageError("--svg: dot could not be started");
  const bool is_written = std::fwrite(graph.data(), 1, graph.size(), graphviz) == graph.size();
  if (::pclose(graphviz) != 0 || !is_written) throw UsageError("--svg: dot did not draw the graph");
}

double timestep_of(const ModelFile& model, const ExplainSettings& settings) {
  if (settings.timestep_s) return *settings.timestep_s;
  if (model.timestep_s) return *model.timestep_s;
  throw UsageError(settings.model + " does not say how long a step is; give --timestep SECONDS");
}

/// Reads numbers between blanks and line ends.
std::vector<double> read_lengths(const std::string& path) {
  std::istringstream words(read_text_file(path));
  std::vector<double> lengths;
  for (std::string word; words >> word;) {
    char* end = nullptr;
    lengths.push_back(std::strtod(word.c_str(), &end));
    if (*end != '\0' || !(lengths.back() > 0 && lengths.back() < 1e15))
      throw UsageError(path + ": \"" + word + "\" is no length of a step in seconds");
  }
  if (lengths.empty()) throw UsageError(path + ": holds no length of a step");
  return lengths;
}

explain::Steps steps_of(const Plan& plan, const ModelFile& model, const ExplainSettings& settings) {
  explain::Steps steps =
      settings.timesteps.empty()
          ? explain::even_steps(plan, timestep_of(model, settings), model.start_time_s, settings.steps)
          : explain::uneven_steps(read_lengths(settings.timesteps), model.start_time_s);
  return model.has_initial_state ? explain::with_initial_state(std::move(steps)) : steps;
}

/// Prints findings to the standard error. Returns the status for errors in the configuration, or 0.
int check_before(const Config& config, const Findings& reading) {
  Findings findings = reading;
  check_config(config, findings);
  if (!findings.has_errors()) return 0;
  std::cerr << findings.text() << '\n';
  return 1;
}

void print(const explain::Explanation& explanation, ExplainForm form) {
  switch (form) {
    case ExplainForm::text: std::cout << text_of(explanation); return;
    case ExplainForm::json: std::cout << json_of(explanation); return;
    case ExplainForm::dot: std::cout << dot_of(explanation); return;
    case ExplainForm::svg: return draw(dot_of(explanation));
  }
}

int explain_one(const std::string& file, const ModelFile& model, const ReadSettings& reading,
                const ExplainSettings& settings) {
  const std::vector<std::string> components =
      component_names(read_text_file(file), file, all_dialects(reading.dialect));
  if (!components.empty() && reading.component.empty())
    throw UsageError(file + " is for the components " + listed(components, " and ") +
                     ": say with --component which of them the model is");
  std::map<std::string, std::string> options = model.model.ranks.front().options;
  for (const auto& [key, value] : reading.options) options[key] = value;
  Findings findings;
  Config config =
      read_config(read_text_file(file), file, builtin_catalogue(read_grid_file), options, findings, false,
                  includes_on_disk(presets_directory(), folders_of(reading.include_path)),
                  all_dialects(reading.dialect), reading.component);
  take_metadata(model.model, config, findings);
  if (const int status = check_before(config, findings); status != 0) return status;
  warn_of_unused_settings(reading.options, config.keys, file, findings);
  Plan plan = make_plan(config, model.model, settings.servers.value_or(model.servers), findings);
  std::vector<PlannedInput> inputs;
  if (!findings.has_errors())
    inputs = plan_inputs(config, clock_of(plan.time), open_netcdf_input, findings);
  if (!findings.all().empty()) std::cerr << findings.text() << '\n';
  if (findings.has_errors()) {
    std::cerr << file << " does not go with the model that " << settings.model << " describes\n";
    return kUnreadable;
  }
  explain::Steps steps = steps_of(plan, model, settings);
  explain::Explanation explanation = explain::explain(std::move(plan), model, std::move(steps),
                                                      {budget_of_client(config, 1), config.threads});
  explanation.inputs = explain::expected_inputs(inputs, explanation.steps, explanation.plan.layout.clients);
  explanation.configuration = file;
  explanation.model = settings.model;
  if (settings.advises || settings.step_takes_s)
    explanation.advice = explain::load_texts(explanation, settings.step_takes_s);
  print(explanation, settings.form);
  return 0;
}

}  // namespace

int explain(const std::vector<std::string>& files, const ReadSettings& reading,
            const ExplainSettings& settings) {
  int status = 0;
  try {
    const ModelFile model = read_model_file(read_text_file(settings.model), settings.model);
    for (const std::string& file : files)
      status = std::max(status, explain_one(file, model, reading, settings));
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return kUnreadable;
  }
  return status;
}

}  // namespace pileus::apps
