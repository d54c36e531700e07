// Models with impossible registrations: the run is refused before its first step, with one text on every
// rank.

#include "core/log.h"
#include "tests/scenarios/published_file.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

constexpr ClientRank kWrongRank = 1;

/// Registers the plane, but "w" of one rank as given.
auto with_w_of_rank(ClientRank wrong, ModelField w) {
  return [=](Client& client, ClientRank rank) {
    if (rank != wrong) return false;
    client.dimension({"y", kPlaneNy, {}, ""});
    client.dimension({"x", kPlaneNx, {}, ""});
    client.field(w);
    client.field({"dt", ElementType::float64, {}, {}});
    return true;
  };
}

class RegistrationScenario : public ScenarioTest {
 protected:
  void expect_refused(const std::vector<RunLayout>& layouts, const Change& change,
                      const std::vector<std::string>& words) {
    expect_in_every_order(layouts, change, [&](const SimulatedResult& result, RunLayout) {
      expect_all_told(result, words);
      expect_words(result.errors, words);
      expect_no_files(result);
    });
  }
};

TEST_F(RegistrationScenario, a_part_beyond_the_dimension_is_refused_on_its_own_rank_at_once) {
  const auto beyond = with_w_of_rank(0, {"w", ElementType::float64, {"y", "x"}, {{0, 4}, {kPlaneNy, 5}}});

  expect_in_every_order(
      all_layouts(), [&](PlaneModel& model) { model.register_instead = beyond; },
      [](const SimulatedResult& result, RunLayout layout) {
        expect_words(result.model_errors[0], {"\"w\"", "\"x\""});
        for (ClientRank rank = 1; rank < layout.ranks; ++rank) {
          EXPECT_EQ(result.model_errors[rank], "model rank 0 left before commit");
        }
        EXPECT_EQ(result.errors, "model rank 0 left before commit");
        expect_no_files(result);
      });
}

TEST_F(RegistrationScenario, dimensions_whose_size_differs_between_ranks_are_refused) {
  const auto smaller = [](Client& client, ClientRank rank) {
    if (rank != kWrongRank) return false;
    client.dimension({"y", kPlaneNy, {}, ""});
    client.dimension({"x", kPlaneNx + 1, {}, ""});
    client.field({"w", ElementType::float64, {"y", "x"}, {{0, 0}, {0, 0}}});
    client.field({"dt", ElementType::float64, {}, {}});
    return true;
  };

  expect_refused(several_ranks(), [&](PlaneModel& model) { model.register_instead = smaller; },
                 {"dimension \"x\" on model rank 1 has the size 7, but 6 on model rank 0"});
}

TEST_F(RegistrationScenario, parts_that_overlap_are_refused) {
  const auto whole = with_w_of_rank(kWrongRank, {"w", ElementType::float64, {"y", "x"}, {{0, 0}, {4, 6}}});

  expect_refused(several_ranks(), [&](PlaneModel& model) { model.register_instead = whole; },
                 {"field \"w\": model ranks 0 and 1 both hold a part of it"});
}

TEST_F(RegistrationScenario, a_part_that_no_rank_holds_is_the_fill_value_in_every_record) {
  const auto empty = with_w_of_rank(kWrongRank, {"w", ElementType::float64, {"y", "x"}, {{0, 0}, {0, 0}}});

  expect_in_every_order(
      several_ranks(), [&](PlaneModel& model) { model.register_instead = empty; },
      [](const SimulatedResult& result, RunLayout layout) {
        EXPECT_EQ(result.errors, "");
        const Region hole = part_of_plane(kPlaneNy, kPlaneNx, kWrongRank, layout.ranks, false);
        const PublishedFileReader file(result.directory + "/w_10.nc");
        const std::string extent =
            std::to_string(hole.size()) + " of 24 elements, within x " + std::to_string(hole.start[1]) + ":" +
            std::to_string(hole.start[1] + hole.count[1]) + ", y " + std::to_string(hole.start[0]) + ":" +
            std::to_string(hole.start[0] + hole.count[0]);
        EXPECT_EQ(file.attribute("w", "holes"), extent);
        expect_words(result.report, {"warning: w.nc: w has _FillValue in " + extent,
                                     "warning: averaged.nc: w has _FillValue"});
        const std::vector<double> times = file.values("time"), values = file.values("w");
        ASSERT_EQ(std::ssize(values), std::ssize(times) * kPlaneNy * kPlaneNx);
        for (Index at = 0; at < std::ssize(values); ++at) {
          const Index y = at % kPlaneNy, x = at / kPlaneNy % kPlaneNx;
          const bool is_in_y = y >= hole.start[0] && y < hole.start[0] + hole.count[0];
          const bool is_in_x = x >= hole.start[1] && x < hole.start[1] + hole.count[1];
          const double value = values[static_cast<std::size_t>(at)];
          if (is_in_y && is_in_x) {
            ASSERT_EQ(value, kFill) << at;
          } else {
            ASSERT_LT(value, 1e6) << at;
            ASSERT_EQ(static_cast<Index>(value) % 1000, 10 * y + x) << at;
          }
        }
      });
}

