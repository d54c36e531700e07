#pragma once
// Units as UDUNITS understands them.

#include <memory>
#include <string>

// NOLINTNEXTLINE(readability-identifier-naming): the name of UDUNITS.
union ut_unit;
// NOLINTNEXTLINE(readability-identifier-naming)
struct ut_system;

namespace pileus::apps {

/// Null: not known.
using Unit = std::shared_ptr<const ut_unit>;

class UnitSystem {
 public:
  UnitSystem();

  /// In bytes; UDUNITS is not asked of longer ones.
  static constexpr std::size_t kLongest = 1000;

  bool is_there() const { return system_ != nullptr; }
  /// Null for a text that is no unit, and for one that is too long.
  Unit parse(const std::string& text) const;
  Unit one() const;  ///< of a number without units

 private:
  std::shared_ptr<ut_system> system_;
};

// Null where an operand is null, or has an origin of its own as degrees Celsius have.
Unit product(const Unit& left, const Unit& right);
Unit quotient(const Unit& left, const Unit& right);
Unit power(const Unit& unit, int exponent);  ///< null too for exponents that no unit has
Unit square_root(const Unit& unit);          ///< null too where there is none

/// Whether values in one of them are the same numbers in the other.
bool are_equal(const Unit& left, const Unit& right);
/// Whether values in one of them can be converted to the other.
bool are_convertible(const Unit& left, const Unit& right);
/// In base units, as "m2 s-2".
std::string text(const Unit& unit);

}  // namespace pileus::apps
