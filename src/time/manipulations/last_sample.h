#pragma once
// The window whose record is the sample that ends it.

#include <memory>
#include <optional>

#include "time/window.h"

namespace pileus {

std::unique_ptr<Window> make_last_sample(bool is_exact, std::optional<double> missing);

}  // namespace pileus
