// Models that do wrong in the middle of a run: it ends, says what happened, and spoils nothing else.

#include <cmath>

#include "core/error.h"
#include "tests/scenarios/published_file.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

constexpr ClientRank kWrongRank = 1;
constexpr std::int64_t kWrongStep = 3;

bool holds(const Region& part, Index y, Index x) {
  return y >= part.start[0] && y < part.start[0] + part.count[0] && x >= part.start[1] &&
         x < part.start[1] + part.count[1];
}

/// Compares one record of "w" of w_10.nc or w_20.nc: plane_value, and kFill where `is_missing`.
void expect_w(const SimulatedResult& result, std::int64_t step,
              const std::function<bool(Index, Index)>& is_missing) {
  const std::string name = step <= 4 ? "w_10.nc" : "w_20.nc";
  ASSERT_TRUE(result.files.contains(name)) << result.errors;
  const PublishedFileReader file(result.directory + "/" + name);
  const std::vector<double> w = file.values("w");
  const std::int64_t record = step <= 4 ? step - 1 : step - 5;
  ASSERT_GE(w.size(), static_cast<std::size_t>((record + 1) * kPlaneNy * kPlaneNx)) << name;
  ASSERT_EQ(file.values("time")[static_cast<std::size_t>(record)], 2.5 * static_cast<double>(step)) << name;
  for (Index x = 0; x < kPlaneNx; ++x) {
    for (Index y = 0; y < kPlaneNy; ++y) {
      const double value = w[static_cast<std::size_t>((record * kPlaneNx + x) * kPlaneNy + y)];
      ASSERT_EQ(value, is_missing(y, x) ? kFill : plane_value(y, x, step)) << name << ", step " << step;
    }
  }
}

class StepScenario : public ScenarioTest {
 protected:
  /// All values before `step` are right; from then on those of rank 1 are missing, and so is what needs them.
  static void expect_lost_from(std::int64_t first, const SimulatedResult& result, RunLayout layout) {
    const Region lost = part_of_plane(kPlaneNy, kPlaneNx, kWrongRank, layout.ranks, false);
    ASSERT_EQ(result.files.size(), kAllFiles.size()) << result.errors;
    expect_right(result, right_files(), {"dt_10.nc", "dt_20.nc"});
    std::vector<double> means;
    for (std::int64_t step = 1; step <= 8; ++step) {
      expect_w(result, step, [&](Index y, Index x) { return step >= first && holds(lost, y, x); });
      // (0 + 10 + 20 + 30) / 4 + (0 + … + 5) / 6 = 15 + 2.5 above 1000 times the step.
      means.push_back(step >= first ? kFill : 1000.0 * static_cast<double>(step) + 17.5);
    }
    EXPECT_EQ(means_of(result), means);
  }

  static std::vector<double> means_of(const SimulatedResult& result) {
    std::vector<double> means;
    for (const char* name : {"/mean_10.nc", "/mean_20.nc"}) {
      for (double mean : PublishedFileReader(result.directory + name).values("w_mean")) means.push_back(mean);
    }
    return means;
  }
};

/// Means over 5 s: 500 000 s would end 100 000 of them. Nothing of that step has been sent.
TEST_F(StepScenario,
       a_step_that_is_too_long_for_its_frequencies_is_refused_on_every_rank_and_the_run_goes_on) {
  expect_in_every_order(
      all_layouts(),
      [](PlaneModel& model) {
        model.before_step = [](Client& client, ClientRank, const Step& step) {
          if (step.index != 5) return true;
          std::string said;
          try {
            client.begin({5, 600'000, 599'990}, false);
          } catch (const UsageError& error) {
            said = error.what();
          }
          expect_words(
              said, {"step 5 ", "100000 records", "\"averaged.nc\" (", "run.xml:16:5", "averaged each 5 s"});
          return true;
        };
      },
      [](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
        expect_right(result, right_files(), kAllFiles);
      });
}

