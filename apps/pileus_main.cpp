// pileus: tools for configurations and checkpoints, without a model.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

#include "apps/check.h"
#include "apps/clean.h"
#include "apps/cmip.h"
#include "apps/control.h"
#include "apps/explain_arguments.h"
#include "apps/help.h"
#include "apps/init.h"
#include "apps/join.h"
#include "apps/presets.h"
#include "apps/report.h"
#include "apps/settings.h"
#include "apps/standard_names.h"
#include "apps/state.h"
#include "apps/tracks.h"
#include "apps/version.h"
#include "apps/weights_arguments.h"
#include "core/suggest.h"
#include "formats/netcdf/netcdf_format.h"
#include "monc/dialect.h"

namespace {

/// Suggests a command or option for the first of `words` that is none.
void suggest(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    std::vector<std::string> known;
    const std::string name = word.substr(0, word.find('='));
    if (word.starts_with("--")) {
      for (const CLI::Option* option : at->get_options()) {
        for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
      }
    } else {
      for (const CLI::App* command : at->get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name().empty()) continue;  // a group of options
        if (command->get_name() == word) at = command;
        known.push_back(command->get_name());
      }
    }
    if (known.empty() || std::ranges::find(known, name) != known.end()) continue;
    const std::string meant = pileus::nearest(name, known);
    if (!meant.empty()) std::cerr << '"' << name << "\" is not known" << pileus::did_you_mean(meant) << '\n';
    return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tools for Pileus configurations and checkpoints", "pileus");
  app.require_subcommand(1);
  app.set_version_flag("--version", pileus::apps::version_text("pileus", pileus::file_library_versions()));

