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
constexpr const char* kPushdown = "PILEUS_PUSHDOWN";
constexpr const char* kCheckSharedPoints = "PILEUS_CHECK_SHARED_POINTS";

std::string_view word_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? text : "";
}

/// Whether it is set to what no word says.
bool is_no_word(const char* variable) {
  const std::string_view word = word_of(variable);
  return std::getenv(variable) != nullptr && word != "yes" && word != "no" && word != "auto";
}

}  // namespace

SharesMemory shares_memory() {
  const std::string_view word = word_of(kSharedMemory);
  return word == "yes" ? SharesMemory::yes : word == "no" ? SharesMemory::no : SharesMemory::automatic;
}

Pushdown pushdown_of_environment() { return pushdown(word_of(kPushdown)); }

bool checks_shared_points() { return word_of(kCheckSharedPoints) == "yes"; }

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
  for (const char* const variable : {kSharedMemory, kPushdown, kCheckSharedPoints}) {
    if (is_no_word(variable))
      mistakes.push_back(std::string(variable) + " is \"" + std::string(word_of(variable)) +
                         "\", which is none of \"yes\", \"no\" and \"auto\"; it is ignored");
  }
  if (std::string mistake = log::level_mistake(); !mistake.empty()) mistakes.push_back(std::move(mistake));
  return mistakes;
}

}  // namespace pileus
