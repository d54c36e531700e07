#pragma once
// What pileus_wants was answered, in the form in which C reads it: the arrays and texts stay where they are
// until the next question.

#include <string>
#include <vector>

#include "core/wants.h"
#include "pileus/pileus.h"

namespace pileus {

class AnsweredWants {
 public:
  /// Errors: UsageError for more fields than an int counts.
  explicit AnsweredWants(Wants wants);
  AnsweredWants(const AnsweredWants&) = delete;
  AnsweredWants& operator=(const AnsweredWants&) = delete;

  int definitions() const { return static_cast<int>(definitions_.size()); }
  int fields() const { return static_cast<int>(fields_.size()); }
  /// Fill in as much as the caller's structure has room for. Errors: UsageError for a number that does not
  /// exist, and for a size that is not set.
  void describe(int number, pileus_definition* definition) const;
  void describe(int number, pileus_wanted_field* field) const;

 private:
  void add_field(const WantedField& field);

  const Wants wants_;
  std::vector<std::vector<const char*>> dimensions_;  ///< by field
  std::vector<std::vector<double>> seconds_;
  std::vector<std::vector<std::int64_t>> months_;
  std::vector<pileus_definition> definitions_;
  std::vector<pileus_wanted_field> fields_;
};

}  // namespace pileus
