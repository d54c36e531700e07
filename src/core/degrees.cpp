#include "core/degrees.h"

#include <algorithm>

namespace pileus {
namespace {

bool is_towards(std::string_view units, std::string_view direction) {
  const auto found = direction_of_degrees(units);
  return found && (*found == direction || *found == direction.substr(0, 1));
}

}  // namespace

std::optional<std::string> direction_of_degrees(std::string_view units) {
  std::string rest(units);
  std::ranges::transform(rest, rest.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (rest == "deg") return "";
  if (!rest.starts_with("degree")) return std::nullopt;
  rest.erase(0, 6);
  if (rest.starts_with("s") && rest != "south") rest.erase(0, 1);
  if (rest.starts_with("_")) rest.erase(0, 1);
  return rest;
}

bool are_degrees_north(std::string_view units) { return is_towards(units, "north"); }
bool are_degrees_east(std::string_view units) { return is_towards(units, "east"); }

}  // namespace pileus
