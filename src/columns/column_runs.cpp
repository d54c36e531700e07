#include "columns/column_runs.h"

#include <utility>

#include "core/missing.h"

namespace pileus::operators {
namespace {

/// Calls use() with the elements of the part.
template <class Use>
void with_elements(const Part& part, const Use& use) {
  switch (part.type) {
    case Type::float64: return use(static_cast<const double*>(part.first));
    case Type::float32: return use(static_cast<const float*>(part.first));
    case Type::int32: return use(static_cast<const std::int32_t*>(part.first));
    case Type::int64: return use(static_cast<const std::int64_t*>(part.first));
    case Type::boolean: return use(static_cast<const std::uint8_t*>(part.first));
  }
}

/// The value at one place. `column`: its first node.
template <class Element>
double value_at(const ColumnSearch& search, std::size_t place, const Bracket& at, const Element* column,
                Index step, double missing) {
  if (at.lower < 0) return kMissing;
  const auto lower = static_cast<double>(column[at.lower * step]);
  if (lower == missing) return kMissing;
  if (at.upper == at.lower) return lower;
  const auto upper = static_cast<double>(column[at.upper * step]);
  return upper == missing ? kMissing : search.between(place, at, lower, upper);
}

}  // namespace

ColumnRuns::ColumnRuns(const ColumnSearch& search, Index nodes, std::vector<Dimension> across)
    : search_(search), nodes_(nodes) {
  if (!across.empty()) {
    run_ = across.front();
    across.erase(across.begin());
  }
  others_ = std::move(across);
  brackets_.resize(search_.size());
}

template <class Use>
void ColumnRuns::for_each_run(Source field, Source of, Target result, const Use& use) const {
  std::vector<Index> at(others_.size(), 0);
  for (;;) {
    use(field, of, result);
    std::size_t d = 0;
    for (; d < others_.size(); ++d) {
      const Dimension& other = others_[d];
      const Index steps = ++at[d] < other.count ? 1 : 1 - other.count;
      field.first += steps * other.field;
      of.first += steps * other.of;
      result.first += steps * other.result;
      if (steps == 1) break;
      at[d] = 0;
    }
    if (d == others_.size()) return;
  }
}

void ColumnRuns::fill(const Source& field, const Source& of, const Target& result) {
  for_each_run(field, of, result,
               [this](const Source& field_here, const Source& of_here, const Target& here) {
                 fill_run(field_here, of_here, here);
               });
}

std::vector<Bracket> ColumnRuns::find(const Source& of) {
  std::size_t columns = static_cast<std::size_t>(run_.count);
  for (const Dimension& other : others_) columns *= static_cast<std::size_t>(other.count);
  std::vector<Bracket> found(columns * search_.size());
  Bracket* next = found.data();
  with_elements(of.part, [&](const auto* places) {
    for_each_run({}, of, {}, [&](const Source&, const Source& here, const Target&) {
      Nodes nodes{places + here.first, here.step, nodes_, here.missing, search_.method() == Method::log};
      for (Index i = 0; i < run_.count; ++i, nodes.first += run_.of, next += search_.size())
        search_.find(nodes, next);
    });
  });
  return found;
}

void ColumnRuns::fill(const Source& field, const std::vector<Bracket>& found, const Target& result) {
  const Bracket* next = found.data();
  with_elements(field.part, [&](const auto* values) {
    for_each_run(field, {}, result, [&](const Source& here, const Source&, const Target& made) {
      for (Index i = 0; i < run_.count; ++i, next += search_.size()) {
        for (std::size_t place = 0; place < search_.size(); ++place)
          made.first[i * run_.result + static_cast<Index>(place) * made.step] = value_at(
              search_, place, next[place], values + here.first + i * run_.field, here.step, here.missing);
      }
    });
  });
}

void ColumnRuns::fill_run(const Source& field, const Source& of, const Target& result) {
  run_.of == 0 ? fill_alike(field, of, result) : fill_columns(field, of, result);
}

/// Column by column. Neighbours in memory share lines of the cache, also where their nodes lie far apart.
void ColumnRuns::fill_columns(const Source& field, const Source& of, const Target& result) {
  searched_ = -1;
  with_elements(of.part, [&](const auto* places) {
    with_elements(field.part, [&](const auto* values) {
      Nodes nodes{places + of.first, of.step, nodes_, of.missing, search_.method() == Method::log};
      const auto* column = values + field.first;
      double* out = result.first;
      for (Index i = 0; i < run_.count; ++i) {
        search_.find(nodes, brackets_.data());
        for (std::size_t place = 0; place < brackets_.size(); ++place)
          out[static_cast<Index>(place) * result.step] =
              value_at(search_, place, brackets_[place], column, field.step, field.missing);
        nodes.first += run_.of;
        column += run_.field;
        out += run_.result;
      }
    });
  });
}

/// Columns that are alike in their places are searched once.
void ColumnRuns::fill_alike(const Source& field, const Source& of, const Target& result) {
  if (of.first != searched_) {
    searched_ = of.first;
    with_elements(of.part, [&](const auto* places) {
      search_.find(Nodes{places + of.first, of.step, nodes_, of.missing, search_.method() == Method::log},
                   brackets_.data());
    });
  }
  with_elements(field.part, [&](const auto* values) {
    const auto make = [&](Index i, std::size_t place) {
      result.first[i * run_.result + static_cast<Index>(place) * result.step] = value_at(
          search_, place, brackets_[place], values + field.first + i * run_.field, field.step, field.missing);
    };
    if (run_.result < result.step) {
      for (std::size_t place = 0; place < brackets_.size(); ++place)
        for (Index i = 0; i < run_.count; ++i) make(i, place);
    } else {
      for (Index i = 0; i < run_.count; ++i)
        for (std::size_t place = 0; place < brackets_.size(); ++place) make(i, place);
    }
  });
}

}  // namespace pileus::operators
