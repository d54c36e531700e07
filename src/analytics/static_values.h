#pragma once
// The static fields of one model rank: they come with its first step and are there in all others. In a run
// that continues they are those of the run before, and numbers that come must be equal. Texts may be others,
// as nothing is computed of them.

#include <vector>

#include "math/sample.h"
#include "plan/plan.h"

namespace pileus {

/// A piece of a static field as a checkpoint has it.
struct KeptStatic {
  FieldId field;
  Region region;
  Array values;  ///< of the field's type; its shape is that of the region
};

class StaticValues {
 public:
  /// `kept`: pieces of the run before, however that was spread over its ranks.
  StaticValues(const Plan& plan, ClientRank client, const std::vector<KeptStatic>& kept);

  /// What a rank hands over, or Absent: keeps a copy, so that the message goes back. Returns what counts.
  /// Errors: UsageError with the field's name if the run before had other numbers.
  Sample take(FieldId field, const Sample& sample);

  /// Absent where nothing has come.
  const Sample& operator[](FieldId field) const { return values_[field.index]; }
  /// What a checkpoint has to hold: each field whose values here are this rank's to keep.
  std::vector<KeptStatic> kept() const;
  std::size_t size_bytes() const;

 private:
  const Plan& plan_;
  ClientRank client_;
  std::vector<Sample> values_;  ///< by field
};

/// The part of `region` that the pieces of a field hold together; Absent if they lack some of it.
Sample assembled(const Region& region, ElementType type, const std::vector<const KeptStatic*>& pieces);

}  // namespace pileus
