#include "apps/weights_arguments.h"

namespace pileus::apps {

CLI::App* add_weights(CLI::App& app, WeightsSettings& settings) {
  CLI::App* weights = app.add_subcommand(
      "weights",
      "Makes the weights that a configuration's regridding needs, with CDO, where they are not there or were "
      "made for other grids. Exit status: 0 all are there, 1 the configuration has errors or some cannot be "
      "made, 2 a file cannot be read or written, or there is no CDO");
  weights->add_option("file", settings.configuration, "an XML file");
  weights->add_option("--grids", settings.grids,
                      "a netCDF file with the fields that the grids name, as a first run writes it");
  weights->add_option("--folder", settings.folder,
                      "where the weights are kept (default: weights beside the configuration)");
  CLI::Option* from = weights->add_option("--from", settings.from, "make weights from this grid too");
  CLI::Option* to = weights->add_option(
      "--to", settings.to,
      "its target: the name of a grid, r360x180, F32, hp32 or lon=FROM:TO:STEP,lat=FROM:TO:STEP");
  CLI::Option* method =
      weights->add_option("--method", settings.method, "conservative, bilinear, nearest or distance");
  from->needs(to)->needs(method);
  to->needs(from);
  method->needs(from);
  CLI::Option* show = weights->add_option(
      "--show", settings.shown, "say what this file of weights holds, whoever made it, and make nothing");
  weights
      ->add_flag("--rows", settings.has_rows,
                 "with --show: a line for each link, target point and source point from 0, and weight")
      ->needs(show);
  weights->final_callback([&settings] {
    const bool makes = !settings.configuration.empty() && !settings.grids.empty();
    if (!makes && settings.shown.empty())
      throw CLI::RequiredError("an XML file with --grids FILE, or --show FILE,");
  });
  return weights;
}

}  // namespace pileus::apps
