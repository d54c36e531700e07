// The calls of pileus.h about checkpoints and the runs that continue from them.

#include <algorithm>
#include <string>
#include <vector>

#include "capi/arguments.h"
#include "capi/boundary.h"
#include "core/error.h"
#include "core/log.h"
#include "pileus/pileus.h"
#include "start/components.h"
#include "state/checkpoint_folders.h"

namespace {

using pileus::guard;
using pileus::guard_session;
using pileus::require;
using pileus::Session;

}  // namespace

extern "C" {

pileus_status pileus_continue(pileus_run* handle, int64_t step) {
  return guard_session(handle, "pileus_continue", [&](Session& session) {
    session.client().continue_after(step);
    return PILEUS_OK;
  });
}

pileus_status pileus_count_anew(pileus_run* handle) {
  return guard_session(handle, "pileus_count_anew", [&](Session& session) {
    session.client().count_anew();
    return PILEUS_OK;
  });
}

pileus_status pileus_step(pileus_run* handle, int64_t* step) {
  return guard_session(handle, "pileus_step", [&](Session& session) {
    require(step, "pileus_step", "the place for the answer");
    *step = session.client().step().done();
    return PILEUS_OK;
  });
}

pileus_status pileus_checkpoints(const char* directory, int64_t* steps, int capacity, int* count) {
  return pileus_component_checkpoints(directory, nullptr, steps, capacity, count);
}

pileus_status pileus_component_checkpoints(const char* directory, const char* component, int64_t* steps,
                                           int capacity, int* count) {
  if (count == nullptr || capacity < 0 || (steps == nullptr && capacity > 0)) return PILEUS_ERROR_USAGE;
  *count = 0;
  pileus_run nobody;  // there is no handle, so the log gets the text
  const pileus_status status = guard(nobody, [&] {
    const std::string name = component != nullptr ? component : "";
    if (const std::string mistake = pileus::mistake_in_component(name); !mistake.empty())
      throw pileus::UsageError(mistake);
    const pileus::CheckpointHome home(directory != nullptr ? directory : ".", name);
    const std::vector<std::int64_t> all = pileus::complete_checkpoints(home);
    const std::size_t given = std::min(all.size(), static_cast<std::size_t>(capacity));
    std::copy(all.end() - static_cast<std::ptrdiff_t>(given), all.end(), steps);
    *count = static_cast<int>(all.size());
    return PILEUS_OK;
  });
  if (status != PILEUS_OK) pileus::log::error("pileus_checkpoints: " + std::string(nobody.errors.text()));
  return status;
}

pileus_status pileus_checkpoint_due(pileus_run* handle, int64_t step, double time_s, double length_s,
                                    int* due) {
  return guard_session(handle, "pileus_checkpoint_due", [&](Session& session) {
    require(due, "pileus_checkpoint_due", "the place for the answer");
    *due = static_cast<int>(session.client().checkpoint_due({step, time_s, length_s}));
    return PILEUS_OK;
  });
}

pileus_status pileus_event(pileus_run* handle, const char* word) {
  return guard_session(handle, "pileus_event", [&](Session& session) {
    require(word, "pileus_event", "the word");
    session.client().event(word);
    return PILEUS_OK;
  });
}

}  // extern "C"
