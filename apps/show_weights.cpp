#include <algorithm>
#include <cstdio>
#include <iostream>

#include "apps/weights.h"
#include "core/error.h"
#include "formats/netcdf/weights_file.h"
#include "formats/netcdf/weights_tools.h"

namespace pileus::apps {
namespace {

constexpr int kUnreadable = 2;
constexpr Index kRowsAtOnce = Index{1} << 20;

std::string grid_text(Index size, const std::vector<Index>& dims) {
  if (size == 0) return "grid whose size the file does not say";
  std::string text = std::to_string(size) + " points";
  for (std::size_t d = 0; d < dims.size() && dims.size() > 1; ++d)
    text += (d == 0 ? " (" : " x ") + std::to_string(dims[d]) + (d + 1 == dims.size() ? ")" : "");
  return text;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void print_rows(const WeightRows& rows, Index first) {
  for (std::size_t row = 0; row + 1 < rows.begin.size(); ++row) {
    for (std::uint64_t i = rows.begin[row]; i < rows.begin[row + 1]; ++i)
      std::cout << first + static_cast<Index>(row) << ' ' << rows.source[i] << ' '
                << number_text(rows.weight[i]) << '\n';
  }
}

Index empty_rows(const WeightRows& rows) {
  Index empty = 0;
  for (std::size_t row = 1; row < rows.begin.size(); ++row) empty += rows.begin[row - 1] == rows.begin[row];
  return empty;
}

void print_head(const std::string& file, const WeightsHead& head) {
  std::cout << file << ": " << head.links << " links\n"
            << "source: " << grid_text(head.source_size, head.source_dims) << '\n'
            << "target: " << grid_text(head.target_size, head.target_dims) << '\n';
  if (!head.method.empty()) std::cout << "method: " << head.method << '\n';
  if (!head.normalization.empty()) std::cout << "normalization: " << head.normalization << '\n';
  if (const std::string hash = text_of_file(file, "pileus_source_hash"); !hash.empty())
    std::cout << "made for: " << text_of_file(file, "pileus_source") << " (" << hash << ")\n";
}

void print_weights(const std::string& file, bool has_rows) {
  const WeightsHead head = read_weights_head(file);
  if (!has_rows) print_head(file, head);
  Index without = 0;
  for (Index first = 0; first < head.target_size; first += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, head.target_size - first);
    const WeightRows rows = read_weight_rows(file, first, count);
    without += empty_rows(rows);
    if (has_rows) print_rows(rows, first);
  }
  if (!has_rows && without > 0) std::cout << "target points without a link: " << without << '\n';
}

}  // namespace

int show_weights(const std::string& file, bool has_rows) {
  try {
    print_weights(file, has_rows);
    return 0;
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return kUnreadable;
  }
}

}  // namespace pileus::apps
