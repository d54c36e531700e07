#pragma once
// Tables as text: cells between commas, as RFC 4180 and spreadsheets write them. It knows nothing of what
// stands in the cells.

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace pileus {

/// A longer text is refused; so is a wider row, and what comes after so many rows.
inline constexpr std::size_t kMostCsvBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMostCsvColumns = 1000, kMostCsvRows = 100000;

struct CsvCell {
  std::string text;  ///< without blanks at its ends
  int line = 0, column = 0;
};

/// The rows, of which the first names the columns; without those that are empty or begin with "#". The
/// separator is what the first row has most of: comma, semicolon or tab. A line ends with LF, CRLF or CR. A
/// cell in quotes may hold separators, ends of lines and quotes that are doubled. Rows are as long as the
/// first one. Reports every row that is no such row; there are none where the text as a whole is wrong.
std::vector<std::vector<CsvCell>> read_csv(std::string_view text, const std::string& file,
                                           Findings& findings);

}  // namespace pileus