  std::vector<std::string> files, settings;
  pileus::apps::ReadSettings reading;
  const auto add_reading = [&](CLI::App& command) {
    command.add_option("--set", settings, "key=value: what {key} stands for")->allow_extra_args(false);
    command
        .add_option("--dialect", reading.dialect,
                    "strict, monc-leeds, monc-epcc or monc (a fork of MONC that its options or its files "
                    "show): how the files are written (default: what they hold shows it)")
        ->check(CLI::IsMember(pileus::all_dialects().names()));
    command
        .add_option("--include-path", reading.include_path,
                    "a folder where included files are looked for, for MONC's files its root; after those "
                    "beside the file, and before PILEUS_INCLUDE_PATH")
        ->allow_extra_args(false);
  };
  const auto add_component = [&](CLI::App& command) {
    command.add_option("--component", reading.component,
                       "the component of the job whose part of the configuration is meant");
  };
  CLI::App* check = app.add_subcommand("check",
                                       "Names everything that is wrong with configurations. Exit status: "
                                       "0 no error, 1 errors, 2 a file cannot be read");
  check->add_option("file", files, "XML files")->required();
  bool as_json = false;
  check->add_flag("--json", as_json, "for editors and other programs");
  check->add_option(
      "--model", reading.model,
      "a description of the model, as a run writes it: its options, sizes, types and units count");
  check->add_option(
      "--standard-names", reading.standard_names,
      "the table of CF in which standard names are looked up (default: PILEUS_STANDARD_NAMES, or "
      "that of the compliance-checker in PATH)");
  add_reading(*check);
  add_component(*check);
  pileus::apps::ExplainSettings explaining;
  CLI::App* explain = pileus::apps::add_explain(app, files, explaining);
  add_reading(*explain);
  add_component(*explain);
  CLI::App* convert =
      app.add_subcommand("convert",
                         "Writes a configuration of MONC, with all that it includes, as strict XML. Exit "
                         "status: 0 done, 1 it is none and nothing is written, or check finds errors in what "
                         "is written, 2 a file cannot be read or written");
  std::string source, output;
  convert->add_option("file", source, "the file")->required();
  convert->add_option("-o,--output", output, "where it is written (default: the standard output)");
  add_reading(*convert);
  CLI::App* presets = app.add_subcommand(
      "presets", "Lists ready-made configurations to include, or tells what one of them needs");
  std::string preset;
  presets->add_option("name", preset, "one of them");
  CLI::App* init =
      app.add_subcommand("init",
                         "Writes a first configuration for a model, of the presets that fit it, and checks "
                         "it. Exit status: 0 done, 1 check finds errors in it, 2 a file cannot be read or "
                         "written");
  pileus::apps::InitSettings first;
  init->add_option("model", first.model, "a description of the model, as a run writes it")->required();
  init->add_option("-o,--output", first.output, "where it is written (default: the standard output)");
  CLI::App* help = app.add_subcommand("help", "Prints what a configuration may use");
  help->require_subcommand(1);
  CLI::App* operators = help->add_subcommand("operators", "Operators, communications and time manipulations");
  bool as_markdown = false;
  operators->add_flag("--markdown", as_markdown, "as docs/operators.md has them");
  CLI::App* configuration = help->add_subcommand("configuration", "Elements and their attributes");
  configuration->add_flag("--markdown", as_markdown, "as docs/configuration-reference.md has them");
  CLI::App* expression = help->add_subcommand("expression", "Functions and reductions of expressions");
  std::string name;
  CLI::App* one_operator =
      help->add_subcommand("operator", "One operator, communication, manipulation or function");
  one_operator->add_option("name", name, "for example arithmetic, cov")->required();
  CLI::App* element = help->add_subcommand("element", "One element and its attributes");
  element->add_option("name", name, "for example file")->required();
  CLI::App* schema =
      app.add_subcommand("schema", "Prints the XML schema (XSD) of configurations, for editors");
  std::vector<std::string> libraries;
  schema->add_option("--operator-library", libraries, "with the operators of this shared library too")
      ->allow_extra_args(false);
  CLI::App* state =
      app.add_subcommand("state",
                         "Lists the checkpoints in a directory and what they hold. Exit status: "
                         "0 all whole, 1 one is damaged, 2 the directory cannot be read");
  std::string directory;
  state->add_option("directory", directory, "where the run writes its files")->required();
  state->add_flag("--json", as_json, "for programs");
  CLI::App* clean = app.add_subcommand(
      "clean",
      "Removes what killed runs left in a directory: temporary files and checkpoints that "
      "were never complete. Published files stay, and what a complete checkpoint needs. "
      "Exit status: 0 done, 1 something stays that may be of a live run, or the answer was "
      "no, 2 the directory cannot be read or something not removed");
  pileus::apps::CleanSettings cleaning;
  clean->add_option("directory", directory, "where the runs wrote their files")->required();
  clean->add_flag("--dry-run", cleaning.is_dry, "say what would be removed, and remove nothing");
  bool is_sure = false;
  clean->add_flag("--yes", is_sure, "do not ask");
  clean->add_flag("--all", cleaning.takes_all,
                  "complete checkpoints and what they need too: no run will be continued");
  clean
      ->add_option("--idle-hours", cleaning.idle_hours,
                   "a run that wrote something since so many hours may be live, and keeps what is its own")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  pileus::apps::ControlSettings asking;
  CLI::App* const control = pileus::apps::add_control(app, asking);
  pileus::apps::ReportSettings drawing;
  CLI::App* report =
      app.add_subcommand("report",
                         "Shows what the servers of runs were at over time, from the reports that these "
                         "wrote, and what follows. "
                         "Exit status: 0 done, 2 a file cannot be read, or the picture not be drawn");
  report->add_option("file", files, "what pileus-server --report or PILEUS_REPORT wrote")->required();
  report->add_option("-o,--output", drawing.picture,
                     "draw this PNG too, all runs side by side; by Python with matplotlib (python3, or what "
                     "PILEUS_PYTHON names)");
  report->add_flag("--ascii", drawing.is_ascii, "no other characters in the charts");
  pileus::apps::WeightsSettings regridding;
  CLI::App* weights = pileus::apps::add_weights(app, regridding);
  add_reading(*weights);
  add_component(*weights);
  pileus::apps::JoinSettings joining;
  CLI::App* join = pileus::apps::add_join(app, joining);
  join->add_option("--set", settings, "key=value: what {key} stands for; overrules the components")
      ->allow_extra_args(false);
  add_component(*join);
  pileus::apps::CmipSettings requesting;
  CLI::App* cmip = pileus::apps::add_cmip(app, requesting, reading.model);
  add_reading(*cmip);
  pileus::apps::TracksSettings tracking;
  CLI::App* tracks = pileus::apps::add_tracks(app, tracking);
  std::vector<std::string> words(argv + 1, argv + argc);
  // Like other programs, it takes "help check" for "check --help".
  const auto is_command = [&](const CLI::App* command) { return command->get_name() == words[1]; };
  if (words == std::vector<std::string>{"help"}) words.emplace_back("--help");
  if (words.size() > 1 && words[0] == "help" && !app.get_subcommands(is_command).empty())
    words = {words[1], "--help"};
  try {
    std::vector<std::string> last_first(words.rbegin(), words.rend());
    app.parse(last_first);
    if (state->parsed()) return pileus::apps::state(directory, as_json);
    if (clean->parsed()) {
      cleaning.asks = !is_sure;
      return pileus::apps::clean(directory, cleaning);
    }
    if (control->parsed()) return pileus::apps::control(asking);
    if (presets->parsed()) return pileus::apps::presets(preset);
    if (init->parsed()) return pileus::apps::init(first);
    if (operators->parsed()) return pileus::apps::help_operators(as_markdown);
    if (configuration->parsed()) return pileus::apps::help_configuration(as_markdown);
    if (expression->parsed()) return pileus::apps::help_expression();
    if (report->parsed()) return pileus::apps::report(files, drawing);
    if (one_operator->parsed()) return pileus::apps::help_operator(name);
    if (element->parsed()) return pileus::apps::help_element(name);
    if (schema->parsed()) return pileus::apps::schema(libraries);
    reading.options = pileus::apps::parse_settings(settings);
    if (tracks->parsed()) return pileus::apps::tracks(tracking);
    if (join->parsed()) return pileus::apps::join(reading, joining);
    if (cmip->parsed()) return pileus::apps::cmip(reading, requesting);
    if (weights->parsed()) return pileus::apps::weights(reading, regridding);
    if (explain->parsed()) return pileus::apps::explain(files, reading, explaining);
    if (convert->parsed()) return pileus::apps::convert(source, output, reading);
    if (reading.standard_names.empty()) reading.standard_names = pileus::apps::standard_name_table();
    return pileus::apps::check(files, reading, as_json);
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) == 0) return 0;
    suggest(app, words);
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
