#include "expression/bin_edges.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "config/values.h"
#include "expression/expression_words.h"
#include "functions/power.h"

namespace pileus::planning {
namespace {

constexpr std::size_t kMostBins = 16384;
constexpr std::string_view kOuter = "outer:";

struct Piece {
  std::size_t at = 0;
  double value = 0;
};

/// The numbers between separators. Errors: ExpressionError.
std::vector<Piece> numbers(std::string_view text, char separator) {
  std::vector<Piece> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    std::string piece(trimmed(text.substr(begin, end - begin)));
    if (piece.starts_with('(') && piece.ends_with(')'))
      piece = piece.substr(1, piece.size() - 2);  // an option
    const std::optional<double> value = parse_number(piece);
    if (!value) throw ExpressionError(begin, "\"" + piece + "\" is no number");
    all.push_back({begin, *value});
    begin = end + 1;
  }
  return all;
}

std::vector<double> range(std::string_view text) {
  const std::vector<Piece> parts = numbers(text, ':');
  if (parts.size() != 3)
    throw ExpressionError(0, "a range has a first edge, a last one and a step: \"-90:90:10\"");
  const double first = parts[0].value, last = parts[1].value, step = parts[2].value;
  const double steps = (last - first) / step, whole = std::round(steps);
  if (!(whole >= 1))
    throw ExpressionError(parts[2].at, "no step of this kind leads from the first edge to the last");
  if (std::fabs(steps - whole) > 1e-9 * whole)
    throw ExpressionError(parts[2].at, "from the first edge to the last is no whole number of steps");
  if (whole > static_cast<double>(kMostBins)) throw ExpressionError(parts[2].at, "more than 16384 bins");
  std::vector<double> edges;
  for (std::size_t i = 0; i < static_cast<std::size_t>(whole); ++i)
    edges.push_back(first + static_cast<double>(i) * ((last - first) / whole));
  edges.push_back(last);
  return edges;
}

/// "1e-6:1e-2:20": so many bins, which are equally wide in the logarithm.
std::vector<double> logarithmic(std::string_view text, std::size_t offset) {
  const std::vector<Piece> parts = numbers(text, ':');
  const auto fail = [&](std::size_t at, const char* what) { throw ExpressionError(offset + at, what); };
  if (parts.size() != 3) fail(0, "behind \"log:\" stand a first edge, a last one and how many bins");
  const double first = parts[0].value, last = parts[1].value, bins = parts[2].value;
  if (!(first > 0 && last > first)) fail(0, "logarithmic edges rise, from above 0");
  if (!(bins >= 1 && bins == std::floor(bins))) fail(parts[2].at, "how many bins is a whole number");
  if (bins > static_cast<double>(kMostBins)) fail(parts[2].at, "more than 16384 bins");
  std::vector<double> edges = {first};
  for (double i = 1; i < bins; ++i) edges.push_back(first * power(last / first, i / bins));
  edges.push_back(last);
  return edges;
}

}  // namespace

void require_whole_bins(const TreeNode& reduction) {
  if (reduction.word == kZonal) {
    if (!reduction.by) return;
    throw ExpressionError(reduction.begin, "\"zonal\" goes by the latitude of its grid: leave \"by\" out");
  }
  if (reduction.word == kHistogram) {
    if (reduction.by)
      throw ExpressionError(reduction.begin,
                            "\"histogram\" goes by its own values: leave \"by\" out, or write count or sum");
    if (!reduction.edges.text.empty()) return;
    throw ExpressionError(reduction.begin,
                          "\"histogram\" needs the edges of its bins: \"edges=-5:5:0.5\", "
                          "\"edges=[0, 1, 5]\", or \"edges=log:1e-6:1e-2:20\" for 20 bins");
  }
  if (reduction.by.has_value() != reduction.edges.text.empty()) return;
  throw ExpressionError(reduction.begin, reduction.by
                                             ? "\"by\" needs the edges of its bins: "
                                               "\"edges=-90:90:10\", or \"edges=[0, 1, 5]\""
                                             : "\"edges\" needs what the bins are by: \"by=latitude\"");
}

namespace {

std::vector<double> with_outer(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text.starts_with(kOuter)) throw ExpressionError(kOuter.size(), "outer: is there twice");
  try {
    std::vector<double> edges = parse_edges(text);
    edges.insert(edges.begin(), -kInfinity);
    edges.push_back(kInfinity);
    return edges;
  } catch (const ExpressionError& error) {
    throw ExpressionError(error.offset() + kOuter.size(), error.what());
  }
}

}  // namespace

double middle_of_bin(std::span<const double> edges, std::size_t bin) {
  const double low = edges[bin], high = edges[bin + 1];
  if (std::isfinite(low) && std::isfinite(high)) return std::midpoint(low, high);
  const std::size_t next = std::isfinite(high) ? bin + 1 : bin - 1;  // one between two finite edges
  const double half = (edges[next + 1] - edges[next]) / 2;
  return std::isfinite(high) ? high - half : low + half;
}

std::vector<double> parse_edges(std::string_view text) {
  constexpr std::string_view kLogarithmic = "log:";
  if (text.starts_with(kOuter)) return with_outer(text.substr(kOuter.size()));
  std::vector<double> edges;
  if (text.starts_with(kLogarithmic)) {
    edges = logarithmic(text.substr(kLogarithmic.size()), kLogarithmic.size());
  } else if (text.find(':') != std::string_view::npos) {
    edges = range(text);
  } else {
    for (const Piece& piece : numbers(text, ',')) {
      if (!edges.empty() && !(piece.value > edges.back()))
        throw ExpressionError(piece.at, "edges rise, and this one is not above the one before it");
      edges.push_back(piece.value);
    }
  }
  if (edges.size() < 2) throw ExpressionError(0, "a bin has two edges");
  if (edges.size() > kMostBins + 1) throw ExpressionError(0, "more than 16384 bins");
  if (std::ranges::adjacent_find(edges, std::greater_equal<>()) != edges.end())
    throw ExpressionError(0, "edges rise, and two of these are the same number in double precision");
  return edges;
}

}  // namespace pileus::planning
