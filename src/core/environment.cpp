#include "core/environment.h"

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/log.h"

namespace pileus {
namespace {

constexpr double kMostSeconds = 1e9;  // thirty years mean "never", and no clock overflows
constexpr std::array<const char*, 4> kSeconds = {"PILEUS_PATIENCE", "PILEUS_PROGRESS", "PILEUS_DISK_PATIENCE",
                                                 "PILEUS_GIVE_UP"};

constexpr const char* kSharedMemory = "PILEUS_SHARED_MEMORY";

}  // namespace

bool may_share_memory() {
  const char* const text = std::getenv(kSharedMemory);
  return text != nullptr && std::string_view(text) == "yes";
}

std::optional<double> seconds_from_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*text != '\0' && *end == '\0' && seconds > 0 && seconds <= kMostSeconds) return seconds;
  return std::nullopt;
}

std::vector<std::string> mistakes_of_environment() {
  std::vector<std::string> mistakes;
  for (const char* const variable : kSeconds) {
    const char* const text = std::getenv(variable);
    if (text == nullptr || seconds_from_environment(variable)) continue;
    mistakes.push_back(std::string(variable) + " is \"" + text +
                       "\", which is no number of seconds up to 1e9; it is ignored");
  }
  const char* const shared = std::getenv(kSharedMemory);
  if (shared != nullptr && std::string_view(shared) != "no" && std::string_view(shared) != "yes")
    mistakes.push_back(std::string(kSharedMemory) + " is \"" + shared +
                       "\", which is neither \"yes\" nor \"no\"; it is ignored");
  if (std::string mistake = log::level_mistake(); !mistake.empty()) mistakes.push_back(std::move(mistake));
  return mistakes;
}

}  // namespace pileus
