#pragma once
// What a server does for one field by one operator, for benchmarks that compare it with a Python library.

#include <time.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analytics/operators/list.h"

namespace pileus::bench {

inline double thread_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// An operator for a field "w" of doubles on (z, y, x), x first, or for two, the second of which is "v".
inline operators::Prepared prepared_for(const std::string& name,
                                        std::map<std::string, std::string> parameters,
                                        const operators::Index (&sizes)[3], bool has_two = false) {
  using namespace operators;
  const Catalogue catalogue = builtin_catalogue({});
  const auto declared = std::ranges::find(catalogue.operators, name, &Declaration::name);
  const Quantity input{"w", Type::float64, {{"x", sizes[0]}, {"y", sizes[1]}, {"z", sizes[2]}}};
  if (!has_two) parameters["field"] = "w";
  Rule rule{std::move(parameters), {input}};
  if (has_two) (rule.inputs.emplace_back(input)).name = "v";
  return declared->prepare(rule);
}

/// Applies such an operator; `out` has the whole result. Returns nanoseconds of this thread.
inline double measured_ns(const std::string& name, std::map<std::string, std::string> parameters,
                          const operators::Index (&sizes)[3], const double* field, double* out) {
  using namespace operators;
  const Prepared prepared = prepared_for(name, std::move(parameters), sizes);
  operators::Region made;
  for (const Dimension& one : prepared.result.dimensions) {
    made.start.push_back(0);
    made.count.push_back(one.size);
  }
  const operators::Region whole{{0, 0, 0}, {sizes[0], sizes[1], sizes[2]}};
  const double start = thread_ns();
  prepared.compute({{Type::float64, field, whole}}, {Type::float64, out, made});
  return thread_ns() - start;
}

}  // namespace pileus::bench
