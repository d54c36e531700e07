// The function that bench/sweeps.py calls. It times reductions by level of fields and of their products, as
// one sweep and by rules one by one.

#include <time.h>

#include <random>
#include <span>
#include <string_view>

#include "analytics/local_sweeps.h"
#include "analytics/testing/handmade_plan.h"

namespace {

using namespace pileus;
using pileus::testing::Equation;

constexpr Index kSide = 64, kLevels = 60;
constexpr std::size_t kFields = 7;

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class T>
Array random_array(ElementType type, const Extents& extents, std::mt19937_64& random) {
  const auto values = std::make_shared<std::vector<T>>(static_cast<std::size_t>(Region{{}, extents}.size()));
  std::normal_distribution<double> around(290, 5);
  for (T& value : *values) value = static_cast<T>(around(random));
  const auto* bytes = reinterpret_cast<const std::byte*>(values->data());
  return {type, extents, std::shared_ptr<const std::byte>(values, bytes)};
}

/// Means of all fields and of all products of two, and, where they are wanted, all variances and covariances.
struct Reductions {
  Reductions(ElementType type, bool is_z_fastest, bool has_moments) {
    const DimensionId x = hand.dimension("x", kSide), y = hand.dimension("y", kSide),
                      z = hand.dimension("z", kLevels);
    const std::vector<DimensionId> dimensions = is_z_fastest ? std::vector{z, y, x} : std::vector{x, y, z};
    const std::vector<int> axes = is_z_fastest ? std::vector{1, 2} : std::vector{0, 1};
    const GroupId group = hand.group("fields");
    for (std::size_t f = 0; f < kFields; ++f) {
      fields.push_back(hand.field(group, "f" + std::to_string(f), Spread::distributed, dimensions));
      hand.plan.values[fields.back().index].type = type;
    }
    for (std::size_t a = 0; a < kFields; ++a) {
      hand.reduced(fields[a], Reduction::mean, axes);
      for (std::size_t b = a; b < kFields; ++b) add_product(fields[a], fields[b], axes);
      if (has_moments) hand.reduced(fields[a], Reduction::variance, axes);
      for (std::size_t b = a + 1; b < kFields && has_moments; ++b) add_covariance(fields[a], fields[b], axes);
    }
    for (std::size_t r = 0; r < hand.plan.rules.size(); ++r) rules.emplace_back(r);
  }

  void add_product(ValueId a, ValueId b, const std::vector<int>& axes) {
    Rule& rule = hand.plan.rules[hand.rule_of(hand.reduced(a, Reduction::mean, axes)).index];
    rule.inputs.push_back(b);
    Value product = hand.plan[a];
    product.field = {};
    product.type = ElementType::float64;
    for (std::size_t d = 0; d < product.dimensions.size(); ++d)
      product.parts.push_back({hand.field_of(a), {}, static_cast<int>(d)});
    std::get<LocalReduce>(rule.action).computed = Computed{Equation::of_two(Operation::multiply), product};
  }

  void add_covariance(ValueId a, ValueId b, const std::vector<int>& axes) {
    const ValueId covariance = hand.reduced(a, Reduction::covariance, axes);
    hand.plan.rules[hand.rule_of(covariance).index].inputs.push_back(b);
  }

  StepValues step() const {
    std::mt19937_64 random(7);
    StepValues values(hand.plan.values.size());
    for (const ValueId field : fields) {
      values[field.index] =
          hand.plan[field].type == ElementType::float32
              ? random_array<float>(ElementType::float32, hand.plan.extents(field), random)
              : random_array<double>(ElementType::float64, hand.plan.extents(field), random);
    }
    return values;
  }

  testing::HandmadePlan hand;
  std::vector<ValueId> fields;
  std::vector<RuleId> rules;
};

}  // namespace

/// Times `turns` steps of all reductions of "float" or "double" fields with z "fastest" or "slowest", as one
/// sweep and in turn one by one, in nanoseconds of this thread. Returns how many results one step has, and 0
/// where no sweep makes all.
extern "C" int bench_sweeps_ns(const char* type, const char* order, int has_moments, int turns,
                               double* swept_ns, double* ruled_ns) {
  const bool is_float = std::string_view(type) == "float";
  const Reductions all(is_float ? ElementType::float32 : ElementType::float64,
                       std::string_view(order) == "fastest", has_moments != 0);
  RuleRunner runner(all.hand.plan, regions_of_client(all.hand.plan, 0));
  LocalSweeps sweeps(all.hand.plan, all.rules, runner);
  for (const RuleId rule : all.rules)
    if (sweeps.sweep_of(rule) != std::size_t{0}) return 0;
  StepValues values = all.step();
  for (int turn = 0; turn < turns; ++turn) {
    const double begin = now_ns();
    sweeps.run(0, all.rules, values);
    const double between = now_ns();
    for (const RuleId rule : all.rules) runner.run(rule, values);
    swept_ns[turn] = between - begin;
    ruled_ns[turn] = now_ns() - between;
  }
  return static_cast<int>(all.rules.size());
}
