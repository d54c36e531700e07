#pragma once
// What is not complete yet and for what it waits, as those who know tell those who look at a run. Nothing in
// the results depends on it.

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"

namespace pileus {

struct Wait {
  std::string subject;                ///< what waits: the same at every look
  std::vector<std::int64_t> numbers;  ///< of it, what is open: steps, records; the oldest first
  std::string text;                   ///< a sentence about the first of these
  FileId due_file = {};  ///< numbers are its periods, of which no record will follow; not valid otherwise
};

}  // namespace pileus
