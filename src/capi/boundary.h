#pragma once
// The C boundary: the only place where exceptions become a status and a text.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "capi/answered_wants.h"
#include "capi/error_texts.h"
#include "capi/session.h"
#include "math/fp_environment.h"
#include "pileus/pileus.h"

/// The handle. It is in the global namespace because pileus.h declares it there.
struct pileus_run {
  std::unique_ptr<pileus::Session> session;  ///< null if pileus_start failed
  pileus::ErrorTexts errors;
  std::unique_ptr<pileus::AnsweredWants> wants;    ///< null before pileus_wants
  std::string absent;                              ///< the fields that were not put in the last step
  std::set<std::vector<std::string>> told_absent;  ///< sets of absent fields that were reported already
};

namespace pileus {

/// Keeps the text of the exception that is being handled, and returns its status. REQUIRES: called in a catch
/// block.
pileus_status status_of_current_exception(pileus_run& handle) noexcept;

/// Runs `body`, whatever floating-point modes the model has set. An exception becomes the status and the
/// handle's text.
template <class Body>
pileus_status guard(pileus_run& handle, Body body) noexcept {
  const FloatingPointEnvironment exact;
  try {
    return body();
  } catch (...) {
    return status_of_current_exception(handle);
  }
}

/// Runs `body` on the session. Without a handle, or after a failed start, it returns an error instead.
template <class Body>
pileus_status guard_session(pileus_run* handle, const char* call, Body body) noexcept {
  if (handle == nullptr) return PILEUS_ERROR_USAGE;
  return guard(*handle, [&] {
    if (!handle->session) {
      const std::string before = handle->errors.text();
      const std::string why = before.substr(before.rfind('\n') + 1);
      throw UsageError(std::string(call) + " was called although pileus_start had failed:\n" + why);
    }
    return body(*handle->session);
  });
}

}  // namespace pileus
