#pragma once
// Opens the servers' half of Pileus (serve/serve_library.h), which alone knows the file library. A rank opens
// it when it serves or hosts a server, and never closes it. It lies beside libpileus, or where
// PILEUS_SERVE_LIBRARY says.

#include <memory>

#include "serve/server_host.h"

namespace pileus {

/// Opens the library. Errors: PluginError if it cannot be opened or comes from another build.
void require_serve_library();
/// Whether the model has loaded the very file library that the servers' half calls, which two threads must
/// not use at once.
/// REQUIRES: require_serve_library().
bool shares_file_library();

/// Makes a server. REQUIRES: require_serve_library(), and the endpoint outlives the host.
std::unique_ptr<ServerHost> new_server_host(const HostSettings& settings, Endpoint& endpoint);

}  // namespace pileus
