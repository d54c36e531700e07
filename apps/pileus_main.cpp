// pileus: tools for configurations, without a model.

#include <CLI/CLI.hpp>

#include <iostream>

#include "apps/check.h"
#include "apps/help.h"
#include "apps/settings.h"

int main(int argc, char** argv) {
  CLI::App app("Tools for Pileus configurations");
  app.require_subcommand(1);
  app.set_version_flag("--version", PILEUS_VERSION);

  std::vector<std::string> files, settings;
  CLI::App* check = app.add_subcommand("check",
                                       "Names everything that is wrong with configurations. Exit status: "
                                       "0 no error, 1 errors, 2 a file cannot be read");
  check->add_option("file", files, "XML files")->required();
  check->add_option("--set", settings, "key=value: what {key} stands for")->allow_extra_args(false);
  CLI::App* help = app.add_subcommand("help", "Prints what a configuration may use");
  help->require_subcommand(1);
  CLI::App* operators = help->add_subcommand("operators", "Operators, communications and time manipulations");
  bool as_markdown = false;
  operators->add_flag("--markdown", as_markdown, "as docs/operators.md has them");
  try {
    app.parse(argc, argv);
    if (operators->parsed()) return pileus::apps::help_operators(as_markdown);
    return pileus::apps::check(files, pileus::apps::parse_settings(settings));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
