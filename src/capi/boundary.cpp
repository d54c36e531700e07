#include "capi/boundary.h"

#include <exception>

#include "core/error.h"

namespace pileus {
namespace {

pileus_status keep(pileus_run& handle, const char* what, pileus_status status) noexcept {
  handle.errors.keep(what, handle.session && handle.session->takes_puts_of_threads());
  return status;
}

}  // namespace

pileus_status status_of_current_exception(pileus_run& handle) noexcept {
  try {
    throw;
  } catch (const UsageError& error) {
    return keep(handle, error.what(), PILEUS_ERROR_USAGE);
  } catch (const ConfigError& error) {
    return keep(handle, error.what(), PILEUS_ERROR_CONFIG);
  } catch (const OutputError& error) {
    return keep(handle, error.what(), PILEUS_ERROR_OUTPUT);
  } catch (const TransportError& error) {
    return keep(handle, error.what(), PILEUS_ERROR_TRANSPORT);
  } catch (const std::bad_alloc&) {
    return keep(handle, "there is not enough memory", PILEUS_ERROR_INTERNAL);
  } catch (const std::exception& error) {
    return keep(handle, error.what(), PILEUS_ERROR_INTERNAL);
  } catch (...) {
    return keep(handle, "an error without a text", PILEUS_ERROR_INTERNAL);
  }
}

}  // namespace pileus
