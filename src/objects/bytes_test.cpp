// What is said of memory is an upper bound of what is taken, in spaces of few elements and of many.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "objects/laid.h"
#include "pileus/operator.hpp"

namespace {

std::int64_t taken = 0, most_taken = 0;

void count(std::int64_t bytes) {
  taken += bytes;
  most_taken = std::max(most_taken, taken);
}

std::int64_t bytes_of(void* memory) { return static_cast<std::int64_t>(malloc_usable_size(memory)) + 8; }

}  // namespace

// This program counts what is allocated.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  count(bytes_of(memory));
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory != nullptr) count(-bytes_of(memory));
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace pileus::operators {

Operator label();
Operator objects();
Operator tracks();

namespace {

class BytesTest : public ::testing::Test {
 protected:
  /// A number from `first` to `last`.
  Index any(Index first, Index last) { return std::uniform_int_distribution<Index>(first, last)(random_); }

  /// A field of two to three dimensions, of which one or two are those of objects.
  Rule rule(const Operator& op) {
    Rule rule;
    Quantity field;
    field.name = "c";
    const bool is_large = any(0, 4) == 0;
    for (const char* const name : {"x", "y", "z"})
      field.dimensions.push_back({name, any(1, is_large ? 60 : 5)});
    rule.inputs = {field};
    for (const Parameter& parameter : op.parameters)
      rule.parameters[parameter.name] = parameter.default_value;
    rule.parameters["field"] = "c";
    rule.parameters["dimensions"] = std::vector<std::string>{"x", "x,y", "y", "y,z", "x,y,z"}[any(0, 4)];
    rule.parameters["corners"] = any(0, 1) == 0 ? "true" : "false";
    return rule;
  }

  /// A condition that holds everywhere, nowhere, as on a chess board, or by chance.
  std::vector<double> condition(const Region& part) {
    std::vector<double> values(static_cast<std::size_t>(part.size()));
    const Index kind = any(0, 5), wide = part.count[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<Index>(i);
      if (kind == 0) values[i] = 1;
      if (kind == 2) values[i] = static_cast<double>((at % wide + at / wide) % 2);
      if (kind > 2) values[i] = any(0, kind - 2) == 0 ? 1 : 0;
    }
    return values;
  }

  std::mt19937 random_{20261129};  // NOLINT: the same numbers in each run
};

TEST_F(BytesTest, what_is_followed_is_an_upper_bound) {
  const Operator op = tracks();
  double nearest = 0;
  for (int run = 0; run < 300; ++run) {
    const Rule rule = this->rule(op);
    const Prepared prepared = op.prepare(rule);
    Region part;
    for (const Dimension& dimension : rule.inputs[0].dimensions) {
      part.start.push_back(0);
      part.count.push_back(dimension.size);
    }
    const auto bound = static_cast<std::int64_t>(prepared.followed->bytes(part));
    const auto working = static_cast<std::int64_t>(prepared.working_bytes);
    std::shared_ptr<const void> known;
    for (std::int64_t step = 1; step <= 4; ++step) {
      const std::vector<double> values = condition(part);
      const std::vector<Part> inputs = {{Type::float64, values.data(), part}};
      const std::int64_t before = taken;
      most_taken = taken;
      auto next = prepared.followed->follow(known.get(), {step, 60.0 * static_cast<double>(step)}, inputs);
      EXPECT_LE(taken - before, bound) << run;
      EXPECT_LE(most_taken - before, bound + working) << run;
      nearest = std::max(nearest, static_cast<double>(taken - before) / static_cast<double>(bound));
      known = std::move(next);
    }
    const std::vector<Piece> pieces = prepared.followed->keep(known.get(), part);
    const std::int64_t before = taken;
    const auto restored = prepared.followed->restore(part, pieces);
    EXPECT_LE(taken - before, bound) << run;
  }
  EXPECT_GT(nearest, 0.5);  // it is no bound that anything is below
}

TEST_F(BytesTest, what_rules_take_while_they_run_is_an_upper_bound) {
  double nearest = 0;
  for (int run = 0; run < 400; ++run) {
    const bool is_table = run % 2 == 0;
    const Operator op = is_table ? objects() : label();
    Rule rule = this->rule(op);
    rule.parameters["of"] = "size";
    const Prepared prepared = op.prepare(rule);
    Region part, made;
    for (const Dimension& dimension : rule.inputs[0].dimensions) part.count.push_back(dimension.size);
    for (const Dimension& dimension : prepared.result.dimensions) made.count.push_back(dimension.size);
    part.start.resize(part.count.size());
    made.start.resize(made.count.size());
    const std::vector<double> values = condition(part);
    std::vector<double> result(static_cast<std::size_t>(made.size()));
    const std::vector<Part> inputs = {{Type::float64, values.data(), part}};
    const std::int64_t before = taken;
    most_taken = taken;
    prepared.compute(inputs, {Type::float64, result.data(), made});
    EXPECT_LE(most_taken - before, static_cast<std::int64_t>(prepared.working_bytes)) << run;
    nearest = std::max(
        nearest, static_cast<double>(most_taken - before) / static_cast<double>(prepared.working_bytes));
  }
  EXPECT_GT(nearest, 0.3);
}

}  // namespace
}  // namespace pileus::operators
