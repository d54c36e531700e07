#pragma once
// The text of an exception of any type, for places that have to catch everything.

#include <string>

namespace pileus {

/// The text of the exception that is being handled; never "". REQUIRES: called in a catch block.
std::string text_of_current_exception();

}  // namespace pileus
