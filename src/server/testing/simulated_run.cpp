#include "server/testing/simulated_run.h"
#include "server/testing/published_bytes.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "core/testing/temporary_directory.h"
#include "exec/simulation.h"
#include "formats/all/all_formats.h"
#include "formats/folders/folder_files.h"
#include "plan/plan.h"
#include "server/server.h"
#include "transport/in_process/in_process_network.h"

namespace pileus::testing {
namespace {

/// Start and end of part `i` of `n` indices in `parts` parts.
std::pair<Index, Index> cut(Index n, Index i, Index parts, bool is_uneven) {
  if (!is_uneven) return {n * i / parts, n * (i + 1) / parts};
  // Widths grow with the part: 1 + i shares each, and at least one index.
  auto edge = [&](Index k) { return k == parts ? n : k + (n - parts) * k * (k + 1) / (parts * (parts + 1)); };
  return {edge(i), edge(i + 1)};
}

bool poll(Server& server, const std::function<void(bool)>& on_poll) {
  if (on_poll) on_poll(true);
  const bool did_anything = server.poll();
  if (on_poll) on_poll(false);
  return did_anything;
}

}  // namespace

Region part_of_plane(Index ny, Index nx, ClientRank rank, ClientRank ranks, bool is_uneven) {
  Index rows = 1;
  for (Index r = 1; r * r <= ranks; ++r) {
    if (ranks % r == 0) rows = r;
  }
  const Index columns = ranks / rows;
  const auto [y0, y1] = cut(ny, rank % rows, rows, is_uneven);
  const auto [x0, x1] = cut(nx, rank / rows, columns, is_uneven);
  return {{y0, x0}, {y1 - y0, x1 - x0}};
}

SimulatedResult simulate(const SimulatedRun& run) {
  static const TemporaryDirectory scratch(fast_directory());
  static int runs = 0;
  SimulatedResult result;
  result.directory = run.directory;
  if (result.directory.empty()) {
    result.directory = scratch.path(std::to_string(runs++));
    std::filesystem::create_directory(result.directory);
  }
  const std::string configuration = result.directory + "/run.xml";
  std::ofstream(configuration) << run.configuration;
  if (run.prepare_directory) run.prepare_directory(result.directory);

  Simulation simulation(run.seed);
  InProcessNetwork network(run.ranks + run.servers);
  network.set_most_unreceived(run.most_unreceived);
  network.set_rest([&](Peer) { simulation.yield(); });
  network.set_order([&](Peer to, std::span<const Peer> candidates) {
    if (run.on_message) run.on_message(to);
    return static_cast<std::size_t>(simulation.random().below(candidates.size()));
  });
  const auto posix = posix_file_system();
  FileSystem& files = run.files ? *run.files : *posix;
  std::vector<std::unique_ptr<FileSystem>> folders;
  std::vector<std::unique_ptr<FileFormat>> formats;

  ServerSettings settings;
  settings.configuration = configuration;
  settings.directory = result.directory + (run.folder.empty() ? "" : "/" + run.folder);
  for (ClientRank rank = 0; rank < run.ranks; ++rank) settings.clients.push_back(rank);
  for (ServerRank server = 0; server < run.servers; ++server) settings.servers.push_back(run.ranks + server);

  const auto endpoint_of = [&](Peer peer) {
    std::unique_ptr<Endpoint> endpoint = network.endpoint(peer);
    return run.change_endpoint ? run.change_endpoint(std::move(endpoint)) : std::move(endpoint);
  };
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  std::vector<std::unique_ptr<Server>> servers;
  std::int64_t looks = 0;
  settings.defers = run.defers;
  settings.served_by = run.served_by;
  settings.patience_s = run.patience_s;
  settings.disk_patience = run.disk_patience;
  settings.processes = run.processes;
  settings.now = [&looks, &run] {
    if (run.on_time) run.on_time();
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(++looks));
  };
  settings.say_waits = run.on_waits;
  if (run.kill) *run.kill = [&simulation] { simulation.stop(); };
  if (run.rest) *run.rest = [&simulation] { simulation.yield(); };
  for (ServerRank server = 0; server < run.servers; ++server) {
    settings.self = server;
    endpoints.push_back(endpoint_of(run.ranks + server));
    const Pace pace = run.slow_server == server ? Pace::last : Pace::usual;
    const Pace disk_pace = run.is_disk_slow ? Pace::last : pace;
    const Pace library_pace = run.is_library_slow ? Pace::last : pace;
    const MakeExecutors executors = [&simulation, pace, library_pace, disk_pace,
                                     &run](std::optional<std::int64_t>) {
      const Pace spill_pace = run.is_spill_slow ? Pace::last : Pace::usual;
      return ServerExecutors{simulation.executor(pace), simulation.executor(library_pace),
                             simulation.executor(disk_pace),
                             run.spill_executor ? *run.spill_executor : simulation.executor(spill_pace)};
    };
    FileSystem* const own_files = run.files_of ? run.files_of(server) : nullptr;
    folders.push_back(std::make_unique<FolderFiles>(own_files ? *own_files : files));
    FileSystem& files_here = *folders.back();
    formats.push_back(all_formats(files_here, run.largest_packed_bytes));
    servers.push_back(
        std::make_unique<Server>(settings, *endpoints.back(), executors, files_here, *formats.back()));
    Server* actor = servers.back().get();
    simulation.add_actor(
        "server " + std::to_string(server), [actor, &run] { return poll(*actor, run.on_poll); },
        [actor] { return actor->is_finished(); }, pace);
  }
  result.model_errors.resize(run.ranks);
  const Layout layout{run.ranks, run.servers, run.served_by};
  for (ClientRank rank = 0; rank < run.ranks; ++rank) {
    simulation.add_fiber(
        "model rank " + std::to_string(rank),
        [&, rank] {
          const auto endpoint = endpoint_of(rank);
          try {
            Client client(*endpoint, run.ranks + layout.server_of(rank), rank);
            run.model(client, rank);
          } catch (const std::exception& error) {
            result.model_errors[rank] = error.what();
          }
        },
        run.slow_rank == rank ? Pace::last : Pace::usual);
  }
  simulation.run();

  result.errors = servers[0]->errors();
  result.report = servers[0]->report();
  result.figures = servers[0]->figures();
  std::filesystem::remove(configuration);
  for (const auto& entry : std::filesystem::directory_iterator(result.directory)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(".")) {
      result.leftovers.push_back(name);
    } else if (may_be_published(entry)) {
      result.files[name] = published_bytes(entry.path());
    }
  }
  return result;
}

}  // namespace pileus::testing
