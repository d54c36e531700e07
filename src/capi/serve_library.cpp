#include "capi/serve_library.h"

namespace pileus {

void require_serve_library() {}

std::unique_ptr<ServerHost> new_server_host(const HostSettings& settings, Endpoint& endpoint) {
  return std::unique_ptr<ServerHost>(make_server_host(settings, endpoint));
}

}  // namespace pileus
