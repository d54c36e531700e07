// Reductions of what is computed on the way, against the same with the array in between and against one
// element after the other.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analytics/operators/arithmetic.h"
#include "analytics/operators/localreduce.h"
#include "core/missing.h"
#include "functions/elementary.h"

namespace pileus {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool once_in(std::size_t n) { return below(n) == 0; }
  double number() {
    if (once_in(40)) return -0.0;
    if (once_in(40)) return -9;
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(engine_())), -60);
  }

 private:
  std::mt19937_64 engine_;
};

/// An input that has some of the result's dimensions, in some order, and more elements than are asked for.
AlignedInput random_input(Random& random, const std::vector<Index>& extents) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (!random.once_in(3)) dimensions.push_back(d);
  }
  if (random.once_in(4)) std::reverse(dimensions.begin(), dimensions.end());
  AlignedInput input{{}, 0, std::vector<Index>(extents.size(), 0), {}};
  Index size = 1;
  std::vector<Index> held;
  for (std::size_t d : dimensions) {
    const auto margin = static_cast<Index>(random.below(3));
    input.strides[d] = size;
    input.offset += margin * size;
    held.push_back(extents[d] + margin + static_cast<Index>(random.below(2)));
    size *= held.back();
  }
  std::vector<double> values(static_cast<std::size_t>(size));
  for (double& value : values) value = random.number();
  if (random.once_in(3)) {
    auto floats = std::make_shared<std::vector<float>>(values.begin(), values.end());
    const auto* bytes = reinterpret_cast<const std::byte*>(floats->data());
    input.array = {ElementType::float32, held, std::shared_ptr<const std::byte>(floats, bytes)};
  } else {
    input.array = make_array(std::move(values), held);
  }
  if (random.once_in(3)) input.missing = -9;
  return input;
}

Program random_program(Random& random, std::size_t inputs) {
  constexpr Operation kOperations[] = {
      Operation::negate,      Operation::add,      Operation::subtract,  Operation::multiply,
      Operation::divide,      Operation::less,     Operation::not_equal, Operation::keep,
      Operation::square_root, Operation::absolute, Operation::sine,      Operation::exponential,
      Operation::minimum,     Operation::maximum,  Operation::select,    Operation::modulo};
  Program program;
  for (std::size_t k = 0; k < inputs; ++k) {
    program.instructions.push_back({Operation::input, 0, static_cast<std::uint32_t>(k)});
  }
  program.instructions.push_back({Operation::constant, random.number()});
  for (std::size_t n = 1 + random.below(12); n > 0; --n) {
    const auto known = program.instructions.size();
    const auto any = [&] { return static_cast<std::uint32_t>(random.below(known)); };
    program.instructions.push_back(
        {kOperations[random.below(std::size(kOperations))], 0, any(), any(), any()});
  }
  return program;
}

struct Element {
  double value = 0;
  bool is_missing = false;
};

Element element_of(const AlignedInput& input, const std::vector<Index>& position) {
  auto place = static_cast<std::size_t>(input.offset);
  for (std::size_t d = 0; d < position.size(); ++d)
    place += static_cast<std::size_t>(position[d] * input.strides[d]);
  const double value = input.array.type == ElementType::float32
                           ? static_cast<double>(input.array.as<float>()[place])
                           : input.array.as<double>()[place];
  return {value, input.missing && value == *input.missing};
}

double computed(Operation operation, double a, double b, double condition) {
  switch (operation) {
    case Operation::negate: return -a;
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::divide: return a / b;
    case Operation::less: return a < b ? 1 : 0;
    case Operation::not_equal: return a != b ? 1 : 0;
    case Operation::square_root: return square_root(a);
    case Operation::absolute: return std::fabs(a);
    case Operation::sine: return sine(a);
    case Operation::exponential: return exponential(a);
    case Operation::minimum: return minimum(a, b);
    case Operation::maximum: return maximum(a, b);
    case Operation::select: return condition != 0 ? a : b;
    case Operation::modulo: return modulo(a, b);
    default: return a;  // keep
  }
}

/// One element of the result, one instruction after the other.
Element element_of(const Program& program, const std::vector<AlignedInput>& inputs,
                   const std::vector<Index>& position) {
  std::vector<Element> made;
  for (const Instruction& one : program.instructions) {
    if (one.operation == Operation::input) {
      made.push_back(element_of(inputs[one.left], position));
    } else if (one.operation == Operation::constant) {
      made.push_back({one.constant});
    } else {
      const Element &a = made[one.left], &b = made[one.right], &condition = made[one.condition];
      bool is_missing = a.is_missing || (operand_count(one.operation) > 1 && b.is_missing);
      if (one.operation == Operation::keep) is_missing = is_missing || b.value == 0;
      if (one.operation == Operation::select)
        is_missing = condition.is_missing || (condition.value != 0 ? a : b).is_missing;
      made.push_back({computed(one.operation, a.value, b.value, condition.value), is_missing});
    }
  }
  return made.back();
}