TEST_F(RegistrationScenario, a_field_that_nobody_registers_is_refused_with_what_needs_it) {
  const auto renamed = [](Client& client, ClientRank rank, ClientRank ranks) {
    client.dimension({"y", kPlaneNy, {}, ""});
    client.dimension({"x", kPlaneNx, {}, ""});
    client.field(
        {"ww", ElementType::float64, {"y", "x"}, part_of_plane(kPlaneNy, kPlaneNx, rank, ranks, false)});
    client.field({"dt", ElementType::float64, {}, {}});
    return true;
  };

  expect_refused(all_layouts(),
                 [&](PlaneModel& model) {
                   model.register_instead = [&, ranks = model.ranks](Client& client, ClientRank rank) {
                     return renamed(client, rank, ranks);
                   };
                 },
                 {"run.xml:3:18", "does not register the field \"w\"", "\"w\" in file \"averaged.nc\"",
                  "did you mean \"ww\"?"});
}

TEST_F(RegistrationScenario, a_field_that_one_rank_forgets_to_register_is_refused_and_the_rank_named) {
  const auto without = [](Client& client, ClientRank rank) {
    if (rank != kWrongRank) return false;
    client.dimension({"y", kPlaneNy, {}, ""});
    client.dimension({"x", kPlaneNx, {}, ""});
    client.field({"dt", ElementType::float64, {}, {}});
    return true;
  };

  expect_refused(several_ranks(), [&](PlaneModel& model) { model.register_instead = without; },
                 {"run.xml:3:18", "field \"w\" is not registered on model rank 1"});
}

TEST_F(RegistrationScenario, a_type_that_differs_between_ranks_is_refused) {
  const auto single = [](PlaneModel& model) {
    const Region part = part_of_plane(kPlaneNy, kPlaneNx, kWrongRank, model.ranks, false);
    model.register_instead = with_w_of_rank(kWrongRank, {"w", ElementType::float32, {"y", "x"}, part});
  };

  expect_refused(several_ranks(), single,
                 {"field \"w\" has the type \"float\" on model rank 1, but \"double\" on model rank 0"});
}

TEST_F(RegistrationScenario, a_type_that_the_declared_one_cannot_hold_is_refused) {
  const auto declared_integer = [](SimulatedRun& run) {
    const std::string declared = R"(name="dt" type="scalar" data_type=")";
    run.configuration.replace(run.configuration.find(declared) + declared.size(), 6, "integer");
  };

  expect_in_every_order(
      all_layouts(), {},
      [](const SimulatedResult& result, RunLayout) {
        expect_all_told(
            result, {"run.xml:4:47", "field \"dt\" is \"double\" in the model", "\"integer\" cannot hold"});
        expect_no_files(result);
      },
      declared_integer);
}

TEST_F(RegistrationScenario, a_rank_that_leaves_before_commit_ends_the_run_of_all) {
  const auto leaves = [](Client&, ClientRank rank) -> bool {
    if (rank == kWrongRank) throw UsageError("the model could not read its restart file");
    return false;
  };

  expect_in_every_order(
      several_ranks(), [&](PlaneModel& model) { model.register_instead = leaves; },
      [](const SimulatedResult& result, RunLayout layout) {
        for (ClientRank rank = 0; rank < layout.ranks; ++rank) {
          if (rank == kWrongRank) continue;
          EXPECT_EQ(result.model_errors[rank], "model rank 1 left before commit");
        }
        expect_no_files(result);
      });
}

