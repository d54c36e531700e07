#include <bit>
#include <random>

#include "analytics/operators/testing/applied.h"
#include "analytics/operators/testing/columns_oracle.h"

namespace pileus::operators {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kGone = -999;

using Parameters = std::map<std::string, std::string>;

Quantity on(std::string name, const std::vector<std::string>& dimensions, const Region& whole) {
  Quantity made = quantity(std::move(name), {});
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    made.dimensions.push_back({dimensions[d], whole.count[d]});
  made.missing = kGone;
  return made;
}

Prepared along_z(Parameters more, std::vector<Quantity> inputs) {
  Parameters parameters = {{"field", "t"}, {"of", "p"}, {"dimension", "z"}};
  parameters.merge(more);
  return prepared("interpolate", std::move(parameters), std::move(inputs));
}

/// t and p of one column.
std::vector<double> at(const std::string& to, std::vector<double> t, std::vector<double> p,
                       Parameters more = {}) {
  const Region column{{0}, {static_cast<Index>(t.size())}};
  more["to"] = to;
  const Prepared rule = along_z(std::move(more), {on("t", {"z"}, column), on("p", {"z"}, column)});
  const Region region{{0}, {rule.result.dimensions[0].size}};
  std::vector<double> result(static_cast<std::size_t>(region.size()));
  rule.compute({{Type::float64, t.data(), column}, {Type::float64, p.data(), column}},
               {Type::float64, result.data(), region});
  return result;
}

TEST(Interpolate, puts_levels_in_the_place_of_the_dimension) {
  const Region whole{{0, 0}, {3, 2}};
  const Quantity result =
      along_z({{"to", "850 500"}, {"units", "hPa"}}, {on("t", {"z", "x"}, whole), on("p", {"z", "x"}, whole)})
          .result;

  EXPECT_EQ(result.dimensions[0], (Dimension{"p_levels", 2, {850, 500}, "hPa"}));
  EXPECT_EQ(result.dimensions[1], (Dimension{"x", 2}));
  EXPECT_EQ(result.missing, kMissing);
}

TEST(Interpolate, names_levels_of_what_has_no_name_by_the_dimension) {
  const Region whole{{0}, {3}};
  const Parameters parameters = {{"field", "t"}, {"of", "p + 1"}, {"dimension", "z"}, {"to", "1"}};

  const Quantity result =
      prepared("interpolate", parameters, {on("t", {"z"}, whole), on("p + 1", {"z"}, whole)}).result;

  EXPECT_EQ(result.dimensions[0].name, "z_levels");
}

TEST(Interpolate, is_linear_between_neighbours_and_exact_at_nodes) {
  EXPECT_EQ(at("1 1.5 2 4", {10, 20, 60}, {1, 2, 4}), (std::vector<double>{10, 15, 20, 60}));
  EXPECT_EQ(at("4 3 1", {60, 20, 10}, {4, 2, 1}), (std::vector<double>{60, 40, 10}));
}

TEST(Interpolate, takes_the_first_place_from_the_start_where_a_column_turns) {
  // p is 2 at the first node, and again between the last two.
  EXPECT_EQ(at("2 2.5", {10, 20, 30, 40}, {2, 3, 4, 1}), (std::vector<double>{10, 15}));
  // Of equal neighbours the first one counts.
  EXPECT_EQ(at("2", {10, 20, 30}, {1, 2, 2}), (std::vector<double>{20}));
}

TEST(Interpolate, leaves_levels_beyond_a_column_without_a_value_unless_told_otherwise) {
  const std::vector<double> t = {10, 20, 40}, p = {1, 2, 3};

  EXPECT_EQ(at("0 4", t, p), (std::vector<double>{kMissing, kMissing}));
  EXPECT_EQ(at("0 4", t, p, {{"outside", "nearest"}}), (std::vector<double>{10, 40}));
  EXPECT_EQ(at("0 4", t, p, {{"outside", "linear"}}), (std::vector<double>{0, 60}));
  EXPECT_EQ(at("0 1", {7}, {1}, {{"outside", "linear"}}), (std::vector<double>{kMissing, 7}));
}

TEST(Interpolate, takes_the_nearer_of_two_and_of_equally_near_ones_the_lower) {
  EXPECT_EQ(at("1.4 1.5 1.6", {10, 20}, {1, 2}, {{"method", "nearest"}}), (std::vector<double>{10, 10, 20}));
  EXPECT_EQ(at("1.4 1.5 1.6", {20, 10}, {2, 1}, {{"method", "nearest"}}), (std::vector<double>{10, 10, 20}));
}

TEST(Interpolate, needs_only_the_values_that_it_uses) {
  // The node at 3 has no value, the one at 5 no place: 4 to 6 is a gap.
  const std::vector<double> t = {10, kGone, 30, 40, 50}, p = {2, 3, 4, kGone, 6};

  EXPECT_EQ(at("2 2.5 3 4 5 6", t, p), (std::vector<double>{10, kMissing, kMissing, 30, kMissing, 50}));
  EXPECT_EQ(at("5 7", t, p, {{"outside", "nearest"}}), (std::vector<double>{kMissing, 50}));
  EXPECT_TRUE(std::isnan(at("1.5", {kNaN, 1}, {1, 2})[0]));
  EXPECT_EQ(at("1.5", {1, 2}, {1, kNaN}), (std::vector<double>{kMissing}));
}

TEST(Interpolate, in_the_logarithm_passes_by_places_without_one) {
  EXPECT_EQ(at("2", {10, 20, 40}, {-1, 1, 4}, {{"method", "log"}})[0],
            oracle::line(logarithm(2), logarithm(1), 20, logarithm(4), 40));
  EXPECT_EQ(at("0.5", {10, 20, 40}, {-1, 1, 4}, {{"method", "log"}}), (std::vector<double>{kMissing}));
}

std::string refused(Parameters more, const std::vector<std::string>& of_p = {"z", "x"}) {
  const Region whole{{0, 0}, {3, 2}};
  Parameters parameters = {{"field", "t"}, {"of", "p"}, {"dimension", "z"}, {"to", "1"}};
  for (const auto& [name, value] : more) parameters[name] = value;
  return refusal("interpolate", std::move(parameters), {on("t", {"z", "x"}, whole), on("p", of_p, whole)});
}

TEST(Interpolate, refuses_what_cannot_be) {
  EXPECT_EQ(refused({{"to", ""}}), "to: there is no level");
  EXPECT_EQ(refused({{"to", "1 3 2"}}),
            "to: the levels have to rise or fall all along, but 1, 3 and 2 do not");
  EXPECT_EQ(refused({{"to", "1e5 2 1e5"}}), "to: the level 1e+05 is there twice");
  EXPECT_EQ(refused({{"to", "1 inf"}}), "to: inf is no level");
  EXPECT_EQ(refused({{"to", "1 x"}}), "to: \"x\" is not a number");
  EXPECT_EQ(refused({{"to", "0 1"}, {"method", "log"}}),
            "to: the level 0 is not above 0 and has no logarithm");
  EXPECT_EQ(refused({{"dimension", "y"}}), "dimension: \"t\" has no dimension \"y\"; it has z, x");
  EXPECT_EQ(refused({}, {"y"}), "dimension: \"p\" has no dimension \"z\"; it has y");
  EXPECT_EQ(
      refused({}, {"z", "y"}),
      "of: \"p\" has the dimension \"y\", which \"t\" lacks, and that has \"x\": one of the two needs all "
      "dimensions of the other");
  EXPECT_EQ(refused({{"levels", "x"}}),
            "levels: there is a dimension \"x\" already; give the levels another name");
  EXPECT_EQ(refused({{"levels", "a,b"}}), "levels: the levels are one dimension, with one name");
  EXPECT_EQ(refused({{"method", "nearest"}, {"outside", "linear"}}),
            "outside: the method nearest makes no lines; \"nearest\" or \"missing\" go with it");
}

TEST(Interpolate, refuses_a_part_of_a_column) {
  const Region whole{{0, 0}, {3, 2}}, part{{1, 0}, {2, 2}};
  const Prepared rule = along_z({{"to", "1"}}, {on("t", {"z", "x"}, whole), on("p", {"z", "x"}, whole)});
  const std::vector<double> values(4, 1.0);
  std::vector<double> result(2);
  const Part held{Type::float64, values.data(), part};

  EXPECT_THROW(rule.compute({held, held}, {Type::float64, result.data(), {{0, 0}, {1, 2}}}),
               std::runtime_error);
}

/// Random columns of every kind, in a field over a, b and z with z at any place, on one rank of several.
class RandomColumns {
 public:
  explicit RandomColumns(unsigned seed) : random_(seed) {}

