#pragma once
// MONC's own IO configurations, as a dialect of ours: this room reads them and writes what they mean as
// strict XML. It is never used for a strict file, and nothing of it leaks into the strict reader.

#include "config/dialect.h"

namespace pileus {

Dialect monc_dialect();

/// The dialects of this program. By default strict XML and MONC's files are told apart by their contents;
/// `chosen` is "strict", "monc" or a fork of MONC ("monc-leeds", "monc-epcc") if the user says what the file
/// of the run is. The options and the files tell the fork where they can.
Dialects all_dialects(std::string chosen = "");

}  // namespace pileus
