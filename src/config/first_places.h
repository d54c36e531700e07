#pragma once
// Remembers where names that may be given only once were first given.

#include <map>
#include <optional>
#include <string>

#include "config/config.h"

namespace pileus {

class FirstPlaces {
 public:
  /// Where the name was given before. The first time it remembers the place and returns nothing.
  std::optional<Location> before(const Text& name) {
    const auto [place, is_first] = places_.emplace(name.value, name.where);
    return is_first ? std::nullopt : std::optional(place->second);
  }
  /// Where the name was first given; it remembers nothing.
  std::optional<Location> find(const std::string& name) const {
    const auto place = places_.find(name);
    return place == places_.end() ? std::nullopt : std::optional(place->second);
  }

 private:
  std::map<std::string, Location> places_;
};

}  // namespace pileus
