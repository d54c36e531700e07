#pragma once
// The operators, communications and time manipulations that come with Pileus, as they declare themselves.

#include "core/catalogue.h"

namespace pileus {

Catalogue builtin_catalogue();

}  // namespace pileus
