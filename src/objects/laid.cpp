#include "objects/laid.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pileus::objects {

using operators::Dimension;
using operators::Parameter;
using operators::ParameterError;
using operators::ParameterKind;
using operators::Part;
using operators::Prepared;
using operators::Quantity;
using operators::Region;
using operators::Rule;
using operators::Type;

Space space_of(const Rule& rule, const Quantity& field) {
  const std::vector<std::string> names = rule.list("dimensions"), periodic = rule.list("periodic");
  std::vector<Space::Axis> axes;
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw ParameterError("dimensions", "\"" + name + "\" is there twice");
    const auto at = static_cast<std::size_t>(rule.axis("dimensions", field, name));
    const bool is_periodic = std::ranges::find(periodic, name) != periodic.end();
    axes.push_back({at, field.dimensions[at].size, is_periodic});
  }
  if (axes.empty() || axes.size() > 3)
    throw ParameterError("dimensions", "objects have one to three dimensions");
  for (const std::string& name : periodic)
    if (std::ranges::find(names, name) == names.end())
      throw ParameterError("periodic", "\"" + name + "\" is none of the dimensions of objects");
  std::ranges::sort(axes, {}, &Space::Axis::at);
  return {std::move(axes), rule.text("corners") == "true"};
}

namespace {

constexpr Index kWord = 64;  // elements that are looked at together

/// Bit k tells whether the element k of up to kWord is inside.
template <class Value>
std::uint64_t word_of(const Inside& inside, Index count, Value value) {
  std::uint64_t word = 0;
  for (Index k = 0; k < count; ++k) word |= std::uint64_t{inside.has(value(k))} << k;
  return word;
}

std::uint64_t word_of(const Inside& inside, Index count, const double* values) {
  std::uint64_t word = 0;
  Index k = 0;
#ifdef __SSE2__
  const __m128d zero = _mm_setzero_pd(), missing = _mm_set1_pd(inside.missing().value_or(0));
  for (; k + 2 <= count; k += 2) {
    const __m128d two = _mm_loadu_pd(values + k);
    const __m128d is_number = _mm_cmpord_pd(two, two), is_there = _mm_cmpneq_pd(two, missing);
    const __m128d is_inside = _mm_and_pd(_mm_and_pd(is_number, is_there), _mm_cmpneq_pd(two, zero));
    word |= static_cast<std::uint64_t>(_mm_movemask_pd(is_inside)) << k;
  }
#endif
  return word | (k < count ? word_of(inside, count - k, [&](Index i) { return values[k + i]; }) << k : 0);
}

/// `word(at, count)`: which elements of a row are inside, from `at` on.
template <class Word>
void add_runs(std::vector<Run>& runs, Index length, std::size_t row, Word word) {
  Index begin = -1;  // of the run that goes on
  for (Index from = 0; from < length; from += kWord) {
    const std::uint64_t inside = word(from, std::min(kWord, length - from));
    std::uint64_t left = ~std::uint64_t{0};  // elements that were not looked at
    while (const std::uint64_t change = (begin < 0 ? inside : ~inside) & left) {
      const int k = std::countr_zero(change);
      const Index at = from + k;
      left = ~std::uint64_t{0} << k;
      if (begin >= 0) runs.push_back({row, begin, at});
      begin = begin < 0 ? at : -1;
    }
  }
  if (begin >= 0) runs.push_back({row, begin, length});
}

}  // namespace

std::vector<Run> runs_in(const Space& space, const Laid& laid, const Part& field, const Inside& inside,
                         Index begin) {
  std::vector<Run> runs;
  const bool are_beside = field.type == Type::float64 && laid.stride == 1;
  const auto* const doubles = static_cast<const double*>(field.first);
  for (std::size_t row = 0; row < laid.rows.size(); ++row) {
    const Index first = begin + laid.rows[row];
    add_runs(runs, laid.length, row, [&](Index from, Index count) {
      if (are_beside) return word_of(inside, count, doubles + first + from);
      return word_of(inside, count, [&](Index k) { return field.number(first + (from + k) * laid.stride); });
    });
  }
  space.join(runs);
  return runs;
}

std::size_t working_bytes(const Space& space, const Quantity& field) {
  Region whole;
  for (const Dimension& dimension : field.dimensions)
    whole.count.push_back(std::max<Index>(0, dimension.size));
  if (whole.size() == 0) return 0;
  constexpr std::size_t kMapNode = 64;
  return space.labelling_bytes(space.spaces_in(whole)) + space.most_runs() * kMapNode;
}

Index most_of(const Rule& rule) {
  const Index most = rule.whole_number("most");
  if (most < 1 || most > 100000) throw ParameterError("most", "from 1 to 100000 objects are told of");
  return most;
}

void Rows::describe(const Rule& rule, const Quantity& field, const Space& space, Prepared& prepared) {
  const auto& axes = space.axes();
  std::vector<Dimension>& dimensions = prepared.result.dimensions;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if (d == axes.front().at) {
      at = dimensions.size();
      dimensions.push_back({rule.text("table"), most});
      dimensions.back().long_name = "objects, by the number of their first element";
    }
    if (std::ranges::find(axes, d, &Space::Axis::at) == axes.end()) dimensions.push_back(field.dimensions[d]);
  }
  prepared.result.missing = kMissing;
  if (field.dimensions.size() == axes.size())
    prepared.region = [most = most](const std::vector<Region>& inputs) {
      // One of them may be whole on each rank.
      const bool is_here = std::ranges::all_of(inputs, [](const Region& one) { return one.size() > 0; });
      return Region{{0}, {is_here ? most : 0}};
    };
}

std::vector<Parameter> common_parameters() {
  return {
      {"field", ParameterKind::name, true, "", {}, "the condition: inside where it is not 0"},
      {"dimensions", ParameterKind::names, true, "", {}, "one to three, in which elements are neighbours"},
      {"periodic", ParameterKind::names, false, "", {}, "those whose last element is beside the first"},
      {"corners",
       ParameterKind::word,
       false,
       "false",
       {"true", "false"},
       "whether elements with no more than a corner or edge in common are neighbours"}};
}

std::vector<Parameter> table_parameters() {
  return {{"most",
           ParameterKind::whole_number,
           false,
           "64",
           {},
           "so many are told of, those of the lowest labels"},
          {"table", ParameterKind::text, false, "object", {}, "name of the new dimension"}};
}

}  // namespace pileus::objects
