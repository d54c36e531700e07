#include "serve/server_host.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/component_path.h"
#include "core/log.h"
#include "formats/all/all_formats.h"
#include "formats/folders/folder_files.h"
#include "formats/netcdf/netcdf_format.h"
#include "math/exactness.h"
#include "math/fp_environment.h"
#include "serve/one_at_a_time_format.h"
#include "serve/polled_executor.h"
#include "server/server_threads.h"
#include "transport/shuffled_endpoint.h"

namespace pileus {
namespace {

/// The number in PILEUS_SHUFFLE, with which tests choose another order of the messages.
std::optional<std::uint64_t> order_of_messages() {
  const char* const text = std::getenv("PILEUS_SHUFFLE");
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

class OwnHost : public ServerHost {
 public:
  OwnHost(const HostSettings& settings, Endpoint& endpoint)
      : speaker_(settings.server.of_components > 1 ? settings.speaker : ""),
        has_threads_(settings.has_threads),
        polls_file_library_(settings.polls_file_library),
        disk_(posix_file_system()),
        files_(std::make_unique<FolderFiles>(*disk_)),
        format_(one_at_a_time(all_formats(*files_))),
        threads_(settings.default_workers),
        shuffled_(order_of_messages() ? shuffle(endpoint, *order_of_messages() + settings.server.self)
                                      : nullptr),
        server_(
            settings.server, shuffled_ ? *shuffled_ : endpoint,
            [this](std::optional<std::int64_t> configured) { return executors(configured); }, *files_,
            *format_) {
    if (settings.has_the_process) keep_no_freed_memory();
    if (speaker_.empty()) log::set_speaker(settings.speaker);  // one run of a process may follow another
    keep_log(settings.server);
  }
  ~OwnHost() override {
    // Tasks use the server, so they end first. A slow disk may hold one up.
    while (server_.is_working()) {
      if (!run_one()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  bool poll() override {
    const FloatingPointEnvironment exact;
    const log::SpeakerOfThread speaker(speaker_.empty() ? log::speaker_of_thread() : speaker_);
    const bool did_work = run_one();
    return server_.poll() || did_work;
  }
  bool is_finished() const override { return server_.is_finished(); }
  bool is_working() const override { return server_.is_working(); }
  bool is_watching() const override { return server_.is_watching(); }
  bool was_refused() const override { return server_.was_refused(); }
  const char* errors() override { return (errors_ = server_.errors()).c_str(); }
  const char* report() override { return (report_ = server_.report()).c_str(); }

 private:
  /// Servers of several components in one process have one log.
  static void keep_log(const ServerSettings& server) {
    const char* const named = std::getenv("PILEUS_LOG_FILE");
    if (named == nullptr || *named == '\0') return;
    const std::string file = server.of_components > 1 ? named : path_of_component(named, server.component);
    log::set_file(server.self == 0 ? file : file + "." + std::to_string(server.self));
  }

  bool run_one() { return polled_.run_one(); }

  ServerExecutors executors(std::optional<std::int64_t> configured) {
    if (has_threads_) {
      const ServerExecutors own = threads_.start(configured);
      if (!polls_file_library_) return own;
      log::info("the model uses the same file library: the server calls it in the model's thread");
      return {own.workers, polled_, own.writers, own.spill};
    }
    require_exact();
    log::warning(
        "this MPI allows no threads beside it (it was not initialised with MPI_THREAD_FUNNELED): the "
        "server does all its work between messages");
    return {polled_, polled_, polled_, polled_};
  }

  std::string speaker_;  ///< "": that of the process
  bool has_threads_, polls_file_library_;
  std::unique_ptr<FileSystem> disk_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<FileFormat> format_;
  ServerThreads threads_;
  PolledExecutor polled_;
  std::unique_ptr<Endpoint> shuffled_;  ///< null: messages come in their own order
  Server server_;
  std::string errors_, report_;
};

}  // namespace

ServerHost* make_server_host(const HostSettings& settings, Endpoint& endpoint) {
  const FloatingPointEnvironment exact;
  return new OwnHost(settings, endpoint);
}

}  // namespace pileus
