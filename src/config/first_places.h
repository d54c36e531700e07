#pragma once
// Names that may be given only once, and where each was given first.

#include <map>
#include <optional>
#include <string>

#include "config/config.h"

namespace pileus {

class FirstPlaces {
 public:
  /// Where the name was given before; nothing if this is the first time, which is then remembered.
  std::optional<Location> before(const Text& name) {
    const auto [place, is_first] = places_.emplace(name.value, name.where);
    return is_first ? std::nullopt : std::optional(place->second);
  }
  /// Where the name was given, without giving it.
  std::optional<Location> find(const std::string& name) const {
    const auto place = places_.find(name);
    return place == places_.end() ? std::nullopt : std::optional(place->second);
  }

 private:
  std::map<std::string, Location> places_;
};

}  // namespace pileus
