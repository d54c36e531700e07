#include "plan/extracts.h"

#include <functional>
#include <span>

#include "layout/test_config.h"
#include "layout/test_slicer.h"

namespace pileus {
namespace {

using namespace planning_test;

/// Fields of 8 × 64 × 32 elements on two ranks.
struct Case {
  ConfigBuilder config;

  Case() {
    config.group("raw");
    for (const char* name : {"u", "v"}) config.field(name, "z,y,x", true);
    config.config.pushdown_budget_s = 1;
  }
  /// A diagnostic that is a reduction of the field to a profile, and a variable of the last file.
  void profile(const std::string& reduction, const std::string& field, const std::string& result) {
    config.diagnostic(result);
    config.localreduce(reduction, field, result + "_local", "y,x");
    config.reduction(reduction, result + "_local", result);
    config.include(result, "averaged");
  }
  using Picks = std::function<operators::Picked(const operators::Region&)>;
  static operators::Picked level_3(const operators::Region& part) {
    return {{3, 0, 0}, {1, part.count[1], part.count[2]}, {1, 1, 1}};
  }
  void slice_of(const std::string& field, const std::string& result, const Picks& picks = level_3) {
    add_slicer(config);
    config.config.catalogue.operators.back().prepare = [picks](const operators::Rule& rule) {
      operators::Prepared prepared = prepare_slicer(rule);
      prepared.picks = picks;
      return prepared;
    };
    slice(config, result, field, "z", 3);
    config.include(result);
  }
  Plan plan() {
    ModelBuilder model(2);
    model.dimension("z", 8).dimension("y", 64).dimension("x", 32);
    for (const char* name : {"u", "v"}) model.distributed(name, {"z", "y", "x"});
    Planned planned = plan_of(config, model);
    EXPECT_EQ(planned.findings.text(), "");
    return std::move(planned.plan);
  }
  FieldDemand demand_of(const std::string& field, ClientRank rank = 1) {
    const Demand demand = plan().demand(rank, 1000);
    for (const FieldDemand& one : demand.groups.at(0).fields)
      if (one.name == field) return one;
    throw std::runtime_error("no field " + field);
  }
};

TEST(ExtractsOfPlan, of_a_field_that_is_reduced_alone_are_sums_for_servers_of_other_nodes) {
  Case one;
  one.config.file("f.nc");
  one.profile("mean", "u", "u_mean");
  one.profile("sum", "u", "u_sum");
  one.profile("max", "u", "u_max");

  const FieldDemand demand = one.demand_of("u");

  EXPECT_TRUE(demand.is_for_far_servers);
  ASSERT_EQ(demand.extracts.size(), 2U);  // the mean and the sum are of the same sums
  EXPECT_EQ(demand.extracts[0].reduction, Reduction::sum);
  EXPECT_EQ(demand.extracts[0].axes, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(demand.extracts[0].extents, (Extents{8}));
  EXPECT_EQ(demand.extracts[0].start, (Extents{0}));
  EXPECT_EQ(demand.extracts[1].reduction, Reduction::max);
}

TEST(ExtractsOfPlan, are_none_where_something_needs_the_field_itself) {
  Case with_equation, with_record, with_variance;
  with_equation.config.file("f.nc");
  with_equation.profile("mean", "u", "u_mean");
  with_equation.config.diagnostic("both");
  with_equation.config.arithmetic("u + v", "both");
  with_equation.config.include("both");
  with_record.config.file("f.nc");
  with_record.profile("mean", "u", "u_mean");
  with_record.config.include("u");
  with_variance.config.file("f.nc");
  with_variance.profile("variance", "u", "u_var");

  EXPECT_TRUE(with_equation.demand_of("u").extracts.empty());
  EXPECT_TRUE(with_record.demand_of("u").extracts.empty());
  EXPECT_TRUE(with_variance.demand_of("u").extracts.empty());
}

TEST(ExtractsOfPlan, of_slices_are_for_all_servers) {
  Case one;
  one.config.file("f.nc");
  one.slice_of("u", "level");

  const FieldDemand demand = one.demand_of("u");

  EXPECT_FALSE(demand.is_for_far_servers);
  ASSERT_EQ(demand.extracts.size(), 1U);
  EXPECT_EQ(demand.extracts[0].first, (Extents{3, 0, 0}));
  EXPECT_EQ(demand.extracts[0].count, (Extents{1, 64, 16}));
  EXPECT_EQ(demand.extracts[0].extents, (Extents{64, 16}));
}

TEST(ExtractsOfPlan, are_none_of_an_operator_that_does_not_say_what_it_picks) {
  Case one;
  one.config.file("f.nc");
  one.slice_of("u", "level", {});

  EXPECT_TRUE(one.demand_of("u").extracts.empty());
}

/// Rank 1 has 8 × 64 × 16 elements, and the result 64 × 16 of them.
TEST(ExtractsOfPlan, are_none_of_an_operator_that_names_elements_that_its_result_cannot_be_made_of) {
  const auto extracts_with = [](const Case::Picks& picks) {
    Case one;
    one.config.file("f.nc");
    one.slice_of("u", "level", picks);
    return one.demand_of("u").extracts.size();
  };
  const auto extracts_of = [&](const operators::Picked& picked) {
    return extracts_with([picked](const operators::Region&) { return picked; });
  };
  constexpr Index kMost = INT64_MAX;

  EXPECT_EQ(extracts_of({{3, 0, 0}, {1, 64, 16}, {1, 1, 1}}), 1U);
  EXPECT_EQ(extracts_of({{0, 0, 0}, {2, 32, 16}, {7, 2, 1}}), 1U) << "as many, up to the last one";
  EXPECT_EQ(extracts_of({{3, 0, 0}, {1, 63, 16}, {1, 1, 1}}), 0U) << "too few";
  EXPECT_EQ(extracts_of({{3, 0, 0}, {2, 64, 16}, {1, 1, 1}}), 0U) << "too many";
  EXPECT_EQ(extracts_of({{3, 0, 0}, {0, 64, 16}, {1, 1, 1}}), 0U) << "none";
  EXPECT_EQ(extracts_of({{8, 0, 0}, {1, 64, 16}, {1, 1, 1}}), 0U) << "behind the part";
  EXPECT_EQ(extracts_of({{3, 0, 1}, {1, 64, 16}, {1, 1, 1}}), 0U) << "beyond its end";
  EXPECT_EQ(extracts_of({{0, 0, 0}, {2, 32, 16}, {8, 2, 1}}), 0U) << "with their steps";
  EXPECT_EQ(extracts_of({{-1, 0, 0}, {1, 64, 16}, {1, 1, 1}}), 0U) << "before it";
  EXPECT_EQ(extracts_of({{3, 0, 0}, {-1, -64, 16}, {1, 1, 1}}), 0U) << "less than none";
  EXPECT_EQ(extracts_of({{3, 0, 0}, {1, 64, 16}, {1, 1, 0}}), 0U) << "one again and again";
  EXPECT_EQ(extracts_of({{0, 63, 0}, {1, 64, 16}, {1, -1, 1}}), 0U) << "backwards";
  EXPECT_EQ(extracts_of({{3, 0}, {1, 64}, {1, 1}}), 0U) << "of fewer dimensions";
  EXPECT_EQ(extracts_of({{3, 0, 0, 0}, {1, 64, 16, 1}, {1, 1, 1, 1}}), 0U) << "of more";
  EXPECT_EQ(extracts_of({}), 0U) << "of none";
  EXPECT_EQ(extracts_of({{kMost, 0, 0}, {1, 64, 16}, {1, 1, 1}}), 0U);
  EXPECT_EQ(extracts_of({{3, 0, 0}, {kMost, kMost, kMost}, {1, 1, 1}}), 0U);
  EXPECT_EQ(extracts_of({{0, 0, 0}, {2, 32, 16}, {kMost, kMost, kMost}}), 0U);
  EXPECT_EQ(
      extracts_with([](const operators::Region&) -> operators::Picked { throw std::bad_function_call(); }),
      0U);
}

TEST(ExtractsOfPlan, are_floats_where_files_have_them_at_instants) {
  const auto type_of = [](const std::function<void(Case&)>& change) {
    Case one;
    one.config.file("f.nc");
    one.config.include("u").storage.precision = one.config.text("float");
    change(one);
    const FieldDemand demand = one.demand_of("u");
    return demand.extracts.empty() ? demand.type : demand.extracts[0].type;
  };
  const auto field = [](Case& one) -> FieldConfig& { return one.config.config.data_groups[0].fields[0]; };

  EXPECT_EQ(type_of([](Case&) {}), ElementType::float32);
  EXPECT_EQ(type_of([](Case& one) { one.config.include("u", "averaged"); }), ElementType::float64);
  EXPECT_EQ(type_of([](Case& one) {
              one.config.file("g.nc");
              one.config.include("u");  // in double precision
            }),
            ElementType::float64);
  EXPECT_EQ(type_of([](Case& one) {
              one.config.file("g.nc");
              one.config.include("u").storage.precision = one.config.text("float");
              one.config.config.files.back().includes.back().storage.significant_bits = 7;
            }),
            ElementType::float64);
  EXPECT_EQ(type_of([&](Case& one) { field(one).missing_value = 5; }), ElementType::float64);
  EXPECT_EQ(type_of([&](Case& one) {
              one.config.include("v");
              field(one).is_static = true;
            }),
            ElementType::float64);
}

TEST(ExtractsOfPlan, follow_what_the_configuration_says) {
  const auto demand_with = [](Pushdown word, bool may = true) {
    Case one;
    one.config.config.may_push_down = may;
    one.config.config.data_groups[0].fields[0].pushdown = word;
    one.config.file("f.nc");
    one.profile("mean", "u", "u_mean");
    return one.demand_of("u");
  };

  EXPECT_TRUE(demand_with(Pushdown::no).extracts.empty());
  EXPECT_FALSE(demand_with(Pushdown::yes).is_for_far_servers);
  EXPECT_EQ(demand_with(Pushdown::yes).extracts.size(), 1U);
  EXPECT_TRUE(demand_with(Pushdown::yes, false).extracts.empty());
}

TEST(ExtractsOfPlan, cost_no_more_than_their_bytes_and_the_budget) {
  Case one;
  one.config.file("f.nc");
  // Each element costs two sums more than its copy.
  for (const std::string field : {"u", "v"})
    for (const char* reduction : {"mean", "min", "max"})
      one.profile(reduction, field, field + "_" + reduction);
  EXPECT_FALSE(one.demand_of("u").extracts.empty());
  EXPECT_FALSE(one.demand_of("v").extracts.empty());

  one.config.config.pushdown_budget_s = 20e-6;  // each costs 13 us beside its copy
  EXPECT_FALSE(one.demand_of("u").extracts.empty());
  EXPECT_TRUE(one.demand_of("v").extracts.empty());

  one.config.config.pushdown_budget_s = 1;
  one.profile("count", "u", "u_count");
  EXPECT_TRUE(one.demand_of("u").extracts.empty());  // four sums cost more than the bytes that they save
}

TEST(ExtractsOfPlan, go_through_bytes_and_damaged_ones_are_refused) {
  Case one;
  one.config.file("f.nc");
  one.profile("mean", "u", "u_mean");
  one.slice_of("v", "level");
  const Demand demand = one.plan().demand(0, 1000);
  Bytes bytes;
  Encoder out(bytes);
  demand.encode(out);

  Decoder in(bytes);
  const Demand decoded = Demand::decode(in);
  EXPECT_TRUE(in.is_at_end());
  Bytes again;
  Encoder second(again);
  decoded.encode(second);
  EXPECT_EQ(again, bytes);

  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Decoder cut{std::span(bytes).first(length)};
    EXPECT_THROW(Demand::decode(cut), Error) << length;
  }
}

}  // namespace
}  // namespace pileus
