// The functions that bench/expressions.py calls. They time each way to take the mean of an expression over
// columns, so that only NumPy pays for Python.

#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "analytics/operators/arithmetic.h"
#include "analytics/operators/localreduce.h"
#include "analytics/operators/reduce_tuples.h"
#include "expressions_loops.h"

namespace pileus::bench {
namespace {

/// The instructions that the Plan makes of the expressions; the inputs are w, theta and p.
Program product() {
  return {{{Operation::input, 0, 0}, {Operation::input, 0, 1}, {Operation::multiply, 0, 0, 1}}};
}
Program ten() {
  return {{{Operation::input, 0, 0},  // 0: w
           {Operation::input, 0, 1},  // 1: theta
           {Operation::input, 0, 2},  // 2: p
           {Operation::multiply, 0, 0, 1},
           {Operation::subtract, 0, 3, 2},
           {Operation::absolute, 0, 4},
           {Operation::square_root, 0, 5},
           {Operation::constant, 300},
           {Operation::add, 0, 1, 7},
           {Operation::divide, 0, 6, 8},
           {Operation::constant, 0},
           {Operation::less, 0, 10, 2},
           {Operation::select, 0, 0, 1, 11},
           {Operation::constant, 0.5},
           {Operation::multiply, 0, 12, 13},
           {Operation::add, 0, 9, 14}}};
}

Array borrowed(const double* values, const std::vector<Index>& extents) {
  const auto* bytes = reinterpret_cast<const std::byte*>(values);
  return {ElementType::float64, extents, std::shared_ptr<const std::byte>(bytes, [](const auto*) {})};
}

struct Task {
  Program program;
  Fields fields;
  std::vector<Index> extents;
  int reduced_axis;
  Index levels;

  std::vector<AlignedInput> inputs() const {
    std::vector<AlignedInput> inputs;
    for (const double* field : {fields.w, fields.theta, fields.p})
      inputs.push_back({borrowed(field, extents), 0, {1, extents[0]}});
    return inputs;
  }
};

void store(const PartialArray& means, double* sums) {
  const auto values = to_doubles(means);
  std::memcpy(sums, values.data(), values.size() * sizeof(double));
}

/// Computes as a rule of the analytics does, with the Partials and their rounding.
void fused(const Task& task, double* sums) {
  store(local_reduce(task.program, task.inputs(), task.extents, Reduction::mean, {task.reduced_axis},
                     {{task.levels}, {0}}),
        sums);
}

/// Computes an array as large as the field, and then reduces it.
void unfused(const Task& task, double* sums) {
  const Array between = evaluate(task.program, task.inputs(), task.extents);
  store(local_reduce(between, Reduction::mean, {task.reduced_axis}, {{task.levels}, {0}}), sums);
}

/// Computes only the exact reduction, of w.
void reduced(const Task& task, double* sums) {
  store(local_reduce(borrowed(task.fields.w, task.extents), Reduction::mean, {task.reduced_axis},
                     {{task.levels}, {0}}),
        sums);
}

/// Evaluates only the blocks: 256 KiB that are written again and again, without a sum.
void evaluated(const Task& task, double* sums) {
  constexpr Index kElements = 32768;
  const auto inputs = task.inputs();
  BlockEvaluator evaluator(task.program, inputs);
  std::vector<double> values(static_cast<std::size_t>(kElements));
  const Index first = std::min(task.extents[0], kElements), rows = std::max<Index>(kElements / first, 1);
  for (Index r = 0; r < task.extents[1]; r += rows) {
    for (Index c = 0; c < task.extents[0]; c += first) {
      evaluator.compute({{c, r}, {std::min(first, task.extents[0] - c), std::min(rows, task.extents[1] - r)}},
                        values.data());
    }
  }
  sums[0] = values[0];
}

/// Computes an array as large as the field into memory that was used before.
void into_array(const Task& task, double* values) {
  const auto inputs = task.inputs();
  BlockEvaluator(task.program, inputs, true).compute({{0, 0}, task.extents}, values);
}

/// Of w, with an area for each column where the way is weighted, and with theta where it is of pairs.
bool weighted(std::string_view way, const Task& task, const double* areas, double* sums) {
  const Index columns = task.extents[static_cast<std::size_t>(task.reduced_axis)];
  const bool is_fastest = task.reduced_axis == 1;
  std::vector<AlignedInput> others = {
      {borrowed(areas, {columns}), 0, is_fastest ? std::vector<Index>{0, 1} : std::vector<Index>{1, 0}}};
  Reduction reduction = Reduction::weighted_mean;
  if (way == "weighted variance") {
    reduction = Reduction::weighted_variance;
  } else if (way == "covariance") {
    reduction = Reduction::covariance;
    others = {task.inputs()[1]};
  } else if (way == "weighted mean in 90 bins") {
    others.push_back(others.front());  // by area
    auto edges = std::make_shared<std::vector<double>>();
    for (int i = 0; i <= 90; ++i) edges->push_back(1e8 + i * 1.1e8);
    store(reduce_tuples(borrowed(task.fields.w, task.extents), others, {reduction, edges},
                        {task.reduced_axis}, {{task.levels, 90}, {0, 0}}),
          sums);
    return true;
  } else if (way != "weighted mean") {
    return false;
  }
  store(reduce_tuples(borrowed(task.fields.w, task.extents), others, reduction, {task.reduced_axis},
                      {{task.levels}, {0}}),
        sums);
  return true;
}

ExpressionArray* array_loop_of(std::string_view way, bool is_product) {
  if (way == "loop to an array") return is_product ? product_array : ten_array;
  if (way == "loop avx2 to an array") return is_product ? product_array_avx2 : ten_array_avx2;
  return nullptr;
}

ExpressionSums* loop_of(std::string_view way, bool is_product, bool is_fastest) {
  if (way == "loop") {
    if (is_product) return is_fastest ? product_fastest : product_slowest;
    return is_fastest ? ten_fastest : ten_slowest;
  }
  if (way == "loop avx2") {
    if (is_product) return is_fastest ? product_fastest_avx2 : product_slowest_avx2;
    return is_fastest ? ten_fastest_avx2 : ten_slowest_avx2;
  }
  return nullptr;
}

/// Processor time of this thread; other threads that take turns on the processor do not count.
double nanoseconds_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class Work>
double nanoseconds(int times, Work work) {
  const double begin = nanoseconds_of_thread();
  for (int i = 0; i < times; ++i) work();
  return nanoseconds_of_thread() - begin;
}

}  // namespace
}  // namespace pileus::bench

