// pileus-server: one server of a run that was started as two programs,
//   mpirun -n 24 ./model : -n 2 pileus-server run.xml

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "apps/settings.h"
#include "core/error_text.h"
#include "core/log.h"
#include "serve/server_host.h"
#include "start/join_run.h"
#include "transport/mpi/kept_servers.h"
#include "transport/mpi/mpi_endpoint.h"
#include "transport/mpi/mpi_start.h"

namespace pileus::apps {
namespace {

struct Arguments {
  std::string configuration;
  std::string directory = ".";
  std::vector<std::string> settings;
  std::size_t workers = 0;
  std::string report, model_file;
  bool no_defer = false;
};

/// Serves until the run is over; true if nothing went wrong.
bool serve(const Arguments& arguments, const JoinedRun& run) {
  const MpiWorld& world = run.world;
  HostSettings settings;
  settings.server = {arguments.configuration, arguments.directory, world.clients,
                     world.servers,           world.index,         parse_settings(arguments.settings)};
  settings.server.catches_signals = true;
  settings.server.report = arguments.report;
  settings.server.model_file = arguments.model_file;
  settings.server.defers = !arguments.no_defer;
  settings.default_workers = arguments.workers > 0 ? arguments.workers : run.default_workers;
  settings.has_threads = are_threads_allowed();
  settings.speaker = "server " + std::to_string(world.index);

  const auto endpoint = make_mpi_endpoint(world.world_communicator);
  const std::unique_ptr<ServerHost> server(make_server_host(settings, *endpoint));
  serve_until_over(*server, *endpoint);
  if (world.index == 0) std::cout << server->report() << std::flush;
  return *server->errors() == '\0';
}

}  // namespace
}  // namespace pileus::apps

int main(int argc, char** argv) {
  using namespace pileus;
  pileus::apps::Arguments arguments;
  CLI::App app("One server of a Pileus run: mpirun -n 24 ./model : -n 2 pileus-server run.xml");
  app.add_option("configuration", arguments.configuration, "the XML file of the run");
  app.add_option("--directory", arguments.directory, "where files are written")
      ->check(CLI::ExistingDirectory);
  app.add_option("--set", arguments.settings,
                 "key=value: what {key} in the configuration stands for; overrules the model")
      ->allow_extra_args(false);
  app.add_option("--workers", arguments.workers,
                 "threads that analyse (default: the cores that the model leaves, shared with other servers "
                 "on the node); thread_pool in the configuration overrules it");
  app.add_option(
      "--report", arguments.report,
      "write the figures of the run's report to this JSON file (default: what PILEUS_REPORT names)");
  app.add_option("--describe-model", arguments.model_file,
                 "write what the model registers to this JSON file, for pileus explain (default: what "
                 "PILEUS_DESCRIBE_MODEL names)");
  app.add_flag("--no-defer", arguments.no_defer,
               "send what is reduced between servers at every step, not when a record needs it; the files "
               "are the same (so does PILEUS_NO_DEFER in the environment)");
  app.set_version_flag("--version", PILEUS_VERSION);

  MpiProgram mpi(argc, argv);
  Joining joining;
  joining.is_server_program = true;
  try {
    app.parse(argc, argv);
    pileus::apps::parse_settings(arguments.settings);
  } catch (const CLI::ParseError& error) {
    const bool is_question = app.exit(error, std::cout, std::cerr) == 0;
    if (is_question && is_alone_in_world()) return 0;
    joining.mistake = "pileus-server: ";
    joining.mistake += is_question ? "--help and --version serve nobody; leave them out" : error.what();
  } catch (const std::exception& error) {
    joining.mistake = std::string("pileus-server: ") + error.what();
  }
  bool is_well = true;
  JoinedRun run;
  do {
    try {
      // With a mistake too: the model and the other servers wait to be joined, and hear of it.
      run = join_run(world_communicator(), joining);
    } catch (const std::exception& error) {
      log::error(error.what());  // every rank has it, and none waits
      return 1;
    }
    try {
      is_well = pileus::apps::serve(arguments, run) && is_well;
      leave_world(run.world);
    } catch (...) {
      log::error(text_of_current_exception());  // of MPI itself: a server answers for all else
      is_well = false;
    }
  } while (is_called_again(run.world));
  return is_well ? 0 : 1;
}
