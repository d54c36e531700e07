#include "server/server_state.h"

#include <cstdlib>

#include "core/environment.h"
#include "plan/plan.h"
#include "report/traced_files.h"
#include "server/wiring.h"

namespace pileus {
namespace {

ServerSettings with_environment(ServerSettings settings) {
  const char* const no_defer = std::getenv("PILEUS_NO_DEFER");
  if (no_defer != nullptr && *no_defer != '\0') settings.defers = false;
  settings.patience_s = seconds_of("PILEUS_PATIENCE", settings.patience_s);
  settings.disk_patience.total_s = seconds_of("PILEUS_DISK_PATIENCE", settings.disk_patience.total_s);
  return settings;
}

std::vector<ClientRank> clients_of(const ServerSettings& settings) {
  const Layout layout{static_cast<ClientRank>(settings.clients.size()),
                      static_cast<ServerRank>(settings.servers.size()), settings.served_by};
  std::vector<ClientRank> clients;
  for (ClientRank client = 0; client < layout.clients; ++client) {
    if (layout.server_of(client) == settings.self) clients.push_back(client);
  }
  return clients;
}

}  // namespace

double seconds_of(const char* variable, double otherwise) {
  return seconds_from_environment(variable).value_or(otherwise);
}

ServerState::ServerState(ServerSettings given, Endpoint& endpoint, FileSystem& file_system,
                         FileFormat& file_format)
    : settings(with_environment(std::move(given))),
      trace(trace_from_environment(settings.self, settings.component)),
      traced_files(trace ? make_traced_files(file_system, *trace) : nullptr),
      files(traced_files ? *traced_files : file_system),
      format(file_format),
      own_processes(posix_processes()),
      processes(settings.processes != nullptr ? *settings.processes : *own_processes),
      clients(clients_of(settings)),
      letters(settings, endpoint) {}

ServerState::~ServerState() = default;

}  // namespace pileus
