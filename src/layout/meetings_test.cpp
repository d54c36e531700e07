// A slice that meets other distributed values lies on few ranks. It stays there if its parts fit theirs, and
// goes to all ranks otherwise. Nothing that is written about the result may show which.

#include "layout/test_slicer.h"

namespace pileus {
namespace {

using namespace planning_test;

constexpr Index kZ = 4, kY = 6, kX = 8;

/// "edge" lies on the ranks of the lowest part of y and z; "turned" has its dimensions in reverse order. The
/// slices of theta are "level" at z = 1, "row" at y = 3 and "other" at y = 4; "column" is the slice of "row"
/// at x = 2.
ConfigBuilder with_slices() {
  ConfigBuilder config;
  add_slicer(config);
  config.group("raw");
  config.field("theta", "z,y,x", true);
  config.field("qv", "z,y,x", true);
  config.field("p", "y,x", true);
  config.field("edge", "x", true);
  config.field("turned", "x,y,z", true);
  slice(config, "level", "theta", "z", 1);
  slice(config, "row", "theta", "y", 3);
  slice(config, "other", "theta", "y", 4);
  slice(config, "column", "row", "x", 2);
  slice(config, "across", "turned", "y", 4);
  config.file("f.nc");
  return config;
}

DiagnosticConfig& written(ConfigBuilder& config, const std::string& expression) {
  DiagnosticConfig& diagnostic = config.diagnostic("d");
  diagnostic.expression = config.text(expression);
  config.include("d", "averaged");
  return diagnostic;
}

/// A model whose ranks divide each dimension into so many parts. The plane lies on the ranks of the lowest
/// part of z.
ModelBuilder model(Index z, Index y, Index x) {
  ModelBuilder model(static_cast<std::size_t>(z * y * x));
  model.dimension("z", kZ).dimension("y", kY).dimension("x", kX);
  for (const char* name : {"theta", "qv"}) model.field(name, {"z", "y", "x"});
  model.field("p", {"y", "x"}).field("edge", {"x"}).field("turned", {"x", "y", "z"});
  for (std::size_t rank = 0; rank < model.model.ranks.size(); ++rank) {
    const auto n = static_cast<Index>(rank);
    const Region volume = {{n % z * (kZ / z), n / z % y * (kY / y), n / z / y * (kX / x)},
                           {kZ / z, kY / y, kX / x}};
    for (const char* name : {"theta", "qv"}) model.registered(rank, name).region = volume;
    Region plane = {{volume.start[1], volume.start[2]}, {volume.count[1], volume.count[2]}};
    if (volume.start[0] > 0) plane.count = {0, 0};
    model.registered(rank, "p").region = plane;
    const bool is_lowest = volume.start[0] == 0 && volume.start[1] == 0;
    model.registered(rank, "edge").region = {{volume.start[2]}, {is_lowest ? volume.count[2] : 0}};
    model.registered(rank, "turned").region = {{volume.start[2], volume.start[1], volume.start[0]},
                                               {volume.count[2], volume.count[1], volume.count[0]}};
  }
  return model;
}

/// Two ranks, each of which has the part of qv that fits the other's fields.
ModelBuilder with_qv_elsewhere() {
  ModelBuilder swapped = model(1, 2, 1);
  std::swap(swapped.registered(0, "qv").region, swapped.registered(1, "qv").region);
  return swapped;
}

std::vector<ModelBuilder> layouts() {
  return {model(1, 1, 1), model(1, 1, 4), model(1, 3, 1), model(2, 1, 1), model(2, 3, 2)};
}

Plan plan_with(const ConfigBuilder& config, const ModelBuilder& builder) {
  Planned planned = plan_of(config, builder, 2);
  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  return std::move(planned.plan);
}

std::size_t broadcasts(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.rules, [](const Rule& rule) { return std::holds_alternative<Broadcast>(rule.action); }));
}

