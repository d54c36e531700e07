// pileus-server: one server of a run that was started as two programs,
//   mpirun -n 24 ./model : -n 2 pileus-server run.xml

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>

#include "apps/settings.h"
#include "apps/version.h"
#include "core/error_text.h"
#include "core/few_heaps.h"
#include "core/log.h"
#include "formats/netcdf/netcdf_format.h"
#include "serve/hosted_servers.h"
#include "serve/server_settings.h"
#include "start/join_run.h"
#include "transport/mpi/kept_servers.h"
#include "transport/mpi/mpi_start.h"
#include "transport/mpi/node_endpoint.h"
#include "transport/mpi/own_mpi.h"

namespace pileus::apps {
namespace {

struct Arguments {
  std::string configuration;
  std::string directory = ".";
  std::vector<std::string> settings;
  std::size_t workers = 0;
  std::string report, model_file, log;
  double progress_s = 0;  ///< 0: not given
  bool no_defer = false;
};

std::string version_lines() {
  std::vector<std::string> libraries = file_library_versions();
  libraries.insert(libraries.begin(), std::string("MPI: ") + mpi_library());
  return version_text("pileus-server", libraries);
}

/// Sets the environment that the servers' half reads, so that the arguments count however the server starts.
void overrule_environment(const Arguments& arguments) {
  if (!arguments.log.empty()) setenv("PILEUS_LOG_FILE", arguments.log.c_str(), 1);
  if (arguments.progress_s > 0) setenv("PILEUS_PROGRESS", std::to_string(arguments.progress_s).c_str(), 1);
}

HostSettings host_settings(const Arguments& arguments, const JoinedRun& run) {
  const MpiWorld& world = run.world;
  HostSettings settings;
  settings.server.configuration = arguments.configuration;
  settings.server.directory = arguments.directory;
  settings.server.options = parse_settings(arguments.settings);
  describe_server(run, settings.server);
  settings.server.catches_signals = true;
  settings.has_the_process = true;
  settings.server.report = arguments.report;
  settings.server.model_file = arguments.model_file;
  settings.server.defers = !arguments.no_defer;
  settings.default_workers = arguments.workers > 0 ? arguments.workers : run.default_workers;
  settings.has_threads = are_threads_allowed();
  settings.speaker = speaker_of(run, "server " + std::to_string(world.index));
  return settings;
}

/// Serves until all runs are over; true if nothing went wrong.
bool serve(const Arguments& arguments, std::vector<JoinedRun>& runs) {
  HostedServers servers;
  MpiEndpointSettings transport;
  transport.meanwhile = [&servers] { servers.go_on(); };
  for (const JoinedRun& run : runs) {
    auto endpoint = make_node_endpoint(run.world.world_communicator, transport);
    std::unique_ptr<ServerHost> host(make_server_host(host_settings(arguments, run), *endpoint));
    servers.add(std::move(host), std::move(endpoint));
  }
  bool is_well = true;
  const auto at_end = [&](std::size_t number, ServerHost& host) {
    log::flush();
    if (runs[number].world.index == 0) std::cout << host.report() << std::flush;
    is_well = *host.errors() == '\0' && is_well;
  };
  servers.serve(at_end, [&](std::size_t number) { leave_world(runs[number].world); });
  return is_well;
}

}  // namespace
}  // namespace pileus::apps

int main(int argc, char** argv) {
  using namespace pileus;
  use_few_heaps();  // before MPI starts threads of its own
  pileus::apps::Arguments arguments;
  CLI::App app("One server of a Pileus run: mpirun -n 24 ./model : -n 2 pileus-server run.xml",
               "pileus-server");
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
  app.add_option(
      "--log", arguments.log,
      "write the log to the end of this file too, with server 1's in FILE.1 and so on (default: what "
      "PILEUS_LOG_FILE names)");
  app.add_option(
         "--progress", arguments.progress_s,
         "say how far the model is every so many seconds (default: what PILEUS_PROGRESS says; 10 where "
         "the standard error is a terminal)")
      ->check(CLI::PositiveNumber);
  app.set_version_flag("--version", pileus::apps::version_lines());

  MpiProgram mpi(argc, argv);
  Joining joining;
  joining.is_server_program = true;
  try {
    app.parse(argc, argv);
    pileus::apps::parse_settings(arguments.settings);
    pileus::apps::overrule_environment(arguments);
  } catch (const CLI::ParseError& error) {
    const bool is_question = error.get_exit_code() == 0;
    if (is_alone_in_world()) return app.exit(error, std::cout, std::cerr) == 0 ? 0 : 1;
    joining.mistake = "pileus-server: ";
    joining.mistake += is_question ? "--help and --version serve nobody; leave them out" : error.what();
  } catch (const std::exception& error) {
    joining.mistake = std::string("pileus-server: ") + error.what();
  }
  bool is_well = true;
  std::vector<JoinedRun> runs;
  do {
    try {
      // A server with a mistake joins too: the model and the other servers wait for it, and learn of the
      // mistake.
      runs = join_run(world_communicator(), joining);
    } catch (const std::exception&) {
      return 1;  // every rank has the error, none waits, and one of them reports it
    }
    try {
      is_well = pileus::apps::serve(arguments, runs) && is_well;
    } catch (...) {
      log::error(text_of_current_exception());  // an error of MPI itself, as a server reports all others
      is_well = false;
    }
  } while (is_called_again(runs.front().first_model_rank));
  return is_well ? 0 : 1;
}
