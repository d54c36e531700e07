#pragma once
// The lines of a MONC file: those that count, with the files of its #include lines in their place. MONC does
// this before it looks at any tag, so that an #include counts wherever it stands, even in a comment.

#include <memory>
#include <string>

#include "config/dialect.h"
#include "config/placed_text.h"

namespace pileus::monc {

/// Lines that begin with ! or // are left out. A path is relative to MONC's root: it is looked for beside the
/// file and in the folders above it. What cannot be found, or includes itself, is reported.
std::unique_ptr<PlacedText> splice(std::string text, const std::string& file_name,
                                   const DialectReading& reading);

/// The file of an #include line, for those who only want to know that there is one: "" where there is none.
std::string_view included_path(std::string_view line);

/// True of a line that MONC does not read.
bool is_comment_line(std::string_view line);

/// The line that begins at `at`, without its end.
std::string_view line_at(std::string_view text, std::size_t at);

}  // namespace pileus::monc
