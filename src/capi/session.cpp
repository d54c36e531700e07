#include "capi/session.h"

#include <cstdio>

#include "capi/serve_library.h"
#include "core/error.h"
#include "core/few_heaps.h"
#include "core/log.h"
#include "math/exactness.h"
#include "serve/hosted_servers.h"
#include "serve/server_settings.h"
#include "start/share_of_cores.h"

namespace pileus {
namespace {

Joining joining_of(const SessionSettings& settings) {
  Joining joining;
  joining.is_chosen = settings.is_chosen;
  joining.can_serve = settings.can_serve;
  joining.servers = settings.servers;
  joining.configuration = settings.configuration;
  joining.directory = settings.directory;
  joining.component = settings.component;
  joining.prepare = require_exact;
  joining.prepare_to_serve = require_serve_library;
  joining.mistake = settings.mistake;
  return joining;
}

HostSettings host_settings(const JoinedRun& run) {
  HostSettings settings;
  settings.server.configuration = run.configuration;
  settings.server.directory = run.directory;
  describe_server(run, settings.server);
  settings.server.catches_signals = true;
  settings.has_the_process = true;
  settings.default_workers = run.default_workers;
  settings.has_threads = are_threads_allowed();
  settings.speaker = speaker_of(run, "server " + std::to_string(run.world.index));
  return settings;
}

/// REQUIRES: require_serve_library().
AttachedPlace place_of_library() {
  AttachedPlace place;
  place.make_host = new_server_host;
  place.polls_file_library = shares_file_library();
  return place;
}

}  // namespace

Session::Membership::~Membership() {
  try {
    for (JoinedRun& one : runs) {
      leave_world(one.world);
      leave_model(one.world);
    }
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

Session::Session(const SessionSettings& settings) {
  if (!settings.communicator) {
    require_exact();
    if (!settings.mistake.empty()) throw UsageError(settings.mistake);
    attach_alone(settings);
    client_->describe_model(settings.describe_model);
    return;
  }
  membership_.emplace(*settings.communicator, joining_of(settings));
  const MpiWorld& world = membership_->run().world;
  if (world.is_server) {
    serve();
    return;
  }
  if (world.servers.empty()) {
    attach();
  } else {
    connect();
  }
  client_->describe_model(settings.describe_model);
  finalize_hook_ = std::make_unique<FinalizeHook>([this] { end_with_mpi(); });
}

Client& Session::client() {
  if (served_)
    throw UsageError("this rank was a server, and the run is over; all that is left to do is pileus_free");
  if (!client_) throw UsageError("the run has ended: MPI_Finalize was called before");
  return *client_;
}

ClientTimes Session::times() const {
  if (served_) throw UsageError("pileus_time is for model ranks, and this rank was a server");
  return client_ ? client_->times() : last_times_;
}

void Session::commit() {
  try {
    client().commit();
  } catch (...) {
    if (client_ && client_->is_over()) end_transport();
    throw;
  }
}

void Session::finish() {
  const bool was_finished = client().state() == RunState::finished;
  try {
    client().finish();
  } catch (...) {
    if (!was_finished && client_->is_over()) end_transport();
    throw;
  }
  end_transport();
}

/// Called where all ranks are, so that a server need not stay until the last model rank calls pileus_free.
void Session::end_transport() {
  host_.reset();
  mpi_endpoint_.reset();
  if (membership_) leave_world(membership_->run().world);
}

/// The model has called MPI_Finalize: tells the servers while that is still possible.
void Session::end_with_mpi() {
  if (client_->state() != RunState::finished && !has_failed(client_->state()))
    log::error("MPI_Finalize was called before pileus_finish: the run is broken off");
  last_times_ = client_->times();
  client_.reset();
  mpi_endpoint_.reset();
  host_.reset();
  membership_.reset();
}

void Session::connect() {
  const MpiWorld& world = membership_->run().world;
  mpi_endpoint_ = make_node_endpoint(world.world_communicator);
  const ServerRank server = membership_->run().served_by[world.index];
  client_ = std::make_unique<Client>(*mpi_endpoint_, world.servers[server], world.index);
}

void Session::serve() {
  use_few_heaps();  // before the server starts threads
  std::vector<JoinedRun>& runs = membership_->runs;
  HostedServers servers;
  MpiEndpointSettings transport;
  transport.meanwhile = [&servers] { servers.go_on(); };
  for (const JoinedRun& run : runs) {
    auto endpoint = make_node_endpoint(run.world.world_communicator, transport);
    std::unique_ptr<ServerHost> host = new_server_host(host_settings(run), *endpoint);
    servers.add(std::move(host), std::move(endpoint));
  }
  served_.emplace();
  const auto at_end = [&](std::size_t number, ServerHost& host) {
    log::flush();
    if (runs[number].world.index == 0) {
      std::fputs(host.report(), stdout);
      std::fflush(stdout);
    }
    const std::string errors = host.errors();
    served_->was_refused = served_->was_refused || host.was_refused();
    served_->errors += (served_->errors.empty() || errors.empty() ? "" : "\n") + errors;
  };
  servers.serve(at_end, [&](std::size_t number) { leave_world(runs[number].world); });
}

void Session::attach_alone(const SessionSettings& settings) {
  if (!settings.configuration)
    throw UsageError(
        "pileus_start: there is no server, so the analysis runs inside the model and needs the path of "
        "the configuration; set it in the settings");
  require_serve_library();
  AttachedPlace place = place_of_library();
  place.configuration = *settings.configuration;
  place.directory = settings.directory;
  place.component = settings.component;
  const CoreUse alone{0, 0, true, true};
  place.default_workers = share_of_cores(alone, usable_cores().count, std::span(&alone, 1));
  host_ = std::make_unique<AttachedHost>(std::move(place));
  client_ = std::make_unique<Client>(host_->client_endpoint(), host_->server_peer(), 0);
}

void Session::attach() {
  const JoinedRun& run = membership_->run();
  AttachedPlace place = place_of_library();
  place.configuration = run.configuration;
  place.directory = run.directory;
  place.component = run.component;
  place.default_workers = run.default_workers;
  place.has_threads = are_threads_allowed();
  place.rank = run.world.index;
  place.ranks = static_cast<ClientRank>(run.world.clients.size());
  if (place.ranks > 1) place.between_hosts = make_mpi_endpoint(run.world.world_communicator);
  host_ = std::make_unique<AttachedHost>(std::move(place));
  client_ = std::make_unique<Client>(host_->client_endpoint(), host_->server_peer(), run.world.index);
}

std::optional<int> Session::model_communicator() const {
  if (!membership_) return std::nullopt;
  return membership_->run().world.model_communicator;
}

}  // namespace pileus