TEST(Meetings, of_slices_are_accepted_in_every_layout_and_lie_as_the_widest) {
  for (const char* text :
       {"theta - row", "theta - level", "row - other", "row * column", "theta - (row - other)", "level * p",
        "theta * column + level", "where(theta > row, row, qv)", "theta - (row - mean[x](row))",
        "across - row", "row - across", "edge * level", "row * edge", "shaped * edge", "theta - residue",
        "theta * p", "qv * edge - p"}) {
    ConfigBuilder config = with_slices();
    config.diagnostic("residue").expression = config.text("row - mean[x](row)");
    config.diagnostic("shaped").expression = config.text("mean[z](qv) * level");
    written(config, text);
    EXPECT_FALSE(checked(config).has_errors()) << text << checked(config).text();

    std::optional<std::string> definition;
    std::vector<DimensionId> dimensions;
    for (const ModelBuilder& one : layouts()) {
      const Plan plan = plan_with(config, one);
      ASSERT_EQ(plan.variables.size(), 1U) << text;
      const Variable& variable = plan.variables[0];
      EXPECT_EQ(plan[variable.value].spread, Spread::distributed) << text;
      if (!definition) dimensions = plan[variable.value].dimensions;
      EXPECT_EQ(plan[variable.value].dimensions, dimensions) << text;
      EXPECT_EQ(variable.definition, definition.value_or(variable.definition)) << text;
      definition = variable.definition;
    }
  }
}

TEST(Meetings, leave_a_slice_where_its_parts_are_those_of_what_it_meets) {
  for (const char* text : {"theta - level", "level * p", "sum[z](theta * level)", "row * 2 - row"}) {
    ConfigBuilder config = with_slices();
    written(config, text);

    EXPECT_EQ(broadcasts(plan_with(config, model(1, 3, 2))), 0U) << text;
  }
}

TEST(Meetings, send_a_slice_once_to_all_ranks_where_others_are_elsewhere) {
  ConfigBuilder config = with_slices();
  written(config, "theta - row");
  config.diagnostic("e").expression = config.text("sum(qv * row | theta > 2 * row)");
  config.include("e", "averaged");

  const Plan plan = plan_with(config, model(1, 3, 1));

  EXPECT_EQ(broadcasts(plan), 1U);
}

/// Ranks reduce a slice where they have it; the server that reduces the whole of it sends the result.
TEST(Meetings, send_a_reduced_slice_as_it_is_sent_otherwise) {
  ConfigBuilder config = with_slices();
  config.diagnostic("residue").expression = config.text("row - mean[x](row)");
  written(config, "theta - residue");

  std::vector<Reduction> sent;
  for (const Rule& rule : plan_with(config, model(1, 3, 1)).rules) {
    if (const auto* action = std::get_if<Communicate>(&rule.action)) sent.push_back(action->reduction);
  }

  std::ranges::sort(sent);
  EXPECT_EQ(sent, (std::vector{Reduction::mean, Reduction::min}));
}

TEST(Meetings, of_a_plane_and_a_slice_lie_where_the_model_has_the_plane) {
  ConfigBuilder config = with_slices();
  written(config, "level - p");

  const Plan plan = plan_with(config, model(2, 1, 1));  // z = 1 is in the lower half, as is the plane
  EXPECT_EQ(broadcasts(plan), 0U);

  ConfigBuilder upper = with_slices();
  slice(upper, "above", "theta", "z", 3);
  written(upper, "above - p");
  const Plan moved = plan_with(upper, model(2, 1, 1));
  EXPECT_EQ(broadcasts(moved), 1U);
  const HeldPart& part = value_of(moved, "d").parts[0];
  ASSERT_TRUE(part.field.is_valid());
  EXPECT_EQ(moved[part.field].name, "p");
}

TEST(Meetings, of_covariances_take_all_pairs) {
  for (const char* text : {"cov[y,x](theta, row)", "cov[x](row, other)", "cov[x](row, column)",
                           "cov[y,x](level, p)", "cov[y,x](p, level)"}) {
    ConfigBuilder config = with_slices();
    written(config, text);
    EXPECT_FALSE(checked(config).has_errors()) << text << checked(config).text();
    for (const ModelBuilder& one : layouts()) {
      const Plan plan = plan_with(config, one);
      ASSERT_EQ(plan.variables.size(), 1U);
      EXPECT_EQ(value_of(plan, "d").spread, Spread::rooted) << text;
    }
  }
}

