#pragma once
// The lines of a MONC file that count, with the files of its #include lines in their place. MONC does this
// before it looks at any tag. In the older fork an #include counts wherever it stands, even in a comment; the
// newer one drops the lines from one that begins with <!-- to one with -->.

#include <memory>
#include <string>

#include "config/dialect.h"
#include "monc/fork.h"
#include "xml/placed_text.h"

namespace pileus::monc {

/// Leaves out lines that begin with ! or //. A path is relative to MONC's root: the file is looked for beside
/// the including file and in the folders above it. A file that cannot be found or includes itself is
/// reported.
std::unique_ptr<PlacedText> splice(std::string text, const std::string& file_name,
                                   const DialectReading& reading, Fork fork);

/// True for a line whose first characters but blanks are <!--. The newer fork drops it.
bool begins_comment(std::string_view line);

/// The path in an #include line; "" if the line is none. For callers that only want to know whether there is
/// one.
std::string_view included_path(std::string_view line);

/// True for a line that MONC does not read.
bool is_comment_line(std::string_view line);

/// The line that begins at `at`, without its end.
std::string_view line_at(std::string_view text, std::size_t at);

}  // namespace pileus::monc
