#pragma once
// The way to the servers' half, which alone knows the file library.

#include <memory>

#include "serve/server_host.h"

namespace pileus {

/// Errors: PluginError if the servers' half is not to be had.
void require_serve_library();

/// REQUIRES: the endpoint outlives the host.
std::unique_ptr<ServerHost> new_server_host(const HostSettings& settings, Endpoint& endpoint);

}  // namespace pileus
