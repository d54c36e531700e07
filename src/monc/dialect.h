#pragma once
// MONC's own IO configurations, as a dialect of ours: this room reads them and says in strict XML what they
// mean. Never used for a strict file, and nothing of it leaks into the strict reader.

#include "config/dialect.h"

namespace pileus {

Dialect monc_dialect();

/// Strict XML, and MONC's files by what they hold; or `chosen`, "strict" or "monc", for the file of the run.
Dialects all_dialects(std::string chosen = "");

}  // namespace pileus
