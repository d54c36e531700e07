#include "sum_loops.h"
#include "sum_plain.h"

namespace pileus::bench {

double naive_sum(const double* values, std::size_t count) { return plain_sum(values, count); }

void naive_levels_fastest(const double* values, std::size_t columns, std::size_t levels, double* sums) {
  plain_levels_fastest(values, columns, levels, sums);
}

void naive_levels_slowest(const double* values, std::size_t columns, std::size_t levels, double* sums) {
  plain_levels_slowest(values, columns, levels, sums);
}

double naive_variance(const double* values, std::size_t count) { return plain_variance(values, count); }

void naive_variances_fastest(const double* values, std::size_t columns, std::size_t levels, double* results) {
  plain_variances_fastest(values, columns, levels, results);
}

void naive_variances_slowest(const double* values, std::size_t columns, std::size_t levels, double* results) {
  plain_variances_slowest(values, columns, levels, results);
}

}  // namespace pileus::bench
