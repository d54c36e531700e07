#pragma once
// What the start of a job says to the settings of its servers.

#include <string>

#include "server/server.h"
#include "start/join_run.h"

namespace pileus {

inline void describe_server(const JoinedRun& run, ServerSettings& settings) {
  settings.clients = run.world.clients;
  settings.servers = run.world.servers;
  settings.self = run.world.index;
  settings.component = run.component;
  settings.of_components = run.of_components;
  settings.served_by = run.served_by;
  settings.placement = run.notes.lines;
  settings.placement_warnings = run.notes.warnings;
}

/// "server 1", "ocean server 1"
inline std::string speaker_of(const JoinedRun& run, const std::string& name) {
  return run.component.empty() ? name : run.component + " " + name;
}

}  // namespace pileus
