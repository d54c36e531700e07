// The functions that bench/columns.py calls: the operator interpolate, and the loop that one writes by hand.

#include <time.h>

#include <string>
#include <string_view>

#include "core/missing.h"
#include "pileus/operator.hpp"

namespace pileus::operators {
Operator interpolate();
}

namespace {

using namespace pileus::operators;

struct Problem {
  Index nodes, columns, count;  ///< of levels
  bool lie_together, is_profile;
  const double *t, *p, *levels;
  double* out;
};

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// `is_second`: another field was taken to the same levels before.
double by_operator(const Problem& of, const char* method, bool is_second) {
  const auto quantity = [&](const std::string& name, bool is_profile) {
    Quantity made{name, Type::float64, {{"z", of.nodes}}, {}};
    if (is_profile) return made;
    made.dimensions.insert(of.lie_together ? made.dimensions.end() : made.dimensions.begin(),
                           {"x", of.columns});
    return made;
  };
  std::string to;
  for (Index i = 0; i < of.count; ++i) to += std::to_string(of.levels[i]) + " ";
  const Prepared prepared = interpolate().prepare({{{"field", "t"},
                                                    {"of", "p"},
                                                    {"dimension", "z"},
                                                    {"to", to},
                                                    {"levels", ""},
                                                    {"units", ""},
                                                    {"method", method},
                                                    {"outside", "missing"}},
                                                   {quantity("t", false), quantity("p", of.is_profile)}});
  const auto region = [&](Index along) {
    return of.lie_together ? Region{{0, 0}, {along, of.columns}} : Region{{0, 0}, {of.columns, along}};
  };
  const Region profile{{0}, {of.nodes}};
  const std::vector<Part> inputs = {{Type::float64, of.t, region(of.nodes)},
                                    {Type::float64, of.p, of.is_profile ? profile : region(of.nodes)}};
  const ResultPart result{Type::float64, of.out, region(of.count)};
  if (!is_second) {
    const double begin = now_ns();
    prepared.compute(inputs, result);
    return now_ns() - begin;
  }
  const auto found = prepared.shared->find(inputs, result.region);
  const double begin = now_ns();
  prepared.shared->compute(found.get(), inputs, result);
  return now_ns() - begin;
}

/// Linear, for a pressure that falls in every column, and levels that do.
double by_hand(const Problem& of) {
  const Index node = of.lie_together ? 1 : of.columns, column = of.lie_together ? of.nodes : 1;
  const Index level = of.lie_together ? 1 : of.columns, out_column = of.lie_together ? of.count : 1;
  const double begin = now_ns();
  for (Index c = 0; c < of.columns; ++c) {
    const double *const t = of.t + c * column, *const p = of.is_profile ? of.p : of.p + c * column;
    const Index step = of.is_profile ? 1 : node;
    Index k = 0;
    for (Index i = 0; i < of.count; ++i) {
      const double at = of.levels[i];
      while (k < of.nodes && p[k * step] > at) ++k;
      double& made = of.out[c * out_column + i * level];
      if (k == of.nodes || (k == 0 && p[0] < at)) {
        made = pileus::kMissing;
      } else if (p[k * step] == at) {
        made = t[k * node];
      } else {
        const double p0 = p[k * step], t0 = t[k * node];
        made = (t[(k - 1) * node] - t0) / (p[(k - 1) * step] - p0) * (at - p0) + t0;
      }
    }
  }
  return now_ns() - begin;
}

}  // namespace

/// Nanoseconds of this thread. `way`: "by hand", the method of the operator, or "second" for another field at
/// the same levels.
extern "C" double bench_columns_ns(const char* way, Index nodes, Index columns, Index count, int lie_together,
                                   int is_profile, const double* t, const double* p, const double* levels,
                                   double* out) {
  const Problem problem{nodes, columns, count, lie_together != 0, is_profile != 0, t, p, levels, out};
  const std::string_view asked(way);
  if (asked == "by hand") return by_hand(problem);
  return by_operator(problem, asked == "second" ? "log" : way, asked == "second");
}
