#pragma once
// One fuzz target: it takes any bytes, and throws only the errors that are meant. `./dev fuzz NAME` builds it
// with libFuzzer. Without libFuzzer replay.cpp runs the same function over seeds, the corpus and simple
// mutations of both.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "description/run_description.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace pileus::testing {

/// The inputs from which all others are made: right ones, of every kind.
std::vector<std::string> seeds();
/// The words of inputs that are texts, from the tables that declare them.
std::vector<std::string> words();

/// A run of two model ranks and two servers with every kind of rule and file.
RunDescription small_run();

}  // namespace pileus::testing
