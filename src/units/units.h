#pragma once
// Units, as UDUNITS understands them.

#include <memory>
#include <string>

// NOLINTNEXTLINE(readability-identifier-naming): the name of UDUNITS.
union ut_unit;
// NOLINTNEXTLINE(readability-identifier-naming)
struct ut_system;

namespace pileus {

/// Null if the units are not known.
using Unit = std::shared_ptr<const ut_unit>;

class UnitSystem {
 public:
  UnitSystem();

  /// UDUNITS is not asked about longer texts, in bytes.
  static constexpr std::size_t kLongest = 1000;

  bool is_there() const { return system_ != nullptr; }
  /// The unit that a text names; null if it is none or too long.
  Unit parse(const std::string& text) const;
  Unit one() const;  ///< the unit of numbers without units

 private:
  std::shared_ptr<ut_system> system_;
};

// These are null if an operand is null, or has an origin of its own, as degrees Celsius have.
Unit product(const Unit& left, const Unit& right);
Unit quotient(const Unit& left, const Unit& right);
Unit power(const Unit& unit, int exponent);  ///< also null for exponents that no unit has
Unit square_root(const Unit& unit);          ///< also null if there is none

/// Whether values in either unit are the same numbers in the other.
bool are_equal(const Unit& left, const Unit& right);
/// Whether values in either unit can be converted to the other.
bool are_convertible(const Unit& left, const Unit& right);
/// The unit in base units, such as "m2 s-2".
std::string text(const Unit& unit);

/// How numbers in one unit become those in another: times `factor`, plus `offset`.
struct UnitChange {
  double factor = 1, offset = 0;
  friend bool operator==(const UnitChange&, const UnitChange&) = default;
};

/// Errors: UsageError that says which of the units is not known, or that one cannot become the other: also
/// for scales that are not straight, such as dBZ.
UnitChange change_of_units(const std::string& from, const std::string& to);

}  // namespace pileus
