#pragma once
// How many ranks of a program a model or a configuration asks to serve.

#include <cstdint>

namespace pileus {

/// At most one of the numbers is set; 0 means that it is not asked for.
struct ServerCount {
  std::int64_t ratio = 0;       ///< one server for at most so many model ranks
  std::int64_t per_node = 0;    ///< so many servers on every node
  std::int64_t total = 0;       ///< so many servers altogether
  std::int64_t per_socket = 0;  ///< so many on every socket of every node that has ranks
  std::int64_t per_numa = 0;    ///< so many in every NUMA domain that has ranks

  bool is_given() const {
    return ratio != 0 || per_node != 0 || total != 0 || per_socket != 0 || per_numa != 0;
  }
  friend bool operator==(const ServerCount&, const ServerCount&) = default;
};

}  // namespace pileus
