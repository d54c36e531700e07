#include "formats/grib/header.h"

#include <eccodes.h>

#include <array>
#include <cmath>
#include <span>
#include <string>

#include "core/error.h"
#include "formats/grib/octets.h"

namespace pileus::grib {
namespace {

constexpr long kTables = 28;  ///< of WMO's master tables: their version
constexpr int kNoSurface = 255;
constexpr long kHour = 1, kMinute = 0, kSecond = 13;  // code table 4.4
constexpr std::int64_t kMostOfLevel = 2'000'000'000;

codes_handle* of(void* handle) { return static_cast<codes_handle*>(handle); }

void require(int status, const std::string& what) {
  if (status != CODES_SUCCESS)
    throw OutputError("GRIB: ecCodes does not " + what + ": " + codes_get_error_message(status));
}

/// The fewest decimal places with which the value is a whole number.
std::pair<long, long> scaled(double value) {
  double power = 1;
  for (long places = 0; places < 9; ++places, power *= 10) {
    const double whole = std::round(value * power);
    if (std::abs(whole * 10) > static_cast<double>(kMostOfLevel)) return {places, std::lround(whole)};
    if (std::abs(whole - value * power) <= std::abs(whole) * 1e-12) return {places, std::lround(whole)};
  }
  return {6, std::lround(value * 1e6)};
}

/// The longest unit that both are whole numbers of.
std::pair<long, long> unit_of(std::int64_t a, std::int64_t b) {
  if (a % 3600 == 0 && b % 3600 == 0) return {kHour, 3600};
  if (a % 60 == 0 && b % 60 == 0) return {kMinute, 60};
  return {kSecond, 1};
}

/// A whole number among the attributes.
long number_of(const std::vector<FileAttribute>& attributes, std::string_view name, long otherwise) {
  for (const FileAttribute& one : attributes) {
    if (one.name != name) continue;
    if (const auto* whole = std::get_if<std::int64_t>(&one.value)) return static_cast<long>(*whole);
    if (const auto* real = std::get_if<double>(&one.value)) return std::lround(*real);
  }
  return otherwise;
}

}  // namespace

void Headers::Release::operator()(void* handle) const { codes_handle_delete(of(handle)); }

Headers::Headers(const GridKeys& grid, const MessageTerms& terms, const ReferenceTime& reference,
                 const std::vector<FileAttribute>& file)
    : handle_(codes_grib_handle_new_from_samples(nullptr, "GRIB2")), terms_(terms), reference_(reference) {
  if (!handle_)
    throw OutputError(
        "GRIB: ecCodes does not find its sample GRIB2; ECCODES_SAMPLES_PATH says where its "
        "samples are");
  set("tablesVersion", kTables);
  set("centre", number_of(file, "grib_centre", 255));
  set("subCentre", number_of(file, "grib_subcentre", 0));
  set("significanceOfReferenceTime", 1);  // the start of the forecast
  set("year", static_cast<long>(reference.date.year));
  set("month", reference.date.month);
  set("day", reference.date.day);
  set("hour", reference.date.hour);
  set("minute", reference.date.minute);
  set("second", reference.date.second);
  set("productionStatusOfProcessedData", 255);
  set("typeOfProcessedData", 1);  // forecasts
  if (!grid.points_of_rows.empty()) {
    std::size_t length = 10;
    require(codes_set_string(of(handle_.get()), "gridType", "reduced_gg", &length), "know reduced grids");
  }
  for (const auto& [key, value] : grid.numbers) {
    const bool is_known = !grid.points_of_rows.empty() && key == "gridDefinitionTemplateNumber";
    if (!is_known) set(key, value);
  }
  if (!grid.points_of_rows.empty()) {
    require(
        codes_set_long_array(of(handle_.get()), "pl", grid.points_of_rows.data(), grid.points_of_rows.size()),
        "take the points of rows");
  }
  set("productDefinitionTemplateNumber", terms.statistic ? 8 : 0);
  set("parameterCategory", terms.parameter.parameter.category);
  set("parameterNumber", terms.parameter.parameter.number);
  set("typeOfGeneratingProcess", 2);  // a forecast
  set("generatingProcessIdentifier", 255);
  if (!terms.statistic) return;
  set("numberOfTimeRange", 1);
  set("numberOfMissingInStatisticalProcess", 0);
  set("typeOfStatisticalProcessing", *terms.statistic);
  set("typeOfTimeIncrement", 2);  // one forecast, of which times later and later are taken
  set("indicatorOfUnitForTimeIncrement", 255);
  set("timeIncrement", 0);
}

void Headers::set(const std::string& key, long value) {
  const int status = value == GridKeys::kMissing ? codes_set_missing(of(handle_.get()), key.c_str())
                                                 : codes_set_long(of(handle_.get()), key.c_str(), value);
  require(status, "take " + key + "=" + std::to_string(value));
}

void Headers::set_surface(const std::string& which, const Surface& surface) {
  set("typeOf" + which + "FixedSurface", surface.type);
  const auto [places, whole] = scaled(surface.value);
  set("scaleFactorOf" + which + "FixedSurface", surface.has_value ? places : GridKeys::kMissing);
  set("scaledValueOf" + which + "FixedSurface", surface.has_value ? whole : GridKeys::kMissing);
}

void Headers::set_time(const MessageTime& time) {
  const auto [unit, unit_s] = unit_of(time.begin_s, time.end_s);
  set("indicatorOfUnitOfTimeRange", unit);
  set("forecastTime", static_cast<long>(time.begin_s / unit_s));
  if (!terms_.statistic) return;
  const Date end = seconds_later(reference_.calendar, reference_.date, time.end_s);
  const std::string when = "OfEndOfOverallTimeInterval";
  set("year" + when, static_cast<long>(end.year));
  set("month" + when, end.month);
  set("day" + when, end.day);
  set("hour" + when, end.hour);
  set("minute" + when, end.minute);
  set("second" + when, end.second);
  set("indicatorOfUnitForTimeRange", unit);
  set("lengthOfTimeRange", static_cast<long>((time.end_s - time.begin_s) / unit_s));
}

std::vector<std::byte> Headers::sections(std::size_t level, const MessageTime& time) {
  const Surface none = {kNoSurface, 0, false};
  set_surface("First", terms_.surfaces.at(level));
  set_surface("Second", terms_.levels.empty() ? terms_.parameter.second : none);
  set_time(time);
  const void* bytes = nullptr;
  std::size_t length = 0;
  require(codes_get_message(of(handle_.get()), &bytes, &length), "make a message");
  const std::span<const std::byte> message(static_cast<const std::byte*>(bytes), length);
  std::vector<std::byte> out;
  constexpr std::size_t kOfSection0 = 16, kOfEnd = 4;
  for (std::size_t at = kOfSection0; at + kOfEnd < length;) {
    const auto section = static_cast<std::size_t>(number_at(message, at, 4));
    const std::uint64_t number = number_at(message, at + 4, 1);
    if (section < 5 || at + section > length) throw OutputError("GRIB: ecCodes made a broken message");
    if (number == 1 || number == 3 || number == 4) {
      const auto piece = message.subspan(at, section);
      out.insert(out.end(), piece.begin(), piece.end());
    }
    at += section;
  }
  return out;
}

std::vector<std::byte> begin_of_message(const std::vector<std::byte>& sections, std::size_t packed_bytes,
                                        int discipline) {
  constexpr std::size_t kOfSection0 = 16, kOfEnd = 4;
  Octets out;
  out.put(0x47524942, 4);  // GRIB
  out.put(0xffff, 2);
  out.put(static_cast<std::uint64_t>(discipline), 1);
  out.put(2, 1);
  out.put(kOfSection0 + sections.size() + packed_bytes + kOfEnd, 8);
  out.put_all(sections);
  return out.take();
}

}  // namespace pileus::grib