TEST_F(RegistrationScenario, every_rank_but_one_may_leave_before_commit) {
  const auto leave = [](Client&, ClientRank rank) -> bool {
    if (rank != 0) throw UsageError("no");
    return false;
  };

  expect_in_every_order(
      several_ranks(), [&](PlaneModel& model) { model.register_instead = leave; },
      [](const SimulatedResult& result, RunLayout) {
        expect_words(result.model_errors[0], {"left before commit"});
        expect_no_files(result);
      });
}

/// Listing 1 declares its fields optional, so a model without "w" gets one warning and everything else.
TEST_F(RegistrationScenario, an_optional_field_that_nobody_registers_takes_only_what_needs_it_along) {
  const auto only_dt = [](Client& client, ClientRank) {
    client.dimension({"y", kPlaneNy, {}, ""});
    client.dimension({"x", kPlaneNx, {}, ""});
    client.field({"dt", ElementType::float64, {}, {}});
    return true;
  };
  const auto optional = [&](SimulatedRun& run) {
    const std::string declared = R"(collective="true")";
    run.configuration.insert(run.configuration.find(declared), "optional=\"true\" ");
    run.model = [&, ranks = run.ranks](Client& client, ClientRank rank) {
      only_dt(client, rank);
      client.commit();
      for (const Step& step : even_steps()) {
        client.begin(step, step.index == 8);
        client.put(0, &step.length, nullptr);
        EXPECT_TRUE(client.end().empty());
      }
      client.finish();
    };
  };

  std::string warnings;
  ::testing::internal::CaptureStderr();
  log::set_level(log::Level::warning);
  SimulatedRun run;
  run.configuration = kPlaneConfiguration;
  run.ranks = 3;
  run.servers = 2;
  optional(run);
  simulate(run);
  log::set_level(log::Level::error);
  log::flush();
  warnings = ::testing::internal::GetCapturedStderr();

  // There is a line for the field, and one for each file that is empty without it. Sanitizers write to the
  // same place; their lines do not count.
  std::istringstream lines(warnings);
  int said = 0;
  for (std::string line; std::getline(lines, line);) said += line.find("[pileus] warning: ") != line.npos;
  EXPECT_EQ(said, 4) << warnings;
  expect_words(
      warnings,
      {"run.xml:3:18: warning: the model does not register the field \"w\", which is optional: left out are "
       "diagnostic \"w_mean\" (rules \"w_local\", \"w_mean\"), \"w\" in file \"w.nc\", \"w\" in file "
       "\"averaged.nc\", \"w_mean\" in file \"mean.nc\""});
  expect_words(warnings, {"file \"w.nc\" is not written: nothing is left in it"});
  expect_in_every_order(
      all_layouts(), {},
      [](const SimulatedResult& result, RunLayout) {
        EXPECT_EQ(result.errors, "");
        EXPECT_EQ(result.files.size(), 2u);
        EXPECT_TRUE(result.files.contains("dt_10.nc") && result.files.contains("dt_20.nc"));
      },
      optional);
}

TEST_F(RegistrationScenario, ranks_that_continue_after_different_steps_are_refused) {
  const auto after = [](std::int64_t of_rank_0, std::int64_t of_others) {
    return [=](PlaneModel& model) {
      model.register_instead = [=](Client& client, ClientRank rank) {
        const std::int64_t step = rank == 0 ? of_rank_0 : of_others;
        if (step >= 0) client.continue_after(step);
        return false;  // from then on it does what the model does
      };
    };
  };

  expect_refused(several_ranks(), after(4, 8),
                 {"model rank 1 continues after step 8, but model rank 0 continues after step 4"});
  expect_refused(several_ranks(), after(-1, 8),
                 {"model rank 1 continues after step 8, but model rank 0 starts afresh"});
  expect_refused(several_ranks(), after(4, -1),
                 {"model rank 1 starts afresh, but model rank 0 continues after step 4", "pileus_continue"});
}

}  // namespace
}  // namespace pileus::testing
