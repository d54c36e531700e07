#include "capi/serve_library.h"

#ifndef PILEUS_PLAIN_SERVE
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>

#include "core/error.h"
#include "pileus/pileus.h"
#include "serve/serve_library.h"
#endif

namespace pileus {

#ifdef PILEUS_PLAIN_SERVE

// Sanitizers do not work with a library that has symbols of its own, so both halves are linked into one.
void require_serve_library() {}
bool shares_file_library() { return false; }
std::unique_ptr<ServerHost> new_server_host(const HostSettings& settings, Endpoint& endpoint) {
  return std::unique_ptr<ServerHost>(make_server_host(settings, endpoint));
}

#else

namespace {

constexpr char kFileName[] = "libpileus_serve.so.0";
constexpr char kVariable[] = "PILEUS_SERVE_LIBRARY";

std::string path_of_object(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::string path_of_serve_library() {
  if (const char* given = std::getenv(kVariable); given != nullptr && *given != '\0') return given;
  const auto ours = reinterpret_cast<const void*>(&pileus_version);
  return std::filesystem::path(path_of_object(ours)).replace_filename(kFileName);
}

std::set<std::string> loaded_objects() {
  std::set<std::string> names;
  const auto add = [](dl_phdr_info* info, std::size_t, void* set) {
    static_cast<std::set<std::string>*>(set)->insert(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(add, &names);
  return names;
}

/// Whether the program, a preloaded library or a sanitizer has put its own malloc before that of the C
/// library. Deep binding would bypass it, and memory of one would be given back to the other.
bool is_malloc_replaced() {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (libc == nullptr) return false;
  const bool is_replaced = dlsym(libc, "malloc") != dlsym(RTLD_DEFAULT, "malloc");
  dlclose(libc);
  return is_replaced;
}

int binding() {
  if (!is_malloc_replaced()) return RTLD_DEEPBIND;
  for (const char* call : {"nc_create", "H5open"}) {
    if (dlsym(RTLD_DEFAULT, call) == nullptr) continue;
    throw PluginError(
        "pileus_start: this program replaces malloc and has a netCDF or HDF5 library of its own, "
        "from which that of Pileus cannot be kept apart then; use pileus-server ranks "
        "(mpirun -n 24 ./model : -n 2 pileus-server run.xml), or the malloc of the system");
  }
  return 0;
}

struct OpenedLibrary {
  const ServeLibrary* library = nullptr;
  bool is_file_library_shared = false;
};

OpenedLibrary open_library() {
  const std::string path = path_of_serve_library();
  const std::string how = "; it is looked for beside libpileus.so, or where the environment's " +
                          std::string(kVariable) + " says";
  const std::set<std::string> before = loaded_objects();
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | binding());
  if (handle == nullptr) {
    const char* why = dlerror();
    throw PluginError("pileus_start: the servers' half of Pileus cannot be opened: " +
                      std::string(why != nullptr ? why : path) + how);
  }
  const auto entry = reinterpret_cast<decltype(&pileus_serve_library)>(dlsym(handle, kServeSymbol));
  if (entry == nullptr)
    throw PluginError("pileus_start: " + path + " is not the servers' half of Pileus" + how);
  const ServeLibrary* const library = entry();
  if (std::string(library->build) != kServeBuild) {
    throw PluginError("pileus_start: " + path + " is of another build: it is Pileus " +
                      std::string(library->build) + ", libpileus.so is " + kServeBuild + how);
  }
  const bool is_shared = std::ranges::any_of(
      library->file_libraries, [&](const void* inside) { return before.contains(path_of_object(inside)); });
  return {library, is_shared};
}

/// The library belongs to the process. The first run that needs it opens it, and nobody closes it, as HDF5
/// leaves work to the end of the process.
const OpenedLibrary& opened_library() {
  static std::mutex mutex;  // guards `opened`: runs of several threads may begin at once
  static OpenedLibrary opened;
  const std::lock_guard lock(mutex);
  if (opened.library == nullptr) opened = open_library();
  return opened;
}

}  // namespace

void require_serve_library() { opened_library(); }
bool shares_file_library() { return opened_library().is_file_library_shared; }
std::unique_ptr<ServerHost> new_server_host(const HostSettings& settings, Endpoint& endpoint) {
  return std::unique_ptr<ServerHost>(opened_library().library->make_server_host(settings, endpoint));
}

#endif

}  // namespace pileus