TEST_F(StepScenario, a_field_forgotten_in_one_step_on_one_rank_is_missing_there_and_nowhere_else) {
  const auto forget = [](PlaneModel& model) {
    model.forgets = [](ClientRank rank, const Step& step, const std::string& field) {
      return rank == kWrongRank && step.index == kWrongStep && field == "w";
    };
  };

  expect_in_every_order(several_ranks(), forget, [](const SimulatedResult& result, RunLayout layout) {
    const Region lost = part_of_plane(kPlaneNy, kPlaneNx, kWrongRank, layout.ranks, false);
    EXPECT_EQ(result.errors, "");
    // The part is the same in every order. That the mean lacks it is said where the mean is.
    expect_words(result.report,
                 {"warning: averaged.nc: w is made of fewer samples in 1 part of its records: 1 "
                  "sample was absent",
                  "warning: w.nc: w holds missing values in 1 part of its records",
                  "warning: mean.nc: w_mean holds missing values in 1 part of its records"});
    expect_right(result, right_files(), {"dt_10.nc", "dt_20.nc", "w_20.nc", "averaged_20.nc", "mean_20.nc"});
    expect_w(result, kWrongStep, [&](Index y, Index x) { return holds(lost, y, x); });
    expect_w(result, kWrongStep + 1, [](Index, Index) { return false; });
    // A mean over the plane of which a part is missing is not a mean over the plane.
    const std::vector<double> mean = PublishedFileReader(result.directory + "/mean_10.nc").values("w_mean");
    ASSERT_EQ(mean.size(), 4u);
    EXPECT_EQ(mean[2], kFill);
    // (0 + 10 + 20 + 30) / 4 + (0 + … + 5) / 6 = 15 + 2.5.
    EXPECT_EQ(mean[1], 2000 + 17.5);
    EXPECT_EQ(mean[3], 4000 + 17.5);
    // Only the second half of the window (5, 10] is known there: step 4.
    const std::vector<double> averaged =
        PublishedFileReader(result.directory + "/averaged_10.nc").values("w");
    ASSERT_EQ(averaged.size(), 2u * 24);
    for (Index x = 0; x < kPlaneNx; ++x) {
      for (Index y = 0; y < kPlaneNy; ++y) {
        const double both = (plane_value(y, x, 3) + plane_value(y, x, 4)) / 2;
        EXPECT_EQ(averaged[static_cast<std::size_t>(24 + x * kPlaneNy + y)],
                  holds(lost, y, x) ? plane_value(y, x, 4) : both);
      }
    }
  });
}

TEST_F(StepScenario, a_scalar_forgotten_by_rank_0_is_missing_in_its_file_alone) {
  const auto forget = [](PlaneModel& model) {
    model.forgets = [](ClientRank rank, const Step& step, const std::string& field) {
      return rank == 0 && step.index == kWrongStep && field == "dt";
    };
  };

  expect_in_every_order(all_layouts(), forget, [](const SimulatedResult& result, RunLayout) {
    std::set<std::string> others = kAllFiles;
    others.erase("dt_10.nc");
    expect_right(result, right_files(), others);
    EXPECT_EQ(PublishedFileReader(result.directory + "/dt_10.nc").values("dt"),
              (std::vector<double>{2.5, 2.5, kFill, 2.5}));
  });
}

TEST_F(StepScenario, a_put_out_of_order_is_refused_and_the_run_goes_on) {
  const auto put_early = [](PlaneModel& model) {
    model.before_step = [](Client& client, ClientRank rank, Step& step) {
      const double dt = 0;
      if (rank != kWrongRank || step.index != kWrongStep) return true;
      EXPECT_THROW(client.put(1, &dt, nullptr), UsageError);
      return true;
    };
    model.in_step = [](Client& client, ClientRank rank, const Step& step) {
      if (rank != kWrongRank) return true;
      EXPECT_THROW(client.begin(step, false), UsageError);
      EXPECT_THROW(client.finish(), UsageError);
      EXPECT_THROW(client.put(7, &step.length, nullptr), UsageError);
      return true;
    };
  };

  expect_in_every_order(several_ranks(), put_early, [](const SimulatedResult& result, RunLayout) {
    EXPECT_EQ(result.errors, "");
    expect_right(result, right_files(), kAllFiles);
  });
}

