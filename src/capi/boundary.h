#pragma once
// The C boundary: exceptions become a status and a text here, and nowhere else.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "capi/session.h"
#include "math/fp_environment.h"
#include "pileus/pileus.h"

/// The handle. Global, because pileus.h declares it so.
struct pileus_run {
  std::unique_ptr<pileus::Session> session;  ///< null if pileus_start failed
  std::string error;
  std::string absent;                              ///< what the last step went without
  std::set<std::vector<std::string>> told_absent;  ///< each set of fields is told once
};

namespace pileus {

/// What the exception that is being handled means at the C boundary. REQUIRES: called in a catch block.
pileus_status status_of_current_exception(std::string& text) noexcept;

/// Runs `body`, whatever floating-point modes the model has set; what it throws becomes the status and the
/// handle's text.
template <class Body>
pileus_status guard(pileus_run& handle, Body body) noexcept {
  const FloatingPointEnvironment exact;
  try {
    return body();
  } catch (...) {
    return status_of_current_exception(handle.error);
  }
}

/// Runs `body` on the session. Without a handle, or after a start that failed, it says so instead.
template <class Body>
pileus_status guard_session(pileus_run* handle, const char* call, Body body) noexcept {
  if (handle == nullptr) return PILEUS_ERROR_USAGE;
  return guard(*handle, [&] {
    if (!handle->session) {
      const std::string why = handle->error.substr(handle->error.rfind('\n') + 1);
      throw UsageError(std::string(call) + " was called although pileus_start had failed:\n" + why);
    }
    return body(*handle->session);
  });
}

}  // namespace pileus
