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
