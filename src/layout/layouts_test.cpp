// What is written about values, and the names by which a checkpoint knows them, must follow from the
// configuration and the global shapes alone. The test plans random expressions and rules for many layouts.

#include <random>
#include <set>

#include "layout/test_slicer.h"

namespace pileus {
namespace {

using namespace planning_test;

/// The number of parts into which the ranks divide each dimension.
struct Cuts {
  Index z, y, x;
  ServerRank servers;
};

constexpr Cuts kLayouts[] = {{1, 1, 1, 1}, {1, 1, 3, 1}, {1, 3, 1, 2},
                             {1, 2, 2, 4}, {2, 1, 1, 1}, {2, 2, 3, 3}};
constexpr Index kZ = 4, kY = 6, kX = 12;

struct Shape {
  std::string name;
  std::set<std::string> dimensions;
  bool is_same = false;  ///< it is made from the profile alone, which each rank has as a whole
};

/// A plane lies on the ranks of the lowest part of the volumes.
std::vector<Shape> fields(bool has_plane) {
  std::vector<Shape> all = {{"w", {"z", "y", "x"}}, {"theta", {"z", "y", "x"}}, {"profile", {"z"}, true}};
  if (has_plane) all.push_back({"p", {"y", "x"}});
  return all;
}

std::vector<std::string> ordered(const std::set<std::string>& dimensions) {
  std::vector<std::string> out;
  for (const char* name : {"z", "y", "x"}) {
    if (dimensions.contains(name)) out.emplace_back(name);
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
  return out;
}

ModelBuilder model(const Cuts& cuts, bool has_plane) {
  ModelBuilder model(static_cast<std::size_t>(cuts.z * cuts.y * cuts.x));
  model.dimension("z", kZ).dimension("y", kY).dimension("x", kX);
  for (const Shape& field : fields(has_plane)) model.field(field.name, ordered(field.dimensions));
  for (std::size_t rank = 0; rank < model.model.ranks.size(); ++rank) {
    const auto n = static_cast<Index>(rank);
    const Region volume = {{n % cuts.z * (kZ / cuts.z), n / cuts.z % cuts.y * (kY / cuts.y),
                            n / cuts.z / cuts.y * (kX / cuts.x)},
                           {kZ / cuts.z, kY / cuts.y, kX / cuts.x}};
    model.registered(rank, "w").region = model.registered(rank, "theta").region = volume;
    Region plane = {{volume.start[1], volume.start[2]}, {volume.count[1], volume.count[2]}};
    if (volume.start[0] > 0) plane.count[0] = 0;
    if (has_plane) model.registered(rank, "p").region = plane;
    model.model.ranks[rank].fields.push_back({"columns", ElementType::float64, {"y", "x"}, plane});
  }
  return model;
}

class Expressions {
 public:
  Expressions(std::uint64_t seed, std::vector<Shape> fields) : random_(seed), fields_(std::move(fields)) {}

  /// A random expression of at least one field.
  Shape any(int depth) {
    switch (depth == 0 ? 0 : random_() % 8) {
      case 0: return fields_[random_() % fields_.size()];
      case 1: return scaled(any(depth - 1));
      case 2: return pair(any(depth - 1), any(depth - 1));
      case 3: {
        const Shape of = any(depth - 1);
        return {(random_() % 2 ? "abs(" : "-(") + of.name + ")", of.dimensions, of.is_same};
      }
      case 4: return weighted(any(depth - 1), any(depth - 1));
      default: return reduced(any(depth - 1));
    }
  }

 private:
  Shape scaled(const Shape& of) {
    constexpr const char* kTexts[] = {"3*(", "-0.1*(", "7/(", "0.3+("};
    return {kTexts[random_() % 4] + of.name + ")", of.dimensions, of.is_same};
  }
  Shape pair(const Shape& a, const Shape& b) {
    constexpr const char* kSigns[] = {" + ", " - ", "*"};
    Shape both = {"(" + a.name + kSigns[random_() % 3] + b.name + ")", a.dimensions, a.is_same && b.is_same};
    both.dimensions.insert(b.dimensions.begin(), b.dimensions.end());
    return both;
  }
  Shape reduced(const Shape& of) {
    std::set<std::string> taken, left;
    for (const std::string& name : of.dimensions) (random_() % 2 ? taken : left).insert(name);
    if (taken.empty() || of.is_same) return of;
    constexpr const char* kWords[] = {"sum", "mean", "min", "max", "var", "std"};
    const std::string condition = random_() % 4 == 0 ? " | " + of.name + " > 0.5" : "";
    const std::string made =
        std::string(kWords[random_() % 6]) + "[" + joined(ordered(taken)) + "](" + of.name + condition + ")";
    return {made + (random_() % 3 == 0 ? "/" + std::to_string(elements(taken)) : ""), left};
  }

  /// The weights have no dimension that the value lacks.
  Shape weighted(const Shape& a, const Shape& b) {
    const bool fits = std::ranges::includes(a.dimensions, b.dimensions);
    const Shape &of = fits ? a : b, &weight = fits ? b : a;
    std::set<std::string> taken, left;
    for (const std::string& name : of.dimensions) (random_() % 2 ? taken : left).insert(name);
    if (taken.empty() || of.is_same || !std::ranges::includes(of.dimensions, weight.dimensions)) return of;
    constexpr const char* kWords[] = {"sum", "mean", "var", "rms"};
    return {std::string(kWords[random_() % 4]) + "[" + joined(ordered(taken)) + "](" + of.name +
                ", weight=" + weight.name + ")",
            left};
  }

  /// The number of elements: a sum divided by it is a mean.
  static Index elements(const std::set<std::string>& dimensions) {
    Index count = 1;
    for (const std::string& name : dimensions) count *= name == "z" ? kZ : name == "y" ? kY : kX;
    return count;
  }

  std::mt19937_64 random_;
  std::vector<Shape> fields_;
};

/// Adds rules as the MONC model writes them, on values that each rank has of its own and on intermediate
/// values.
void add_rules(ConfigBuilder& config) {
  config.field("columns", "?").parts = {"own", {}};
  config.diagnostic("mean_of_columns");
  config.localreduce("sum", "columns", "columns_local");
  config.reduction("sum", "columns_local", "columns_sum");
  config.arithmetic("columns_sum/72", "mean_of_columns");
  config.diagnostic("profile_of_w");
  config.localreduce("sum", "w", "w_local", "y,x");
  config.reduction("sum", "w_local", "w_sum");
  config.arithmetic("w_sum/72", "profile_of_w");
}

/// The fields, and slices of them of which few ranks have a part.
std::vector<Shape> fields_and_slices(bool has_plane) {
  std::vector<Shape> all = fields(has_plane);
  all.push_back({"row", {"z", "x"}});
  all.push_back({"other_row", {"z", "x"}});
  all.push_back({"level", {"y", "x"}});
  all.push_back({"line", {"z"}});
  return all;
}

void add_slices(ConfigBuilder& config) {
  add_slicer(config);
  slice(config, "row", "w", "y", 3);
  slice(config, "other_row", "theta", "y", 1);
  slice(config, "level", "theta", "z", 2);
  slice(config, "line", "row", "x", 7);
}

ConfigBuilder configuration(std::uint64_t seed, bool has_plane) {
  ConfigBuilder config;
  config.group("raw");
  for (const Shape& field : fields(has_plane)) {
    FieldConfig& added = config.field(field.name, joined(ordered(field.dimensions)), field.name != "profile");
    if (field.name == "profile") added.parts = {"same", {}};
    added.metadata.units = {field.name == "w" ? "m s-1" : "K", {}};
  }
  add_rules(config);
  if (seed % 4 < 2) add_slices(config);
  config.file("f.nc");
  config.include("mean_of_columns", "averaged");
  config.include("profile_of_w", "averaged");
  Expressions expressions(seed, seed % 4 < 2 ? fields_and_slices(has_plane) : fields(has_plane));
  for (int i = 0; i < 6; ++i) {
    const std::string name = "d" + std::to_string(i);
    config.diagnostic(name).expression = config.text(expressions.any(4).name);
    config.include(name, "averaged");
  }
  return config;
}

/// Everything that checkpoints and files say about the variables of a plan, in their order.
std::vector<std::string> said_of(const Plan& plan) {
  std::vector<std::string> out;
  for (const Variable& variable : plan.variables) {
    std::string text = variable.name + " " + std::string(name(variable.type)) + " " + variable.definition;
    for (const Attribute& one : variable.attributes)
      text += "; " + one.name + " " + std::get<std::string>(one.value);
    for (DimensionId id : variable.dimensions)
      text += "; " + plan[id].name + " " + std::to_string(plan[id].size);
    for (DimensionId id : plan[variable.value].dimensions) text += " " + plan[id].name;
    text += variable.missing_value ? "; missing " + std::to_string(*variable.missing_value) : "";
    text += "; " + plan[variable.schedule].dimension;
    text += plan[variable.value].form == Form::partials ? "; exact" : "; rounded";
    out.push_back(text);
  }
  return out;
}

class LayoutsOf : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(LayoutsOf, give_variables_the_same_keys_and_metadata) {
  const bool has_plane = GetParam() % 2 == 1;
  const ConfigBuilder config = configuration(GetParam(), has_plane);
  std::optional<std::vector<std::string>> right;
  for (const Cuts& cuts : kLayouts) {
    const Planned made = plan_of(config, model(cuts, has_plane), cuts.servers);

    // An expression that is refused in one layout must be refused in all.
    if (made.findings.has_errors()) {
      EXPECT_FALSE(right && !right->empty()) << made.findings.text();
      right.emplace();
      continue;
    }
    const std::vector<std::string> said = said_of(made.plan);
    if (!right) right = said;
    std::string texts;
    for (const DiagnosticConfig& one : config.config.diagnostics) texts += one.expression.value + "\n";
    ASSERT_EQ(said, *right) << texts << cuts.z << "x" << cuts.y << "x" << cuts.x;
  }
}

constexpr std::uint64_t kSeeds = 40;

INSTANTIATE_TEST_SUITE_P(Random, LayoutsOf, ::testing::Range<std::uint64_t>(0, kSeeds));

TEST(Layouts, are_tried_with_expressions_that_are_not_refused) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const bool has_plane = seed % 2 == 1;
    const Planned made = plan_of(configuration(seed, has_plane), model(kLayouts[0], has_plane));
    if (made.findings.has_errors()) ++refused;
  }
  EXPECT_LT(refused, kSeeds / 4);
}

}  // namespace
}  // namespace pileus