TEST_F(StepScenario, a_rank_that_finishes_early_leaves_missing_values_and_its_name) {
  const auto early = [](PlaneModel& model) {
    model.last_step = [](ClientRank rank) { return rank == kWrongRank ? kWrongStep : 8; };
  };

  expect_in_every_order(several_ranks(), early, [](const SimulatedResult& result, RunLayout layout) {
    expect_all_told(result, {"model rank 1 finished after step 3, model rank 0 after step 8"});
    expect_lost_from(4, result, layout);
    // Step 4 is the last in w_10.nc, steps 5 to 8 are in w_20.nc.
    const std::string part = "w " + text(part_of_plane(kPlaneNy, kPlaneNx, kWrongRank, layout.ranks, false)) +
                             " of model rank 1 in ";
    EXPECT_EQ(PublishedFileReader(result.directory + "/w_10.nc").attribute("", "missing_parts"),
              part + "1 record");
    EXPECT_EQ(PublishedFileReader(result.directory + "/w_20.nc").attribute("", "missing_parts"),
              part + "4 records");
    expect_words(result.errors, {"w_20.nc: filled with missing values: " + part + "4 records"});
  });
}

TEST_F(StepScenario, the_run_ends_where_rank_0_finishes) {
  const auto early = [](PlaneModel& model) {
    model.last_step = [](ClientRank rank) { return rank == 0 ? 5 : 8; };
  };

  expect_in_every_order(several_ranks(), early, [](const SimulatedResult& result, RunLayout) {
    expect_all_told(result, {"model rank 1 finished after step 8, model rank 0 after step 5", "dropped"});
    expect_right(result, right_files(), {"averaged_10.nc", "dt_10.nc", "mean_10.nc", "w_10.nc"});
    EXPECT_EQ(PublishedFileReader(result.directory + "/dt_20.nc").values("time"), std::vector<double>{12.5});
    EXPECT_EQ(PublishedFileReader(result.directory + "/mean_20.nc").values("w_mean"),
              std::vector<double>{5017.5});
    expect_w(result, 5, [](Index, Index) { return false; });
  });
}

TEST_F(StepScenario, a_rank_that_throws_within_a_step_ends_as_if_it_had_left_after_the_step_before) {
  const auto fail = [](PlaneModel& model) {
    model.in_step = [](Client& client, ClientRank rank, const Step& step) {
      if (rank != kWrongRank || step.index != kWrongStep) return true;
      const std::vector<double> some(kPlaneNy * kPlaneNx, -1);
      client.put(0, some.data(), nullptr);
      throw UsageError("the model blew up");
    };
  };

  expect_in_every_order(several_ranks(), fail, [](const SimulatedResult& result, RunLayout layout) {
    EXPECT_EQ(result.model_errors[kWrongRank], "the model blew up");
    expect_words(result.model_errors[0], {"model rank 1 broke the run off after step 2"});
    expect_words(result.errors, {"model rank 1 broke the run off after step 2"});
    expect_lost_from(3, result, layout);
  });
}

TEST_F(StepScenario, rank_0_that_throws_within_a_step_ends_the_run_of_all) {
  const auto fail = [](PlaneModel& model) {
    model.in_step = [](Client&, ClientRank rank, const Step& step) {
      if (rank == 0 && step.index == 6) throw UsageError("the model blew up");
      return true;
    };
  };

  expect_in_every_order(all_layouts(), fail, [](const SimulatedResult& result, RunLayout layout) {
    expect_words(result.errors, {"model rank 0 broke the run off after step 5"});
    for (ClientRank rank = 1; rank < layout.ranks; ++rank) {
      expect_words(result.model_errors[rank], {"model rank 0 broke the run off after step 5"});
    }
    expect_right(result, right_files(), {"averaged_10.nc", "dt_10.nc", "mean_10.nc", "w_10.nc"});
    expect_w(result, 5, [](Index, Index) { return false; });
  });
}

