#include "plan/bundles.h"

#include <algorithm>

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// Means of profiles, each of a local sum divided by a constant, over 10 s in one file.
class Bundles : public ::testing::Test {
 protected:
  Bundles() {
    config_.group("raw");
    model_.dimension("z", 5).dimension("y", 4).dimension("x", 6);
  }
  void diagnostic(const std::string& name, const std::string& divisor = "24",
                  const std::string& reduction = "sum") {
    config_.field("raw_" + name, "z,y,x", true);
    model_.distributed("raw_" + name, {"z", "y", "x"});
    names_.push_back(name);
    divisors_.push_back(divisor);
    reductions_.push_back(reduction);
  }
  /// Each diagnostic with a manipulation.
  Plan plan(const std::vector<std::string>& manipulations) {
    for (std::size_t d = 0; d < names_.size(); ++d) {
      config_.diagnostic(names_[d]);
      config_.localreduce(reductions_[d], "raw_" + names_[d], "local_" + names_[d]);
      const bool is_scaled = divisors_[d] != "";
      config_.reduction(reductions_[d], "local_" + names_[d], is_scaled ? "sum_" + names_[d] : names_[d]);
      if (is_scaled) config_.arithmetic("sum_" + names_[d] + "/" + divisors_[d], names_[d]);
    }
    config_.file("f.nc");
    for (std::size_t d = 0; d < names_.size(); ++d) config_.include(names_[d], manipulations[d]);
    return plan_of(config_, model_).plan;
  }
  static std::vector<std::vector<std::string>> names(const Plan& plan) {
    std::vector<std::vector<std::string>> names;
    for (const Bundle& bundle : plan.bundles) {
      std::vector<std::string>& members = names.emplace_back();
      for (const Bundle::Member& member : bundle.members) {
        for (const Variable& variable : plan.variables)
          if (variable.value == member.value) members.push_back(variable.name);
      }
    }
    return names;
  }

  ConfigBuilder config_;
  ModelBuilder model_{2};
  std::vector<std::string> names_, divisors_, reductions_;
};

using Names = std::vector<std::vector<std::string>>;

TEST_F(Bundles, have_what_is_reduced_scaled_and_averaged_alike) {
  diagnostic("a");
  diagnostic("b");
  diagnostic("c", "12");
  diagnostic("d");

  const Plan made = plan({"averaged", "averaged", "averaged", "averaged"});

  EXPECT_EQ(names(made), (Names{{"a", "b", "d"}}));
}

TEST_F(Bundles, have_communications_one_after_the_other_first_in_their_tree) {
  diagnostic("a", "12");
  diagnostic("b");
  diagnostic("c", "7");
  diagnostic("d");

  const Plan made = plan({"averaged", "averaged", "averaged", "averaged"});

  ASSERT_EQ(made.bundles.size(), 1U);
  const Bundle& bundle = made.bundles[0];
  const Tree& tree = made.trees[bundle.tree];
  ASSERT_EQ(tree.communications.size(), 4U);
  EXPECT_EQ(tree.bundles, std::vector<std::size_t>{0});
  for (std::size_t m = 0; m < bundle.members.size(); ++m)
    EXPECT_EQ(tree.communications[bundle.first + m], bundle.members[m].communication);
  EXPECT_EQ(bundle.divide, std::vector<double>{24});
  for (const Bundle::Member& member : bundle.members) EXPECT_TRUE(made[member.value].is_in_bundle);
}

TEST_F(Bundles, are_apart_for_windows_of_other_kinds_and_none_for_snapshots) {
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) diagnostic(name);

  const Plan made =
      plan({"averaged", "accumulated", "instantaneous", "averaged", "instantaneous", "accumulated"});

  Names found = names(made);
  std::ranges::sort(found);
  EXPECT_EQ(found, (Names{{"a", "d"}, {"b", "f"}}));
}

TEST_F(Bundles, do_not_mix_reductions) {
  diagnostic("a", "", "mean");
  diagnostic("b", "", "sum");
  diagnostic("c", "", "max");
  diagnostic("d", "", "mean");
  diagnostic("e", "", "max");
  diagnostic("f", "", "sum");

  const Plan made = plan(std::vector<std::string>(6, "averaged"));

  Names found = names(made);
  std::ranges::sort(found);
  EXPECT_EQ(found, (Names{{"a", "d"}, {"b", "f"}}));
}

TEST_F(Bundles, do_not_mix_what_may_be_absent_with_what_is_there) {
  for (const char* name : {"a", "b", "c", "d"}) diagnostic(name);
  for (const std::size_t optional : {1U, 2U})
    config_.config.data_groups[0].fields[optional].is_optional = true;

  const Plan made = plan(std::vector<std::string>(4, "averaged"));

  EXPECT_EQ(names(made), (Names{{"a", "d"}}));
}

TEST_F(Bundles, leave_alone_what_a_rule_takes_too) {
  for (const char* name : {"a", "b", "c"}) diagnostic(name);
  config_.diagnostic("twice");
  config_.arithmetic("a * a", "twice");
  config_.file("g.nc");
  config_.include("twice", "averaged");

  const Plan made = plan({"averaged", "averaged", "averaged"});

  EXPECT_EQ(names(made), (Names{{"b", "c"}}));
}

TEST_F(Bundles, are_none_of_one_value) {
  diagnostic("a");
  diagnostic("b", "12");

  const Plan made = plan({"averaged", "averaged"});

  EXPECT_TRUE(made.bundles.empty());
  EXPECT_TRUE(made.trees[0].bundles.empty());
}

}  // namespace
}  // namespace pileus
