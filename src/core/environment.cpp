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

SharesMemory shares_memory() {
  const char* const text = std::getenv(kSharedMemory);
  const std::string_view word = text != nullptr ? text : "";
  return word == "yes" ? SharesMemory::yes : word == "no" ? SharesMemory::no : SharesMemory::automatic;
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
  if (shared != nullptr && std::string_view(shared) != "auto" && shares_memory() == SharesMemory::automatic)
    mistakes.push_back(std::string(kSharedMemory) + " is \"" + shared +
                       "\", which is none of \"yes\", \"no\" and \"auto\"; it is ignored");
  if (std::string mistake = log::level_mistake(); !mistake.empty()) mistakes.push_back(std::move(mistake));
  return mistakes;
}

}  // namespace pileus