TEST_F(StepScenario, every_rank_may_throw_within_a_step) {
  const auto fail = [](PlaneModel& model) {
    model.in_step = [](Client&, ClientRank rank, const Step& step) {
      if (step.index == 2 + rank) throw UsageError("the model blew up");
      return true;
    };
  };

  expect_in_every_order(all_layouts(), fail, [](const SimulatedResult& result, RunLayout) {
    for (const std::string& error : result.model_errors) EXPECT_EQ(error, "the model blew up");
    expect_words(result.errors, {"model rank 0 broke the run off after step 1"});
    expect_w(result, 1, [](Index, Index) { return false; });
  });
}

TEST_F(StepScenario, a_rank_that_skips_a_step_is_named) {
  const auto skip = [](PlaneModel& model) {
    model.before_step = [](Client&, ClientRank rank, Step& step) {
      return rank != kWrongRank || step.index != kWrongStep;
    };
  };

  expect_in_every_order(several_ranks(), skip, [](const SimulatedResult& result, RunLayout layout) {
    expect_all_told(result, {"model rank 1 left out step 3, which model rank 0 handed over"});
    expect_lost_from(3, result, layout);
  });
}

TEST_F(StepScenario, a_rank_that_disagrees_about_the_time_of_a_step_is_named) {
  const auto disagree = [](PlaneModel& model) {
    model.before_step = [](Client&, ClientRank rank, Step& step) {
      if (rank == kWrongRank && step.index == kWrongStep) step.time += 0.5;
      return true;
    };
  };

  expect_in_every_order(several_ranks(), disagree, [](const SimulatedResult& result, RunLayout layout) {
    expect_all_told(result,
                    {"model rank 1 has step 3 at 8 s after 2.5 s, model rank 0 at 7.5 s after 2.5 s"});
    expect_lost_from(3, result, layout);
  });
}

/// The step at 10 s closes the first period; one rank believes to be beyond it.
TEST_F(StepScenario, a_rank_that_disagrees_about_the_end_of_a_period_spoils_no_other_file) {
  const auto disagree = [](PlaneModel& model) {
    model.before_step = [](Client&, ClientRank rank, Step& step) {
      if (rank == kWrongRank && step.index == 4) step.time += 1;
      return true;
    };
  };

  expect_in_every_order(several_ranks(), disagree, [](const SimulatedResult& result, RunLayout layout) {
    expect_all_told(result, {"model rank 1 has step 4 at 11 s"});
    expect_lost_from(4, result, layout);
  });
}

TEST_F(StepScenario, a_rank_that_numbers_its_steps_differently_is_named) {
  const auto shift = [](PlaneModel& model) {
    model.before_step = [](Client&, ClientRank rank, Step& step) {
      if (rank == kWrongRank) ++step.index;
      return true;
    };
  };

  expect_in_every_order(several_ranks(), shift, [](const SimulatedResult& result, RunLayout layout) {
    expect_all_told(result, {"model rank 1 left out step 1, which model rank 0 handed over"});
    expect_lost_from(1, result, layout);
  });
}

TEST_F(StepScenario, a_run_without_steps_writes_nothing_and_ends) {
  const auto none = [](PlaneModel& model) { model.steps.clear(); };

  expect_in_every_order(all_layouts(), none, [](const SimulatedResult& result, RunLayout) {
    EXPECT_EQ(result.errors, "");
    expect_no_files(result);
  });
}

}  // namespace
}  // namespace pileus::testing
