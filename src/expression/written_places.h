#pragma once
// Where a part of a value stands in the configuration, behind the {options} and entities before it. Used by
// the stages that need no model, for findings.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace pileus::planning {

/// Remembers where the lines of texts begin, and all places of the value that was asked for last.
class WrittenPlaces {
 public:
  /// The place of byte `offset` of `text`; where the text begins if it cannot be followed.
  /// REQUIRES: always the same Config.
  Location inside(const Config& config, const Text& text, std::size_t offset);

 private:
  struct Place {
    int line = 0, column = 0;
  };

  std::size_t begin_of(const std::string& text, int line);
  void follow(const Config& config, const Text& text);

  std::map<const std::string*, std::vector<std::size_t>> begins_;
  Location followed_;
  std::string value_;
  std::vector<Place> places_;  ///< by offset in the value, as far as it can be followed, and of its end
};

/// The same for one place.
Location inside(const Config& config, const Text& text, std::size_t offset);

}  // namespace pileus::planning