  void run(const std::string& method, const std::string& outside) {
    draw();
    std::string to;
    for (double level : levels_) to += std::to_string(level) + " ";
    const Prepared rule = along_z({{"to", to}, {"method", method}, {"outside", outside}},
                                  {on("t", names_, whole_), on("p", names_of_p_, whole_of_p_)});
    Region region = held_;
    region.start[axis_] = 0;
    region.count[axis_] = static_cast<Index>(levels_.size());
    std::vector<double> result(static_cast<std::size_t>(region.size()));
    const std::vector<float> t_single(t_.begin(), t_.end());
    const Part t =
        is_single_ ? Part{Type::float32, t_single.data(), held_} : Part{Type::float64, t_.data(), held_};

    const std::vector<Part> inputs = {t, {Type::float64, p_.data(), held_of_p_}};
    rule.compute(inputs, {Type::float64, result.data(), region});
    check_shared(rule, inputs, region, result);

    std::vector<Index> at(3, 0);
    for (const double made : result) {
      const double level = levels_[static_cast<std::size_t>(at[axis_])];
      const double expected = oracle::value_at(column(at), level, method, outside);
      ASSERT_TRUE(made == expected || (std::isnan(made) && std::isnan(expected))) << made << " " << expected;
      for (std::size_t d = 0; d < 3 && ++at[d] == region.count[d]; ++d) at[d] = 0;
    }
  }

