// No "#pragma once": the plain loops of sum_loops.h, in the namespace of the including file's flags.

namespace {

double plain_sum(const double* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

void plain_levels_fastest(const double* values, std::size_t columns, std::size_t levels, double* sums) {
  for (std::size_t z = 0; z < levels; ++z) sums[z] = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t z = 0; z < levels; ++z) sums[z] += values[c * levels + z];
  }
}

void plain_levels_slowest(const double* values, std::size_t columns, std::size_t levels, double* sums) {
  for (std::size_t z = 0; z < levels; ++z) sums[z] = plain_sum(values + z * columns, columns);
}

}  // namespace
