#pragma once
// The id of a run, by which its files and checkpoints are told from those of others.

#include <cstdio>
#include <random>
#include <string>

namespace pileus {

inline std::string new_run_id() {
  std::random_device random;
  char id[17];
  std::snprintf(id, sizeof id, "%08x%08x", random(), random());
  return id;
}

}  // namespace pileus