 private:
  /// Whoever takes what others found makes the same.
  void check_shared(const Prepared& rule, const std::vector<Part>& inputs, const Region& region,
                    const std::vector<double>& expected) const {
    ASSERT_EQ(rule.shared.has_value(), names_of_p_.size() == 3);
    if (!rule.shared) return;
    std::vector<double> result(expected.size());
    const auto found = rule.shared->find(inputs, region);
    rule.shared->compute(found.get(), inputs, {Type::float64, result.data(), region});
    for (std::size_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(result[i]), std::bit_cast<std::uint64_t>(expected[i]));
  }

  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

  void draw() {
    axis_ = static_cast<std::size_t>(up_to(2));
    is_single_ = up_to(2) == 0;
    names_ = {"a", "b"};
    names_.insert(names_.begin() + static_cast<std::ptrdiff_t>(axis_), "z");
    whole_ = {{0, 0, 0}, {3 + up_to(30), 3 + up_to(4), 3 + up_to(4)}};
    whole_.count[axis_] = 1 + up_to(6);
    held_ = whole_;
    for (std::size_t d = 0; d < 3; ++d) {
      if (d == axis_) continue;
      held_.start[d] = up_to(1);
      held_.count[d] -= held_.start[d] + up_to(1);
    }
    // p is on the same part, or whole, or lacks a or b or both.
    const int lacks = up_to(4);
    held_of_p_ = whole_of_p_ = {};
    names_of_p_.clear();
    for (std::size_t d = 0; d < 3; ++d) {
      if ((names_[d] == "a" && (lacks & 1) != 0) || (names_[d] == "b" && (lacks & 2) != 0)) continue;
      names_of_p_.push_back(names_[d]);
      whole_of_p_.start.push_back(0);
      whole_of_p_.count.push_back(whole_.count[d]);
      held_of_p_.start.push_back(lacks == 4 ? 0 : held_.start[d]);
      held_of_p_.count.push_back(lacks == 4 ? whole_.count[d] : held_.count[d]);
    }
    draw_values();
  }

  void draw_values() {
    t_.clear();
    for (Index i = 0; i < held_.size(); ++i)
      t_.push_back(up_to(15) == 0 ? kGone : up_to(15) == 0 ? kNaN : static_cast<float>(up_to(1000)) / 7);
    const int kind = up_to(3);
    p_.assign(static_cast<std::size_t>(held_of_p_.size()), 0);
    std::vector<Index> at(held_of_p_.count.size(), 0);
    const auto along = static_cast<std::size_t>(std::ranges::find(names_of_p_, "z") - names_of_p_.begin());
    for (double& place : p_) {
      const auto level = static_cast<double>(at[along]);
      if (kind == 0) place = level + static_cast<double>(up_to(9)) / 10;  // rises
      if (kind == 1) place = 6 - level - static_cast<double>(up_to(9)) / 10;
      if (kind == 2) place = up_to(4);  // turns, with equal neighbours
      if (kind == 3) place = up_to(4) == 0 ? kGone : up_to(4) == 0 ? kNaN : level - 1;
      for (std::size_t d = 0; d < at.size() && ++at[d] == held_of_p_.count[d]; ++d) at[d] = 0;
    }
    levels_.clear();
    for (int i = up_to(5); i >= 0; --i) levels_.push_back(0.5 * (1 + i * 3));
    if (up_to(1) == 0) std::ranges::reverse(levels_);
  }

  oracle::Column column(const std::vector<Index>& at) const {
    oracle::Column made;
    for (Index node = 0; node < whole_.count[axis_]; ++node) {
      Index in_t = 0, in_p = 0, stride_t = 1, stride_p = 1;
      for (std::size_t d = 0; d < 3; ++d) {
        const Index here = d == axis_ ? node : at[d] + held_.start[d];
        in_t += (here - held_.start[d]) * stride_t;
        stride_t *= held_.count[d];
        const auto own =
            static_cast<std::size_t>(std::ranges::find(names_of_p_, names_[d]) - names_of_p_.begin());
        if (own == names_of_p_.size()) continue;
        in_p += (here - held_of_p_.start[own]) * stride_p;
        stride_p *= held_of_p_.count[own];
      }
      const auto value = [](double held) { return held == kGone ? std::nullopt : std::optional(held); };
      made.values.push_back(value(t_[static_cast<std::size_t>(in_t)]));
      made.places.push_back(value(p_[static_cast<std::size_t>(in_p)]));
    }
    return made;
  }

  std::mt19937 random_;
  std::size_t axis_ = 0;
  bool is_single_ = false;
  std::vector<std::string> names_, names_of_p_;
  Region whole_, held_, whole_of_p_, held_of_p_;
  std::vector<double> t_, p_, levels_;
};

TEST(Interpolate, is_what_a_slow_and_obvious_way_gives) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    RandomColumns columns(seed);
    for (const char* method : {"linear", "log", "nearest"}) {
      columns.run(method, "missing");
      columns.run(method, "nearest");
      if (std::string(method) != "nearest") columns.run(method, "linear");
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace pileus::operators
