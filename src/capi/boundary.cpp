#include "capi/boundary.h"

#include <exception>

#include "core/error.h"

namespace pileus {
namespace {

pileus_status keep(std::string& text, const char* what, pileus_status status) noexcept {
  try {
    text = what;
  } catch (...) {
    text.clear();  // there is no memory for the text, so the status has to be enough
  }
  return status;
}

}  // namespace

pileus_status status_of_current_exception(std::string& text) noexcept {
  try {
    throw;
  } catch (const UsageError& error) {
    return keep(text, error.what(), PILEUS_ERROR_USAGE);
  } catch (const ConfigError& error) {
    return keep(text, error.what(), PILEUS_ERROR_CONFIG);
  } catch (const OutputError& error) {
    return keep(text, error.what(), PILEUS_ERROR_OUTPUT);
  } catch (const TransportError& error) {
    return keep(text, error.what(), PILEUS_ERROR_TRANSPORT);
  } catch (const std::bad_alloc&) {
    return keep(text, "there is not enough memory", PILEUS_ERROR_INTERNAL);
  } catch (const std::exception& error) {
    return keep(text, error.what(), PILEUS_ERROR_INTERNAL);
  } catch (...) {
    return keep(text, "an error without a text", PILEUS_ERROR_INTERNAL);
  }
}

}  // namespace pileus
