#pragma once
// One server of a run: takes what its clients hand over, analyses it with the other servers, publishes files.
// The only place that wires the rooms together. Whoever owns it calls poll() until it is finished; nothing in
// it ever waits.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"
#include "disk/file_system.h"
#include "exec/executor.h"
#include "files/file_lane.h"
#include "formats/format.h"
#include "transport/endpoint.h"

namespace pileus {

class Processes;
struct RunReport;

struct ServerSettings {
  std::string configuration;           ///< path of the XML file; read by server 0 alone
  std::string directory = ".";         ///< where files go
  std::vector<Peer> clients, servers;  ///< by rank
  ServerRank self = 0;
  /// The name of the component that it serves, where the job names them. Its checkpoints have a folder of
  /// this name, and figures, events, traces and logs names with it.
  std::string component = "";
  std::string run = "";           ///< id of a run that begins; "": chosen at random
  std::size_t of_components = 1;  ///< so many have servers in this process, and share what it may take
  std::vector<std::pair<std::string, std::string>> options;  ///< of --set; they overrule the model's
  /// The process has no other business: signals that the configuration names do not end it.
  bool catches_signals = false;
  /// It is on a model rank, in whose calls it is served.
  bool is_attached = false;
  /// Path of a JSON file for the run's figures; "": what the environment's PILEUS_REPORT names, if it does.
  std::string report = "";
  /// Path of a JSON file for the model's description (description/model_file.h), which server 0 writes before
  /// the Plan is made; "": what the environment's PILEUS_DESCRIBE_MODEL names, otherwise what the model does.
  std::string model_file = "";
  /// Values that are reduced between servers travel when a record needs them; false: at every step. The bits
  /// are the same. PILEUS_NO_DEFER in the environment, not empty, says false too.
  bool defers = true;
  /// The server says what it waits for when nothing has moved for so long. The environment's PILEUS_PATIENCE
  /// overrules it.
  double patience_s = 30;
  /// How long it is tried to write where a disk is full. The environment's PILEUS_DISK_PATIENCE overrules the
  /// whole time of files that do not wait for ever.
  DiskPatience disk_patience = {};
  /// Tests give the time, and a function that is told of waits in place of the log.
  std::function<std::chrono::steady_clock::time_point()> now = {};
  std::function<void(ServerRank, const std::string&)> say_waits = {};
  /// By ClientRank: its server; empty: blocks of neighbours (Layout).
  std::vector<ServerRank> served_by = {};
  /// What server 0 says of the placement of the ranks, and what of it should be otherwise.
  std::vector<std::string> placement = {}, placement_warnings = {};
  Processes* processes = nullptr;  ///< in place of those of the operating system; outlives the server
};

/// The server's work runs here. In production these are a thread pool, a lane of one thread for the file
/// library and a few threads that may block on the disk; in the simulation all of them are one seeded
/// executor.
struct ServerExecutors {
  Executor& workers;
  Executor& library;  ///< calls into the file library: one thread
  Executor& writers;  ///< tasks may block on the disk
  Executor& spill;    ///< likewise, on that of what is laid aside: one thread
  std::int64_t worker_threads = 1;
};

/// Gives the executors when the configuration is known. `threads`: what thread_pool asks for; nullopt: not
/// configured. They outlive the server.
using MakeExecutors = std::function<ServerExecutors(std::optional<std::int64_t> threads)>;

class Server {
 public:
  Server(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
         FileFormat& format);
  ~Server();

  /// Receives, sends and dispatches once. True if there was anything to do. Never waits.
  bool poll();
  /// True when the run is over on all servers and the clients have been told.
  bool is_finished() const;
  /// True while a task of the server runs or waits: it must not be destroyed before they have ended.
  bool is_working() const;
  /// Whether commands run or tasks wait for their time, of which poll() alone learns.
  bool is_watching() const;
  /// The run was refused before its first step.
  bool was_refused() const;
  /// Everything that went wrong in the run, one a line; "" if nothing did. Before the end of the run: what
  /// went wrong here so far. REQUIRES: no task runs.
  std::string errors() const;
  /// The report of the run for people, with files, times and bytes; "" if the run was refused.
  std::string report() const;
  /// The report as figures.
  const RunReport& figures() const;

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace pileus
