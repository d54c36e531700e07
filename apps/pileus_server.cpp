// pileus-server: one server of a run that was started as two programs,
//   mpirun -n 24 ./model : -n 2 pileus-server run.xml

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <thread>

#include "apps/settings.h"
#include "core/error.h"
#include "core/log.h"
#include "exec/seeded_executor.h"
#include "output/netcdf/netcdf_format.h"
#include "server/server.h"
#include "server/server_threads.h"
#include "transport/mpi/mpi_endpoint.h"
#include "transport/mpi/mpi_start.h"

namespace pileus::apps {
namespace {

struct Arguments {
  std::string configuration;
  std::string directory = ".";
  std::vector<std::string> settings;
  std::size_t workers = 0;
};

/// Serves until the run is over; true if nothing went wrong.
bool serve(const Arguments& arguments, const MpiWorld& world, const MpiProgram& mpi) {
  ServerSettings settings;
  settings.configuration = arguments.configuration;
  settings.directory = arguments.directory;
  settings.clients = world.clients;
  settings.servers = world.servers;
  settings.self = world.index;
  settings.options = parse_settings(arguments.settings);
  log::set_speaker("server " + std::to_string(world.index));

  const auto endpoint = make_mpi_endpoint(world.world_communicator);
  const auto files = posix_file_system();
  const auto format = netcdf_format(*files);
  ServerThreads threads(arguments.workers > 0 ? arguments.workers : default_worker_count());
  SeededExecutor inline_work(0);
  const MakeExecutors make_executors = [&](std::optional<std::int64_t> configured) {
    if (mpi.is_funneled()) return threads.start(configured);
    log::warning("this MPI allows no threads beside it: the server does all work between its messages");
    return ServerExecutors{inline_work, inline_work, inline_work};
  };
  Server server(settings, *endpoint, make_executors, *files, *format);
  // Tasks use the server: whatever ends this function, they end first.
  struct Rest {
    const Server& server;
    ~Rest() {
      while (server.is_working()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } rest{server};
  while (!server.is_finished()) {
    const bool did_work = inline_work.run_one();
    if (!server.poll() && !did_work) endpoint->rest(std::chrono::microseconds(100));
  }
  if (world.index == 0) std::cout << server.report() << std::flush;
  return server.errors().empty();
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
  app.add_option(
      "--workers", arguments.workers,
      "threads that analyse (default: the cores less one); thread_pool in the configuration overrules it");
  app.set_version_flag("--version", PILEUS_VERSION);

  MpiProgram mpi(argc, argv);
  try {
    app.parse(argc, argv);
    pileus::apps::parse_settings(arguments.settings);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
    // The model waits to be joined: a server that does not come has to end the whole job.
    if (status != 0) mpi.abort(status);
    return status;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    mpi.abort(2);
  }
  try {
    MpiWorld world = join_world(mpi.world(), true);
    const bool is_well = pileus::apps::serve(arguments, world, mpi);
    leave_world(world);
    return is_well ? 0 : 1;
  } catch (const std::exception& error) {
    log::error(error.what());
    mpi.abort(1);
  }
}