TEST(Meetings, leave_units_and_methods_as_they_are) {
  for (const char* text :
       {"cov[y,x](theta, p)", "cov[y,x](p, theta)", "mean[y,x](p | theta > 0)", "max[y,x](theta | p > 0)",
        "mean[y,x](theta, weight=p)", "sum[y,x](level, weight=p)", "mean[y,x](p, weight=level)",
        "mean[y,x](mean[z](theta), weight=p)", "mean[y,x](mean[z](theta), weight=p | p > 0)",
        "mean[y,x](p, weight=mean[z](theta))", "var[y,x](row | theta > p)"}) {
    ConfigBuilder config = with_slices();
    config.config.data_groups[0].fields[0].metadata.units = {"K", {}};
    config.config.data_groups[0].fields[2].metadata.units = {"Pa", {}};
    written(config, text);

    std::optional<std::string> first;
    for (const ModelBuilder& one : layouts()) {
      const std::vector<Attribute> attributes = plan_with(config, one).variables[0].attributes;
      const std::string said = attribute(attributes, "units") + ", " + attribute(attributes, "cell_methods");
      EXPECT_EQ(said, first.value_or(said)) << text;
      first = said;
    }
    const bool is_of_field = std::string(text).find("](theta") != std::string::npos || text[0] != 'v';
    const bool has_weight = std::string(text).find("weight") != std::string::npos;
    EXPECT_TRUE(has_weight || first->starts_with("(none)") != is_of_field) << text << *first;
  }
}

/// Bins of all cells, and of the lowest ones in reverse order. If ranks divide z, the slice goes to all
/// ranks.
TEST(Meetings, of_a_covariance_leave_its_dimensions_in_one_order) {
  for (const char* text : {"cov[y](slice, bins)", "cov[y](bins, slice)"}) {
    std::optional<std::string> first;
    for (const Index cuts : {1, 2}) {
      ConfigBuilder config;
      add_slicer(config);
      config.group("raw");
      config.field("all_bins", "z,y,x,s", true);
      config.field("bins", "s,x,y", true);
      slice(config, "slice", "all_bins", "z", 3);
      config.file("f.nc");
      written(config, text);
      ModelBuilder model(static_cast<std::size_t>(cuts));
      model.dimension("z", kZ).dimension("y", kY).dimension("x", kX).dimension("s", 3);
      model.field("all_bins", {"z", "y", "x", "s"}).field("bins", {"s", "x", "y"});
      for (std::size_t rank = 0; rank < model.model.ranks.size(); ++rank) {
        Region& all = model.registered(rank, "all_bins").region;
        all.count[0] /= cuts;
        all.start[0] = static_cast<Index>(rank) * all.count[0];
        if (rank > 0) model.registered(rank, "bins").region.count = {0, 0, 0};
      }

      const Plan plan = plan_with(config, model);

      const std::string order = plan[plan.variables[0].dimensions[0]].name;
      EXPECT_EQ(first.value_or(order), order) << text;
      first = order;
    }
  }
}

/// Prepares an operator that takes its two inputs part by part.
operators::Prepared prepare_pair(const operators::Rule& rule) {
  operators::Prepared prepared;
  prepared.result = rule.input("field");
  prepared.compute = [](const auto&, const auto&) {};
  return prepared;
}

RuleConfig& pair_of(ConfigBuilder& config, const std::string& field, const std::string& with) {
  config.config.catalogue.operators.push_back(operators::Operator{
      "pair", "", {{"field", ParameterKind::name, true}, {"with", ParameterKind::name, true}}, prepare_pair});
  config.diagnostic("d");
  RuleConfig& rule = config.rule(false, "pair", "d");
  rule.parameters = {{"field", config.text(field)}, {"with", config.text(with)}};
  config.include("d", "averaged");
  return rule;
}

