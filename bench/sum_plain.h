// No "#pragma once": the plain loops of sum_loops.h, in the namespace of the including file's flags.

namespace {

double plain_sum(const double* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

/// The variance in one pass. A large mean takes its bits away.
double plain_variance(const double* values, std::size_t count) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[i];
    squares += values[i] * values[i];
  }
  const auto n = static_cast<double>(count);
  return squares / n - (sum / n) * (sum / n);
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

void plain_variances_fastest(const double* values, std::size_t columns, std::size_t levels, double* results) {
  double sums[128] = {}, squares[128] = {};  // of up to 128 levels
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t z = 0; z < levels; ++z) {
      const double value = values[c * levels + z];
      sums[z] += value;
      squares[z] += value * value;
    }
  }
  const auto n = static_cast<double>(columns);
  for (std::size_t z = 0; z < levels; ++z) results[z] = squares[z] / n - (sums[z] / n) * (sums[z] / n);
}

void plain_variances_slowest(const double* values, std::size_t columns, std::size_t levels, double* results) {
  for (std::size_t z = 0; z < levels; ++z) results[z] = plain_variance(values + z * columns, columns);
}

}  // namespace
