#pragma once
// The way to the servers' half (serve/serve_library.h), which alone knows the file library. It is opened
// where a rank serves or hosts a server, and stays; beside libpileus, or where PILEUS_SERVE_LIBRARY says.

#include <memory>

#include "serve/server_host.h"

namespace pileus {

/// Opens it. Errors: PluginError if it is not to be had, or comes from another build.
void require_serve_library();
/// The model has loaded the very file library that the servers' half calls, which bears no two threads.
/// REQUIRES: require_serve_library().
bool shares_file_library();

/// REQUIRES: require_serve_library(), and the endpoint outlives the host.
std::unique_ptr<ServerHost> new_server_host(const HostSettings& settings, Endpoint& endpoint);

}  // namespace pileus
