#pragma once
// A whole run in one thread: M model ranks as fibers, N servers as actors, one seeded executor, messages that
// arrive in any order. For tests of what a run publishes and says.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "core/region.h"
#include "disk/file_system.h"
#include "exec/executor.h"
#include "files/file_lane.h"
#include "hooks/processes.h"
#include "report/report.h"
#include "transport/budget.h"
#include "transport/endpoint.h"

namespace pileus::testing {

/// The part of a y,x domain that a rank has: as even as can be, or with widths that differ as much as they
/// may.
Region part_of_plane(Index ny, Index nx, ClientRank rank, ClientRank ranks, bool is_uneven);

struct SimulatedRun {
  std::string configuration;  ///< the XML
  ClientRank ranks = 1;
  ServerRank servers = 1;
  std::vector<ServerRank> served_by = {};  ///< by model rank, the first 0; empty: blocks of neighbours
  std::uint64_t seed = 1;
  /// The model rank's whole life, from registration to finish.
  std::function<void(Client&, ClientRank)> model;
  FileSystem* files = nullptr;  ///< default: the system's
  Index largest_packed_bytes = Index{4} << 20;
  bool defers = true;  ///< reductions between servers wait for the record that needs them
  /// The disk of one server, where they have several; null: `files`.
  std::function<FileSystem*(ServerRank)> files_of;

  /// What is made of the endpoint of each model rank, and of each server, whose number comes after all ranks.
  std::function<std::unique_ptr<Endpoint>(std::unique_ptr<Endpoint>)> change_endpoint;

  /// How many messages of a pair may be on their way.
  std::size_t most_unreceived = kMostUnreceived;

  /// These move only when nothing else does: the server's messages and tasks, the rank, all that may block on
  /// the disk, the file library's lane.
  std::optional<ServerRank> slow_server;
  std::optional<ClientRank> slow_rank;
  bool is_disk_slow = false;
  bool is_library_slow = false;
  bool is_spill_slow = false;
  Executor* spill_executor = nullptr;  ///< whose tasks the test runs itself, perhaps by `on_time`

  /// How long is waited for space on a full disk, of the simulated time.
  DiskPatience disk_patience = {0.002, 0.02, 0.2};
  /// Seconds of simulated time. A millisecond passes with every look of a server that finds nothing to do.
  double patience_s = 1e9;
  /// Is told what a server waits for when nothing has moved for so long.
  std::function<void(ServerRank, const std::string&)> on_waits;
  /// Is called when a model rank takes a message, or a server, whose number comes after all ranks.
  std::function<void(Peer)> on_message;
  /// Is called before (true) and after (false) each turn of a server's lane.
  std::function<void(bool)> on_poll;
  /// Is called in a turn of a server's lane, whenever it asks for the time.
  std::function<void()> on_time;
  /// Set by simulate(): lets others go on, for a model rank that waits for something else.
  std::function<void()>* rest = nullptr;
  /// Set by simulate(): the whole job is killed after what runs now.
  std::function<void()>* kill = nullptr;
  /// The directory of a run before, which this one continues in; "": a new one.
  std::string directory;
  /// Called with the directory of the files before the run.
  std::function<void(const std::string&)> prepare_directory;
  Processes* processes = nullptr;  ///< that on_publish starts
  std::string folder;              ///< where in that directory the servers write; nobody makes it
};

struct SimulatedResult {
  std::map<std::string, std::string> files;  ///< published files: bytes by name
  std::vector<std::string> leftovers;        ///< other names in the directory
  std::vector<std::string> model_errors;     ///< by rank: what finish or another call threw; "" if nothing
  std::string errors;                        ///< of server 0
  std::string report;
  RunReport figures;
  std::string directory;  ///< where the files are until the process ends
};

/// Errors: Error that names who waits if the run stands still.
SimulatedResult simulate(const SimulatedRun& run);

}  // namespace pileus::testing
