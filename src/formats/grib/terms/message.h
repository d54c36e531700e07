#pragma once
// What messages say of a variable: its parameter, the surfaces of its levels, what was done in time. It
// follows from what CF says of it, so that whoever lays out a file finds the same mistakes as who writes it.

#include <optional>
#include <vector>

#include "formats/format.h"
#include "formats/grib/terms/parameters.h"

namespace pileus::grib {

/// The attribute in which the configuration says what the parameter is.
inline constexpr const char* kSaid = "grib";

struct MessageTerms {
  ChosenParameter parameter;
  std::optional<int> statistic = {};   ///< code table 4.10; none: at an instant
  std::vector<Surface> surfaces = {};  ///< of each message of a record
  std::vector<double> levels = {};     ///< likewise, in units of CF; empty: it has none
};

/// `variable`: its attributes, its dimensions as places in `dimensions`, and how many of these lie together.
/// `axis`: null for one that has no records. Errors: UsageError that says what is wrong, and what to write.
MessageTerms terms_of(const std::vector<FileDimension>& dimensions, const FileVariable& variable,
                      const TimeAxis* axis);

/// Whether its description says that it is one of levels.
bool is_vertical(const FileDimension& dimension);

/// The text of an attribute; "": there is none.
std::string text_of(const std::vector<FileAttribute>& attributes, std::string_view name);

}  // namespace pileus::grib
