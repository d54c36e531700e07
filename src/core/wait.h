#pragma once
// Something that is not complete yet, and what it waits for. Its owner reports it to whoever looks at a run;
// nothing in the results depends on it.

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"

namespace pileus {

struct Wait {
  std::string subject;                ///< what waits: the same at every look
  std::vector<std::int64_t> numbers;  ///< its open steps or records, the oldest first; none: it has none
  std::string text;                   ///< a sentence about the first of these numbers
  FileId due_file = {};  ///< if valid, `numbers` are periods of this file to which no further record will
                         ///< come
};

}  // namespace pileus
