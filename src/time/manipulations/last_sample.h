#pragma once
// The window whose record is the sample that ends it.

#include <memory>
#include <optional>

#include "time/window.h"

namespace pileus {

std::unique_ptr<Window> make_last_sample(bool is_exact, std::optional<double> missing);
/// One that keeps the sample for later, in memory of its own, so that what brought it can go.
std::unique_ptr<Window> make_kept_sample(std::optional<double> missing);

}  // namespace pileus