TEST(Meetings, give_an_operator_the_same_part_of_all_its_inputs) {
  for (const char* with : {"row", "level", "column", "theta", "p"}) {
    ConfigBuilder config = with_slices();
    config.config.data_groups[0].fields[0].data_type = config.text("float");
    pair_of(config, "qv", with);
    EXPECT_FALSE(checked(config).has_errors()) << with << checked(config).text();

    std::optional<std::string> definition;
    const ElementType type = with == std::string("p") ? ElementType::float64 : ElementType::float32;
    for (const ModelBuilder& one : layouts()) {
      const Plan plan = plan_with(config, one);
      ASSERT_EQ(plan.variables.size(), 1U) << with;
      EXPECT_EQ(definition.value_or(plan.variables[0].definition), plan.variables[0].definition);
      definition = plan.variables[0].definition;
      const Rule& rule = plan[plan[plan.variables[0].value].rule];
      EXPECT_EQ(plan[rule.inputs[1]].spread, Spread::distributed) << with;
      EXPECT_EQ(plan[rule.inputs[1]].type, type) << with;
    }
  }
}

TEST(Meetings, give_an_operator_all_of_a_reduced_value_in_every_layout) {
  ConfigBuilder config = with_slices();
  config.diagnostic("mean_of_columns").expression = config.text("mean[z](qv)");
  pair_of(config, "theta", "mean_of_columns");
  for (const ModelBuilder& one : layouts()) {
    const Plan plan = plan_with(config, one);
    const Rule& rule = plan[plan[plan.variables[0].value].rule];
    EXPECT_EQ(plan[rule.inputs[1]].spread, Spread::same);
    EXPECT_TRUE(plan[rule.inputs[1]].is_everywhere);
  }
}

TEST(Meetings, leave_a_slice_to_an_operator_where_it_lies_right) {
  ConfigBuilder config = with_slices();
  pair_of(config, "theta", "level");
  EXPECT_EQ(plan_with(config, model(1, 3, 2)).rules.size(), 2U);

  ConfigBuilder other = with_slices();
  pair_of(other, "theta", "row");
  EXPECT_EQ(plan_with(other, model(1, 1, 4)).rules.size(), 2U);
}

TEST(Meetings, in_an_operator_of_two_fields_in_two_places_are_refused) {
  ConfigBuilder config = with_slices();
  const Location where = pair_of(config, "theta", "qv").where;

  const Findings findings = plan_of(config, with_qv_elsewhere()).findings;

  expect_only_error(findings, where, "\"theta\" and \"qv\" lie on different parts of dimension \"y\"");
}

/// If two fields lie differently, only the model can tell which of them lies elsewhere, and why.
TEST(Meetings, of_two_fields_in_two_places_are_refused) {
  ConfigBuilder config = with_slices();
  const Location where = written(config, "theta * qv").expression.where;

  const Findings findings = plan_of(config, with_qv_elsewhere()).findings;

  expect_only_error(findings, where, "\"theta\" and \"qv\" lie on different parts of dimension \"y\"");
}

TEST(Meetings, where_no_rank_holds_a_part_have_no_value_there_in_every_layout) {
  ConfigBuilder config = with_slices();
  written(config, "theta - row");
  for (ModelBuilder one : layouts()) {
    for (RankDescription& rank : one.model.ranks) {
      Region& region = rank.fields[0].region;
      if (region.start[2] + region.count[2] == kX) --region.count[2];
    }

    const Plan plan = plan_with(config, one);

    EXPECT_EQ(broadcasts(plan), 1U);
    EXPECT_TRUE(value_of(plan, "d").missing.has_value());
  }
}

TEST(Meetings, where_no_rank_holds_a_part_leave_narrower_fields_where_they_are) {
  for (const Index cuts : {1, 2}) {
    ConfigBuilder config = with_slices();
    const Location where = written(config, "theta * p").expression.where;
    ModelBuilder one = model(cuts, 1, 1);
    for (RankDescription& rank : one.model.ranks) --rank.fields[0].region.count[2];
    one.registered(0, "p").region.count[1] = kX - 1;

    const Findings findings = plan_of(config, one).findings;

    if (cuts == 1) {
      EXPECT_FALSE(findings.has_errors()) << findings.text();
    } else {
      expect_only_error(findings, where, "\"theta\" and \"p\" lie on different parts of dimension");
    }
  }
}

}  // namespace
}  // namespace pileus
