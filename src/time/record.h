#pragma once
// A value that is ready for a file: what one server holds of one record of one variable.

#include <memory>
#include <optional>
#include <vector>

#include "core/array.h"
#include "core/ids.h"
#include "time/schedule_cursor.h"

namespace pileus {

struct Record {
  VariableId variable;
  RecordMark mark;
  Region region;               ///< the part of the variable that this is, in global indices
  std::optional<Array> value;  ///< nullopt: every sample was absent
  std::shared_ptr<const void>
      ballast;  ///< what stays in memory until the record is written, so that senders wait
  std::int64_t absent_samples = 0;  ///< of its window: it is made of the others
};

/// The records that a stream makes in one step go on together.
using Records = std::vector<Record>;

}  // namespace pileus
