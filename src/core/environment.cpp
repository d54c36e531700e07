#include "core/environment.h"

#include <cstdlib>
#include <string>

#include "core/log.h"

namespace pileus {
namespace {

constexpr double kMostSeconds = 1e9;  // thirty years: "never", and no clock overflows

}  // namespace

std::optional<double> seconds_from_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*text != '\0' && *end == '\0' && seconds > 0 && seconds <= kMostSeconds) return seconds;
  log::warning(std::string(variable) + " is \"" + text +
               "\", which is no number of seconds up to 1e9; it is ignored");
  return std::nullopt;
}

}  // namespace pileus
