#pragma once
// The windows of the smallest and the largest sample.

#include <memory>
#include <optional>

#include "time/window.h"

namespace pileus {

std::unique_ptr<Window> make_minimum(bool is_exact, std::optional<double> missing);
std::unique_ptr<Window> make_maximum(bool is_exact, std::optional<double> missing);

}  // namespace pileus
