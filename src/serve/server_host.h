#pragma once
// A server with everything that it needs in production: threads, files, the file library. Its host, a server
// rank or a model rank, calls poll() from the thread that owns the endpoint.

#include <cstddef>
#include <string>

#include "server/server.h"
#include "transport/endpoint.h"

namespace pileus {

struct HostSettings {
  ServerSettings server;
  std::size_t default_workers = 1;  ///< where the configuration has no thread_pool
  bool has_threads = true;          ///< false: all work is done in poll(), between messages
  bool polls_file_library = false;  ///< calls into the file library are made in poll() too
  bool has_the_process = false;     ///< no model may use a library of the process too
  std::string speaker;              ///< the name in what it logs; "": none
};

class ServerHost {
 public:
  /// Returns when nothing of the server runs any more; tasks that wait for messages are dropped.
  virtual ~ServerHost() = default;

  /// Lets the server go on. It never waits, except for work if it has no threads. True if it did anything.
  virtual bool poll() = 0;
  virtual bool is_finished() const = 0;
  /// Whether its tasks run or are queued, so that it will go on without any message.
  virtual bool is_working() const = 0;
  /// Whether commands run or tasks wait for their time, of which poll() alone learns.
  virtual bool is_watching() const = 0;
  /// True if the run was refused before its first step; errors() says why.
  virtual bool was_refused() const = 0;
  /// The errors of the whole run when it is finished, and of this server so far before that, while it is not
  /// working; "" if there were none. Valid until the next call.
  virtual const char* errors() = 0;
  virtual const char* report() = 0;
};

/// Makes a host, which the caller deletes. Errors: std::bad_alloc. REQUIRES: the endpoint outlives the host.
ServerHost* make_server_host(const HostSettings& settings, Endpoint& endpoint);

}  // namespace pileus
