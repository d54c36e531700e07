#pragma once
// What runs have to agree in, whatever their layout and the order of arrival.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "server/testing/simulated_run.h"

namespace pileus::testing {

/// Nobody had an error, nothing is left behind, and these files were published, byte by byte.
/// `what` names the run.
inline void expect_same_files(const std::map<std::string, std::string>& right, const SimulatedResult& result,
                              const std::string& what = "") {
  ASSERT_EQ(result.errors, "") << what;
  for (const std::string& error : result.model_errors) ASSERT_EQ(error, "") << what;
  ASSERT_EQ(result.leftovers, std::vector<std::string>()) << what;
  ASSERT_EQ(result.files.size(), right.size()) << what;
  for (const auto& [name, bytes] : right) {
    ASSERT_TRUE(result.files.contains(name)) << what << ": " << name;
    ASSERT_TRUE(result.files.at(name) == bytes) << what << ": " << name << " differs";
  }
}

}  // namespace pileus::testing
