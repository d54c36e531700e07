#pragma once
// One fuzz target: any bytes at all may come in, and nothing but the errors that are meant may come out.
// Built with libFuzzer by `./dev fuzz NAME`; without it replay.cpp runs the same function over seeds, the
// corpus and simple mutations of both.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "description/run_description.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace pileus::testing {

/// Inputs from which all others are made: right ones, of every kind.
std::vector<std::string> seeds();
/// Words that inputs are made of, for those that are texts; from the tables that declare them.
std::vector<std::string> words();

/// A run of two model ranks and two servers with every kind of rule and file.
RunDescription small_run();

}  // namespace pileus::testing
