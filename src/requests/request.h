#pragma once
// A data request, and what stands for its variables in a model: CSV tables that people and tools write.

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/location.h"

namespace pileus {

/// One row of a request. What has no column, or an empty cell, is "".
struct RequestedVariable {
  std::string table;     ///< "Amon", "atmos"
  std::string variable;  ///< "tas", or its branded name
  std::string frequency, region;
  std::vector<std::string> experiments, members;  ///< for which it is asked; none: for all
  std::string field, positive;                    ///< as of FieldOfVariable
  Location where;
};

struct Request {
  std::vector<RequestedVariable> variables;  ///< none twice
  std::vector<std::string> unused_columns;
};

/// Which field of the model a variable is.
struct FieldOfVariable {
  std::string table;     ///< "": of every table
  std::string variable;  ///< "tas": also of every branded name that begins so
  std::string field;
  std::string positive;     ///< up, down; "" where the table says no direction
  std::string units, size;  ///< where nothing else declares the field
  Location where;
};

/// The name of a column in small letters, with "_" for everything but letters and digits.
std::string column_name(std::string_view written);
/// Whether it is of letters, digits, "_", "-", "." and, with `has_namespaces`, "::".
bool is_plain_name(std::string_view text, bool has_namespaces = false);

/// Reads "atmos.tas.tavg-h2m-hxy-u.mon.glb" or "Amon.tas". False where it is neither.
bool add_compound_name(std::string_view text, RequestedVariable& variable);

/// Reports all mistakes of the text as CSV, or else all of what stands in it.
Request read_request(std::string_view text, const std::string& file, Findings& findings);
std::vector<FieldOfVariable> read_fields_of_variables(std::string_view text, const std::string& file,
                                                      Findings& findings);

}  // namespace pileus
