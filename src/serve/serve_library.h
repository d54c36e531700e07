#pragma once
// The only door between the model's half of Pileus and the servers' half, a shared object of its own that
// alone links the file library (architecture D17). Exceptions of the standard library and of core/error.h may
// pass it; the side that allocated memory also frees it.

#include <array>

#include "serve/server_host.h"

namespace pileus {

/// What the shared object offers. `build` comes first in every version, and is compared before anything else.
struct ServeLibrary {
  const char* build;
  std::array<const void*, 2> file_libraries;  ///< an address within each file library that it calls
  ServerHost* (*make_server_host)(const HostSettings& settings, Endpoint& endpoint);
};

/// The build of the half that asks: version, compiler, and a hash of the headers whose types pass the door.
inline constexpr char kServeBuild[] = PILEUS_VERSION " (" PILEUS_SERVE_INTERFACE ", GCC " __VERSION__ ")";
inline constexpr char kServeSymbol[] = "pileus_serve_library";

}  // namespace pileus

extern "C" const pileus::ServeLibrary* pileus_serve_library();
