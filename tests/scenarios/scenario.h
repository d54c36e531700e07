#pragma once
// The parts that scenarios share: a model on a small plane whose ranks may misbehave, runs in many layouts
// and orders of arrival, and what every run owes its user however wrong the model is.

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "server/testing/simulated_run.h"

namespace pileus::testing {

inline constexpr Index kPlaneNy = 4, kPlaneNx = 6;

/// The number of orders for each scenario, over all of its layouts; PILEUS_SCENARIO_ORDERS asks for more.
int orders_of_arrival();

/// Eight steps of 2.5 s: 2.5, 5, … 20.
std::vector<Step> even_steps();

/// The value of "w" at a place of the plane in a step: a number that names all three.
inline double plane_value(Index y, Index x, std::int64_t step) {
  return static_cast<double>(1000 * step + 10 * y + x);
}

/// The files w (every value of w), averaged (its means over 5 s), mean (its horizontal mean, every step) and
/// dt (a scalar that is the same everywhere, every step); each is written every 10 s: w_10.nc, w_20.nc, …
extern const char* const kPlaneConfiguration;

/// A model with "w" on a y,x plane and the scalar "dt". Each hook is something that one rank does
/// differently.
struct PlaneModel {
  ClientRank ranks = 1;
  std::vector<Step> steps = even_steps();

  /// Registers instead of the model; if it returns false, the model does so nevertheless.
  std::function<bool(Client&, ClientRank)> register_instead;
  /// Called before begin. If it returns false, this rank leaves the step out. It may change the step.
  std::function<bool(Client&, ClientRank, Step&)> before_step;
  /// Called in the step, before anything is put. If it returns false, nothing is put and the step is not
  /// ended.
  std::function<bool(Client&, ClientRank, const Step&)> in_step;
  /// Tells whether this rank forgets the field in this step.
  std::function<bool(ClientRank, const Step&, const std::string& field)> forgets;
  /// The last step of a rank; it finishes after it.
  std::function<std::int64_t(ClientRank)> last_step;

  void operator()(Client& client, ClientRank rank) const;
};

/// Registers the plane as a model should, without commit.
void register_plane(Client& client, ClientRank rank, ClientRank ranks);

struct RunLayout {
  ClientRank ranks = 1;
  ServerRank servers = 1;
};
/// Layouts with at least two model ranks.
const std::vector<RunLayout>& several_ranks();
/// The same layouts, and those with one model rank.
const std::vector<RunLayout>& all_layouts();

/// Runs at least 50 orders of arrival over all layouts. A run that stands still throws, which fails the test
/// with the names of those that wait. It stops after the first run that fails an expectation.
class ScenarioTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite();

  using Change = std::function<void(PlaneModel&)>;
  using Check = std::function<void(const SimulatedResult&, RunLayout)>;
  /// `prepare` changes the run before it begins. Temporary files must not be left unless `may_leave_files`.
  void expect_in_every_order(const std::vector<RunLayout>& layouts, const Change& change, const Check& check,
                             const std::function<void(SimulatedRun&)>& prepare = {},
                             bool may_leave_files = false);

  /// The files of a run in which nothing goes wrong.
  static const std::map<std::string, std::string>& right_files();
};

/// Checks what is promised of every run: each record of each file has its time.
void expect_complete_files(const SimulatedResult& result);
/// Checks that each of the named files is there, byte for byte that of a run in which nothing goes wrong.
void expect_right(const SimulatedResult& result, const std::map<std::string, std::string>& right,
                  const std::set<std::string>& names);
void expect_no_files(const SimulatedResult& result);
/// Every text contains each of `words`.
void expect_words(const std::string& text, const std::vector<std::string>& words);
/// Every model rank was told the same, and it contains each of `words`.
void expect_all_told(const SimulatedResult& result, const std::vector<std::string>& words);

inline const std::set<std::string> kAllFiles = {"averaged_10.nc", "averaged_20.nc", "dt_10.nc", "dt_20.nc",
                                                "mean_10.nc",     "mean_20.nc",     "w_10.nc",  "w_20.nc"};

}  // namespace pileus::testing
