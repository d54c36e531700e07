#pragma once
// Each part of a server needs this state, from its first moment to its last.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "client/frames.h"
#include "core/error_list.h"
#include "hooks/processes.h"
#include "report/trace.h"
#include "server/failures.h"
#include "server/letters.h"
#include "server/server.h"
#include "state/folder_lock.h"

namespace pileus {

struct Wiring;

struct ServerState {
  /// `given`: overruled by the environment where that says something.
  ServerState(ServerSettings given, Endpoint& endpoint, FileSystem& file_system, FileFormat& file_format);
  ~ServerState();
  ServerState(const ServerState&) = delete;
  ServerState& operator=(const ServerState&) = delete;

  std::chrono::steady_clock::time_point now() const {
    return settings.now ? settings.now() : std::chrono::steady_clock::now();
  }
  bool is_first() const { return settings.self == 0; }
  void send_to_clients(const Bytes& frame) {
    for (ClientRank client : clients) letters.send_to_client(client, frame);
  }

  const ServerSettings settings;
  const std::unique_ptr<Trace> trace;              ///< null: nobody asks for one
  const std::unique_ptr<FileSystem> traced_files;  ///< null likewise
  FileSystem& files;
  FileFormat& format;
  const std::unique_ptr<Processes> own_processes;
  Processes& processes;
  const std::vector<ClientRank> clients;  ///< of this server
  ErrorList errors;
  Failures failures{errors};
  Letters letters;
  FolderLock lock;  ///< server 0: of the checkpoints
  std::map<ClientRank, FinishFrame> finished;
  std::uint64_t moved = 0;         ///< frames that came and may end a wait, and commands that ended
  std::unique_ptr<Wiring> wiring;  ///< null before there is a Plan
};

/// The seconds that an environment variable says, or else `otherwise`.
double seconds_of(const char* variable, double otherwise);

}  // namespace pileus
