#pragma once
// The two forks of MONC, whose files mean different things in a few places.

#include <string>
#include <string_view>

#include "config/config.h"
#include "config/substitution.h"

namespace pileus::monc {

enum class Fork {
  unknown,  ///< neither the user nor the files nor the options say it
  leeds,    ///< the older one, Leeds-MONC/monc
  epcc      ///< the newer one, EPCCed/monc
};

/// Finds the fork by what only one of them has among its options or in its files.
Fork fork_of(const Options& options, std::string_view text);

/// The options with which the newer fork counts frequencies in seconds, and lands on times of output.
inline constexpr const char* kTimeBasis = "time_basis";
inline constexpr const char* kForceOutput = "force_output_on_interval";

/// What to tell the user where the forks differ and nothing says which one it is.
inline constexpr const char* kAskForFork =
    "say which one it is with --dialect monc-leeds (the older) or --dialect monc-epcc (the newer), in a run "
    "with "
    "the option pileus_dialect";

/// Whether MONC reads the value of a logical option as true.
bool is_true(std::string_view value);

}  // namespace pileus::monc