using namespace pileus::bench;

/// Times `times` means over the columns, one for each level, in nanoseconds; -1 for an unknown way.
/// `expression`: "product" or "ten"; `order`: "fastest" or "slowest".
extern "C" double bench_expression_ns(const char* way, const char* expression, const char* order,
                                      const double* w, const double* theta, const double* p,
                                      std::size_t columns, std::size_t levels, int times, double* means) {
  const std::string_view name(way);
  const bool is_product = std::string_view(expression) == "product";
  const bool is_fastest = std::string_view(order) == "fastest";
  const Fields fields{w, theta, p};
  if (ExpressionSums* const loop = loop_of(name, is_product, is_fastest)) {
    return nanoseconds(times, [&] {
      loop(fields, columns, levels, means);
      for (std::size_t z = 0; z < levels; ++z) means[z] /= static_cast<double>(columns);
    });
  }
  const auto c = static_cast<pileus::Index>(columns), z = static_cast<pileus::Index>(levels);
  const Task task{is_product ? product() : ten(), fields,
                  is_fastest ? std::vector<pileus::Index>{z, c} : std::vector<pileus::Index>{c, z},
                  is_fastest ? 1 : 0, z};
  static std::vector<double> values;  // as large as the field, with pages of its own
  values.resize(columns * levels, 1);
  if (ExpressionArray* const loop = array_loop_of(name, is_product))
    return nanoseconds(times, [&] { loop(fields, columns, levels, values.data()); });
  if (name == "to an array") return nanoseconds(times, [&] { into_array(task, values.data()); });
  void (*run)(const Task&, double*) = nullptr;
  if (name == "fused") run = fused;
  if (name == "in two passes") run = unfused;
  if (name == "exact mean of a field") run = reduced;
  if (name == "blocks alone") run = evaluated;
  if (run == nullptr) return -1;
  return nanoseconds(times, [&] { run(task, means); });
}

/// Likewise of "mean", "weighted mean", "weighted variance" and "covariance"; `areas`: one for each column.
extern "C" double bench_weighted_ns(const char* way, const char* order, const double* w, const double* theta,
                                    const double* areas, std::size_t columns, std::size_t levels, int times,
                                    double* results) {
  const std::string_view name(way);
  const auto column_count = static_cast<pileus::Index>(columns);
  const auto level_count = static_cast<pileus::Index>(levels);
  const bool is_fastest = std::string_view(order) == "fastest";
  const Task task{{},
                  {w, theta, w},
                  is_fastest ? std::vector<pileus::Index>{level_count, column_count}
                             : std::vector<pileus::Index>{column_count, level_count},
                  is_fastest ? 1 : 0,
                  level_count};
  if (name == "mean") return nanoseconds(times, [&] { reduced(task, results); });
  if (!weighted(name, task, areas, results)) return -1;
  return nanoseconds(times, [&] { weighted(name, task, areas, results); });
}
