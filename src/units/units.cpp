#include "units/units.h"

#include <udunits2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/error.h"

namespace pileus {
namespace {

constexpr int kLargestExponent = 100;

Unit owned(ut_unit* unit) {
  if (!unit) return nullptr;
  return {unit, [](const ut_unit* one) { ut_free(const_cast<ut_unit*>(one)); }};
}

bool has_origin(const Unit& unit) { return text(unit).find('@') != std::string::npos; }

bool can_multiply(const Unit& unit) { return unit && !has_origin(unit); }

}  // namespace

UnitSystem::UnitSystem() {
  ut_set_error_message_handler(ut_ignore);
  if (ut_system* const system = ut_read_xml(nullptr)) system_ = {system, ut_free_system};
}

Unit UnitSystem::parse(const std::string& text) const {
  if (text.size() > kLongest) return nullptr;
  return owned(ut_parse(system_.get(), text.c_str(), UT_UTF8));
}

Unit UnitSystem::one() const { return owned(ut_get_dimensionless_unit_one(system_.get())); }

Unit product(const Unit& left, const Unit& right) {
  if (!can_multiply(left) || !can_multiply(right)) return nullptr;
  return owned(ut_multiply(left.get(), right.get()));
}

Unit quotient(const Unit& left, const Unit& right) {
  if (!can_multiply(left) || !can_multiply(right)) return nullptr;
  return owned(ut_divide(left.get(), right.get()));
}

Unit power(const Unit& unit, int exponent) {
  if (!can_multiply(unit) || std::abs(exponent) > kLargestExponent) return nullptr;
  return owned(ut_raise(unit.get(), exponent));
}

Unit square_root(const Unit& unit) {
  if (!can_multiply(unit)) return nullptr;
  return owned(ut_root(unit.get(), 2));
}

bool are_equal(const Unit& left, const Unit& right) {
  const std::unique_ptr<cv_converter, decltype(&cv_free)> converter(
      ut_get_converter(const_cast<ut_unit*>(left.get()), const_cast<ut_unit*>(right.get())), cv_free);
  if (!converter) return false;
  const auto is_same = [&](double value) {
    return std::abs(cv_convert_double(converter.get(), value) - value) <= 1e-9 * std::max(1.0, value);
  };
  return is_same(0) && is_same(1) && is_same(1000);
}

bool are_convertible(const Unit& left, const Unit& right) {
  return ut_are_convertible(left.get(), right.get()) != 0;
}

std::string text(const Unit& unit) {
  std::array<char, 256> buffer{};
  const int length = ut_format(unit.get(), buffer.data(), buffer.size(), UT_ASCII | UT_DEFINITION);
  if (length < 0 || static_cast<std::size_t>(length) >= buffer.size()) return "units of its own";
  std::string text(buffer.data(), static_cast<std::size_t>(length));
  for (std::size_t dot = 0; (dot = text.find('.', dot + 1)) != std::string::npos;) {
    const auto is_digit = [&](std::size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
    };
    const bool is_decimal = is_digit(dot - 1) && is_digit(dot + 1);
    if (!is_decimal) text[dot] = ' ';
  }
  return text;
}

namespace {

Unit known_unit(const UnitSystem& system, const std::string& text) {
  if (Unit unit = system.parse(text)) return unit;
  throw UsageError("UDUNITS does not know the units \"" + text.substr(0, 80) + "\"");
}

bool is_next_to(double a, double b) { return std::abs(a - b) <= 4e-16 * std::abs(b); }

double of_15_digits(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", number);
  return std::strtod(text.data(), nullptr);
}

/// As which it was meant: 3.6 where UDUNITS computes 3.6 and a bit, and 1/3600 as the nearest double to that.
double as_meant(double number) {
  if (const double rounded = of_15_digits(number); is_next_to(rounded, number)) return rounded;
  const double inverse = 1 / of_15_digits(1 / number);
  return is_next_to(inverse, number) ? inverse : number;
}

}  // namespace

UnitChange change_of_units(const std::string& from, const std::string& to) {
  static const UnitSystem system;
  if (!system.is_there())
    throw UsageError("UDUNITS finds no table of units; UDUNITS2_XML_PATH in the environment names one");
  const Unit before = known_unit(system, from), after = known_unit(system, to);
  const std::unique_ptr<cv_converter, decltype(&cv_free)> converter(
      ut_get_converter(const_cast<ut_unit*>(before.get()), const_cast<ut_unit*>(after.get())), cv_free);
  const auto refuse = [&](const std::string& why) {
    throw UsageError("\"" + from + "\" cannot become \"" + to + "\"" + why);
  };
  if (!converter) refuse("");
  const auto at = [&](double value) { return cv_convert_double(converter.get(), value); };
  const double zero = at(0), one = at(1);
  if (!std::isfinite(zero) || !std::isfinite(one)) refuse(": their scale is not straight");
  // From far away, so that the offset takes no digits of the factor: 273.15 would.
  constexpr double kFar = 0x1p60;
  const UnitChange change{as_meant(zero == 0 ? one : (at(kFar) - zero) / kFar), as_meant(zero)};
  for (const double value : {-3.0, 0.5, 1.0, 1000.0}) {
    const double straight = change.factor * value + change.offset;
    if (!(std::abs(at(value) - straight) <= 1e-9 * (std::abs(straight) + std::abs(change.offset) + 1e-300)))
      refuse(": their scale is not straight");
  }
  return change;
}

}  // namespace pileus
