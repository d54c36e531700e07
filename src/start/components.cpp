#include "start/components.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/error.h"

namespace pileus {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_in_name(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte < 128 && (std::isalnum(byte) != 0 || letter == '_' || letter == '-');
}

}  // namespace

std::uint64_t number_of_component(std::string_view name) {
  if (name.empty()) return 0;
  std::uint64_t number = 0xcbf29ce484222325;  // FNV-1a
  for (const char letter : name) number = (number ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return number;
}

std::vector<ComponentRanks> components_of(std::span<const Membership> ranks) {
  std::vector<ComponentRanks> components;
  for (Peer rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].is_server) continue;
    const std::uint64_t number = ranks[rank].component;
    if (std::ranges::find(components, number, &ComponentRanks::number) == components.end())
      components.push_back({number, rank, {}});
  }
  const auto unnamed = std::ranges::find(components, std::uint64_t{0}, &ComponentRanks::number);
  if (components.size() > 1 && unnamed != components.end()) {
    const auto& named = unnamed == components.begin() ? components[1] : components[0];
    throw UsageError("pileus_start: rank " + std::to_string(unnamed->first) +
                     " names no component, but rank " + std::to_string(named.first) +
                     " does; all model ranks of a communicator name theirs, or none");
  }
  for (ComponentRanks& component : components) {
    for (Peer rank = 0; rank < ranks.size(); ++rank) {
      if (ranks[rank].is_server || ranks[rank].component == component.number)
        component.members.push_back(rank);
    }
  }
  return components;
}

std::string mistake_in_component(std::string_view name) {
  const bool is_letter_first = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  if (name.empty() || (is_letter_first && name.size() <= kLongestName && !name.starts_with("step-") &&
                       std::ranges::all_of(name, is_in_name)))
    return "";
  return "the component \"" + std::string(name.substr(0, kLongestName)) +
         "\" is no name for one: a letter, and then letters, digits, \"_\" and \"-\", 64 at most; none "
         "begins with \"step-\", as checkpoints do";
}

}  // namespace pileus
