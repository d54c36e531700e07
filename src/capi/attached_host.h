#pragma once
// A server inside the model's own process, for one model rank without servers of its own. Its workers and
// lanes are threads, its polling lane is the model's thread: the endpoint that the client gets polls the
// server whenever the client claims room, receives or rests.

#include <memory>
#include <string>

#include "output/file_system.h"
#include "output/format.h"
#include "server/server.h"
#include "server/server_threads.h"
#include "transport/endpoint.h"
#include "transport/in_process/in_process_network.h"

namespace pileus {

class AttachedHost {
 public:
  /// The configuration is read at commit.
  AttachedHost(std::string configuration, std::string directory);
  /// Lets the server end what it has to end after the client has said its last word, for ten idle seconds at
  /// most.
  ~AttachedHost();
  AttachedHost(const AttachedHost&) = delete;
  AttachedHost& operator=(const AttachedHost&) = delete;

  /// The model's side, for the thread that made the host.
  Endpoint& client_endpoint() { return *client_endpoint_; }
  Peer server_peer() const;

 private:
  class PollingEndpoint;

  bool poll();

  InProcessNetwork network_;
  std::unique_ptr<Endpoint> server_endpoint_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<FileFormat> format_;
  ServerThreads threads_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Endpoint> client_endpoint_;
};

}  // namespace pileus