/// The same one element at a time.
PartialArray reference(const Program& program, const std::vector<AlignedInput>& inputs,
                       const std::vector<Index>& extents, Reduction reduction, const std::vector<int>& axes,
                       const ReducedShape& shape, std::optional<double> missing) {
  std::vector<Partial> partials(static_cast<std::size_t>(Region{{}, shape.extents}.size()),
                                Partial(reduction));
  std::vector<Index> position(extents.size(), 0);
  for (Index i = Region{{}, extents}.size(); i > 0; --i) {
    const Element element = element_of(program, inputs, position);
    const double value = element.is_missing ? kMissing : element.value;
    Index target = 0, stride = 1;
    for (std::size_t d = 0, kept = 0; d < extents.size(); ++d) {
      if (std::ranges::count(axes, static_cast<int>(d)) > 0) continue;
      target += (position[d] + shape.start[kept]) * stride;
      stride *= shape.extents[kept++];
    }
    if (!missing || value != *missing) partials[static_cast<std::size_t>(target)].add(value);
    for (std::size_t d = 0; d < extents.size() && ++position[d] == extents[d]; ++d) position[d] = 0;
  }
  return {shape.extents, std::make_shared<Partials>(reduction, partials)};
}

std::vector<std::byte> bytes_of(const PartialArray& array) {
  std::vector<std::byte> bytes;
  for (const Partial& partial : array.values->each()) partial.encode(bytes);
  return bytes;
}

/// One program on one shape, reduced over any of its dimensions to a part of a larger domain.
void check(Random& random, std::vector<Index> extents, int turn) {
  std::vector<AlignedInput> inputs;
  for (std::size_t n = 1 + random.below(4); n > 0; --n) inputs.push_back(random_input(random, extents));
  const Program program = random_program(random, inputs.size());
  const auto reduction = static_cast<Reduction>(random.below(4));
  const std::optional<double> missing = random.once_in(5) ? std::nullopt : std::optional<double>(kMissing);
  std::vector<int> axes;
  ReducedShape shape;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (random.once_in(2)) {
      axes.push_back(static_cast<int>(d));
      continue;
    }
    shape.start.push_back(static_cast<Index>(random.below(3)));
    shape.extents.push_back(shape.start.back() + extents[d] + static_cast<Index>(random.below(3)));
  }

  const PartialArray fused = local_reduce(program, inputs, extents, reduction, axes, shape, missing);

  const Array between = evaluate(program, inputs, extents);
  const PartialArray apart = local_reduce(between, reduction, axes, shape, missing);
  const PartialArray one_by_one = reference(program, inputs, extents, reduction, axes, shape, missing);
  ASSERT_EQ(fused.extents, shape.extents);
  ASSERT_EQ(bytes_of(fused), bytes_of(apart)) << "turn " << turn;
  ASSERT_EQ(bytes_of(fused), bytes_of(one_by_one)) << "turn " << turn;
}

TEST(ComputedReduce, gives_the_same_bytes_as_with_an_array_in_between) {
  Random random(1);
  for (int turn = 0; turn < 1500; ++turn) {
    std::vector<Index> extents;
    for (std::size_t d = random.below(5); d > 0; --d) extents.push_back(static_cast<Index>(random.below(12)));
    check(random, extents, turn);
  }
}

TEST(ComputedReduce, gives_the_same_bytes_where_boxes_and_blocks_end_inside_the_dimensions) {
  // Blocks have 512 elements, boxes 32768 and at most 256 columns; strips of a block have 64.
  const std::vector<std::vector<Index>> shapes = {
      {513}, {32769}, {70000}, {257, 140}, {512, 65}, {16, 16, 129}, {3, 11000}, {300, 3, 40}, {20, 1700, 2}};
  Random random(2);
  for (int turn = 0; turn < 27; ++turn)
    check(random, shapes[static_cast<std::size_t>(turn) % shapes.size()], turn);
}

TEST(ComputedReduce, of_a_product_is_the_sum_of_products) {
  // Σ_x w(z, x) · p(z) with w = 1 … 6 and p = 10, 100: 10 (1 + 3 + 5) and 100 (2 + 4 + 6).
  const Program product{{{Operation::input, 0, 0}, {Operation::input, 0, 1}, {Operation::multiply, 0, 0, 1}}};
  const AlignedInput w{make_array({1, 2, 3, 4, 5, 6}, {2, 3}), 0, {1, 2}};
  const AlignedInput p{make_array({10, 100}, {2}), 0, {1, 0}};

  const PartialArray sums = local_reduce(product, {w, p}, {2, 3}, Reduction::sum, {1}, {{2}, {0}});

  EXPECT_EQ((*sums.values)[0].value(), 90);
  EXPECT_EQ((*sums.values)[1].value(), 1200);
  EXPECT_EQ((*sums.values)[1].count(), 3);
}

TEST(ComputedReduce, leaves_out_what_is_missing) {
  // w where p > 20: 2, 4 and 6.
  const Program filter{{{Operation::input, 0, 0},
                        {Operation::input, 0, 1},
                        {Operation::constant, 20},
                        {Operation::less, 0, 2, 1},
                        {Operation::keep, 0, 0, 3}}};
  const AlignedInput w{make_array({1, 2, 3, 4, 5, 6}, {2, 3}), 0, {1, 2}};
  const AlignedInput p{make_array({10, 100}, {2}), 0, {1, 0}};

  const PartialArray mean = local_reduce(filter, {w, p}, {2, 3}, Reduction::mean, {0, 1}, {{}, {}}, kMissing);

  EXPECT_EQ((*mean.values)[0].value(), 4);
  EXPECT_EQ((*mean.values)[0].count(), 3);
}

}  // namespace
}  // namespace pileus
