#pragma once
// Absences count what lacks in the records of a server, by variable.

#include <cstdint>
#include <map>
#include <string>

#include "plan/plan.h"
#include "report/report.h"

namespace pileus {

class Absences {
 public:
  explicit Absences(const Plan& plan) : plan_(plan) {}

  /// A part of a record without a value, or one that lacks so many of its samples.
  void add(VariableId variable, bool has_value, std::int64_t samples) {
    RunReport::Absences& absent = absent_[variable];
    if (!has_value) {
      ++absent.parts;
    } else {
      ++absent.partial_parts;
      absent.samples += samples;
    }
  }
  /// The counts by "FILE: VARIABLE".
  std::map<std::string, RunReport::Absences> named() const {
    std::map<std::string, RunReport::Absences> named;
    for (const auto& [id, absence] : absent_)
      named[plan_[plan_[id].file].name + ": " + plan_[id].name] = absence;
    return named;
  }

 private:
  const Plan& plan_;
  std::map<VariableId, RunReport::Absences> absent_;
};

}  // namespace pileus
