#include "apps/explain_arguments.h"

#include <cstdlib>

#include "description/model_file.h"

namespace pileus::apps {
namespace {

/// What is wrong with the length of a step; "" if nothing is.
std::string no_length(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0' && value >= kShortestStep && value <= kLongestStep
             ? ""
             : "expected seconds from 1e-9 to 1e15, found " + text;
}

void add_steps(CLI::App& explain, ExplainSettings& settings) {
  CLI::Option* timestep =
      explain
          .add_option("--timestep", settings.timestep_s,
                      "seconds of each step (default: of the first one, as the description says)")
          ->check(CLI::Validator(no_length, "SECONDS"));
  CLI::Option* steps = explain
                           .add_option("--steps", settings.steps,
                                       "of the whole run (default: until a file of each series is complete)")
                           ->check(CLI::Range(std::int64_t{1}, kMostStepsExplained));
  explain
      .add_option(
          "--timesteps", settings.timesteps,
          "a file with the length of each step of the whole run in seconds, between blanks or ends of "
          "lines")
      ->excludes(timestep)
      ->excludes(steps);
}

void add_forms(CLI::App& explain, ExplainSettings& settings) {
  CLI::Option_group* group = explain.add_option_group("Form", "one of these, in place of words");
  const auto add = [&](const std::string& name, ExplainForm form, const std::string& help) {
    group->add_flag_callback(
        name, [&settings, form] { settings.form = form; }, help);
  };
  add("--json", ExplainForm::json, "every figure, for programs");
  add("--dot", ExplainForm::dot, "the graph of fields, rules and files, for Graphviz");
  add("--svg", ExplainForm::svg, "the same, drawn by Graphviz's dot");
  group->require_option(0, 1);
}

}  // namespace

CLI::App* add_explain(CLI::App& app, std::vector<std::string>& files, ExplainSettings& settings) {
  CLI::App* explain = app.add_subcommand(
      "explain",
      "Says what a run will do, without the model: files with their sizes and times, rules with where they "
      "run and on how much, messages and bytes. Exit status: 0 done, 1 the configuration has errors, 2 a "
      "file cannot be read or does not go with the model");
  explain->add_option("file", files, "XML files")->required();
  explain
      ->add_option("--model", settings.model,
                   "the model's description, which a run writes: PILEUS_DESCRIBE_MODEL=FILE, or "
                   "pileus-server --describe-model FILE")
      ->required();
  explain->add_option("--servers", settings.servers, "how many (default: as the description says)")
      ->check(CLI::Range(1, kMostServers));
  add_steps(*explain, settings);
  explain->add_flag("--advise", settings.advises,
                    "say too how many servers would do, by what the run costs them");
  explain
      ->add_option("--step-takes", settings.step_takes_s,
                   "--advise for a model whose step takes so many seconds of the clock on the wall")
      ->check(CLI::Validator(no_length, "SECONDS"));
  add_forms(*explain, settings);
  return explain;
}

}  // namespace pileus::apps
