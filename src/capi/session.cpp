#include "capi/session.h"

#include "core/error.h"
#include "core/log.h"
#include "plan/plan.h"

namespace pileus {

Session::Membership::~Membership() {
  try {
    leave_world(world);
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

Session::Session(const SessionSettings& settings) {
  if (settings.communicator) membership_.emplace(*settings.communicator);
  if (membership_ && !membership_->world.servers.empty())
    connect();
  else
    attach(settings);
  if (membership_) finalize_hook_ = std::make_unique<FinalizeHook>([this] { end_with_mpi(); });
}

Client& Session::client() {
  if (!client_) throw UsageError("the run has ended: MPI_Finalize was called before");
  return *client_;
}

/// The model has called MPI_Finalize: the servers have to hear of it while they still can.
void Session::end_with_mpi() {
  if (client_->state() != RunState::finished && client_->state() != RunState::failed)
    log::error("MPI_Finalize was called before pileus_finish: the run is broken off");
  client_.reset();
  mpi_endpoint_.reset();
  host_.reset();
  membership_.reset();
}

void Session::connect() {
  const MpiWorld& world = membership_->world;
  const Layout layout{static_cast<ClientRank>(world.clients.size()),
                      static_cast<ServerRank>(world.servers.size())};
  mpi_endpoint_ = make_mpi_endpoint(world.world_communicator);
  client_ =
      std::make_unique<Client>(*mpi_endpoint_, world.servers[layout.server_of(world.index)], world.index);
}

void Session::attach(const SessionSettings& settings) {
  if (membership_ && membership_->world.clients.size() > 1)
    throw UsageError(
        "pileus_start: the communicator has " + std::to_string(membership_->world.clients.size()) +
        " model ranks and no server; start pileus-server ranks beside the model, for example mpirun -n " +
        std::to_string(membership_->world.clients.size()) + " ./model : -n 1 pileus-server run.xml");
  if (!settings.configuration)
    throw UsageError(
        "pileus_start: there is no server, so the analysis runs inside the model and needs the path of "
        "the configuration; set it in the settings");
  host_ = std::make_unique<AttachedHost>(*settings.configuration, settings.directory);
  client_ = std::make_unique<Client>(host_->client_endpoint(), host_->server_peer(), 0);
}

std::optional<int> Session::model_communicator() const {
  if (!membership_) return std::nullopt;
  return membership_->world.model_communicator;
}

}  // namespace pileus
