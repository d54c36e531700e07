#include "serve/serve_library.h"

#include "formats/netcdf/netcdf_format.h"

const pileus::ServeLibrary* pileus_serve_library() {
  static const pileus::ServeLibrary library = {pileus::kServeBuild, pileus::file_library_addresses(),
                                               pileus::make_server_host};
  return &library;
}
