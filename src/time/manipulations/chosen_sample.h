#pragma once
// The windows of one of the samples, for each element: the smallest, the largest, the first or the last.

#include <memory>
#include <optional>

#include "time/window.h"

namespace pileus {

std::unique_ptr<Window> make_minimum(bool is_exact, std::optional<double> missing);
std::unique_ptr<Window> make_maximum(bool is_exact, std::optional<double> missing);
std::unique_ptr<Window> make_first(bool is_exact, std::optional<double> missing);
std::unique_ptr<Window> make_last(bool is_exact, std::optional<double> missing);

}  // namespace pileus
