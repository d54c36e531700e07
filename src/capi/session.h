#pragma once
// What a handle of pileus.h stands for: how this rank reaches its server, and the client that talks to it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "capi/attached_host.h"
#include "client/client.h"
#include "transport/mpi/finalize_hook.h"
#include "transport/mpi/mpi_endpoint.h"
#include "transport/mpi/mpi_start.h"

namespace pileus {

struct SessionSettings {
  std::optional<std::string> configuration;  ///< path of the XML file
  std::string directory = ".";
  std::optional<int> communicator;  ///< Fortran handle
};

class Session {
 public:
  /// Collective over the communicator if there is one.
  /// Errors: UsageError if nobody serves and this rank alone cannot; ConfigError; TransportError.
  explicit Session(const SessionSettings& settings);

  /// Errors: UsageError after MPI_Finalize.
  Client& client();
  const Client& client() const { return const_cast<Session*>(this)->client(); }
  /// Fortran handle of a communicator of the model ranks; nothing without MPI.
  std::optional<int> model_communicator() const;

 private:
  /// This rank's place among model ranks and servers, left when it goes.
  struct Membership {
    explicit Membership(int communicator) : world(join_world(communicator, false)) {}
    ~Membership();
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;
    MpiWorld world;
  };

  void end_with_mpi();
  void attach(const SessionSettings& settings);
  void connect();

  // In the order of construction: the client says its last word while everything else is still there.
  std::optional<Membership> membership_;
  std::unique_ptr<AttachedHost> host_;
  std::unique_ptr<Endpoint> mpi_endpoint_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<FinalizeHook> finalize_hook_;
};

}  // namespace pileus
