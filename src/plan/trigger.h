#pragma once
// Upon what a trigger of the configuration begins and ends, and what then happens.

#include <cstdint>
#include <string>

#include "core/ids.h"

namespace pileus {

struct PlannedTrigger {
  std::string name;
  VariableId when = {}, until = {};  ///< numbers that are not 0 where they hold; not valid: there is none
  std::string event = {};            ///< the model's word that begins it; "": there is none
  double lasts_s = 0, at_most_every_s = 0;
  std::string command = {};  ///< "": none
  bool asks_for_checkpoint = false;
};

}  // namespace pileus
