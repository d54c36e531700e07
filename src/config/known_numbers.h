#pragma once
// Apart from number_file.h, which has std::filesystem and with it std::quoted.

#include <string>

#include "config/config.h"

namespace pileus {

/// As put_file, of the files that the configuration has found already.
std::string put_known_file(Text& written, bool as_numbers, const Config& config);

}  // namespace pileus
