#pragma once
// Commands of the user's, run beside the server: what on_publish names. Behind an interface, so that tests
// run none. They are started without fork(2), which MPI libraries do not bear: memory that the network has
// registered would be copied.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pileus {

class Processes {
 public:
  using Number = std::int64_t;  ///< of the operating system
  using Environment = std::vector<std::pair<std::string, std::string>>;

  /// Runs `command "argument"` in a shell. What `environment` says is added to the server's own, of which
  /// what ties a process to an MPI job is left out. May block on the disk, for a moment.
  /// Errors: Error with the reason of the system.
  virtual Number start(const std::string& command, const std::string& argument,
                       const Environment& environment) = 0;

  /// Never waits. nullopt while it runs; then, once, "" or how it ended otherwise: "exit status 3".
  virtual std::optional<std::string> ended(Number process) = 0;

  virtual ~Processes() = default;
};

/// Those of the operating system.
std::unique_ptr<Processes> posix_processes();

}  // namespace pileus
