#pragma once
// What an exception of any type says: for places where everything has to be caught.

#include <string>

namespace pileus {

/// Of the exception that is being handled; never "". REQUIRES: called in a catch block.
std::string text_of_current_exception();

}  // namespace pileus
