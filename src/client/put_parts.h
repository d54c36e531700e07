#pragma once
// Fields that a model hands over part by part, one for each index of the last dimension: which parts came in
// this step.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model_description.h"

namespace pileus {

class PutParts {
 public:
  /// Nothing came in the next step yet.
  void clear();
  /// Whether a part of the field has come.
  bool has_any(int field) const;
  /// Errors: UsageError if the field has no last dimension that this rank holds `part` of (from 0), or the
  /// part came already.
  void require_missing(int field, const ModelField& registered, Index part, std::int64_t step) const;
  /// Returns whether all parts are there with this one.
  bool add(int field, const ModelField& registered, Index part);
  /// "q, parts 2 and 3 of 3"; a field without any part, or with all, has its name alone.
  std::string text(int field, const ModelField& registered) const;

 private:
  struct Came {
    std::vector<bool> is_there;  ///< by part
    Index count = 0;
  };
  const Came* find(int field) const;

  std::map<int, Came> came_;  ///< of fields that ever came in parts; memory is kept from step to step
};

}  // namespace pileus
