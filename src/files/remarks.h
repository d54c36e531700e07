#pragma once
// What a file says of itself that is known only when no record of it follows. Its owner writes it at the end,
// and explain foresees how long it is.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/format.h"
#include "plan/plan.h"

namespace pileus {

/// The step after which no record of a file follows.
struct LastStep {
  std::int64_t index = 0;  ///< of the step that the model has done
  double time_s = 0;
  friend bool operator==(const LastStep&, const LastStep&) = default;
};

/// An attribute of a file, or of one of its variables, that is added at its end.
struct Remark {
  std::string name, text;
  std::optional<std::uint32_t> variable = {};  ///< of the file; then `of_variable` is what is added
  FileAttribute of_variable = {};
  friend bool operator==(const Remark&, const Remark&) = default;
};

/// "MONC time" and "MONC timestep" where the file has them. Numbers are texts in MONC's form, and a time has
/// ten decimals, of which zeros at the end are left out but for two: "120.00".
std::vector<Remark> remarks_of_end(const PlannedFile& file, const LastStep& last);

}  // namespace pileus
