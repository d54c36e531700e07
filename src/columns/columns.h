#pragma once
// Goes along one dimension of a field, column by column, at places that another field gives there. The
// operators interpolate and isosurface differ in what they look for, and in whether the result has levels.

#include <optional>
#include <string>
#include <vector>

#include "columns/column_runs.h"
#include "columns/column_search.h"

namespace pileus::operators {

/// The columns of one rule, whose parameters `field`, `of` and `dimension` say what they are.
class Columns {
 public:
  /// `of` or the field may lack dimensions of the other. Without a field coordinates are taken.
  /// Errors: ParameterError.
  explicit Columns(const Rule& rule);

  /// The dimensions of the wider of the two, in its order, and the columns' place among them.
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  std::size_t axis() const { return axis_; }

  /// Which end columns start from.
  enum class From { start, end };
  /// Fills the result, which has the places in the columns' dimension, or lacks it where there is one place.
  /// Errors: std::runtime_error if a part has not the whole of each column.
  void compute(const ColumnSearch& search, From from, const std::vector<Part>& inputs,
               const ResultPart& result) const;
  /// The same where other fields are taken at the same places: `text` says which these are. None where each
  /// of the columns is searched once in any case.
  std::optional<Shared> shared(ColumnSearch search, From from, std::string text) const;

 private:
  struct Input {
    std::optional<std::size_t> number;  ///< among the rule's inputs; none: the coordinates
    std::string name;
    std::vector<int> own;  ///< by dimension of the columns: its own, or −1 where it lacks it
    double missing = 0;    ///< NaN where none is
  };
  struct Layout;

  Input input(const Rule& rule, const std::string& parameter) const;
  Part part(const Input& input, const std::vector<Part>& inputs) const;
  Layout layout(const Input& input, const Part& part, const Region& result, From from) const;
  std::vector<ColumnRuns::Dimension> across(const Layout& field, const Layout& of,
                                            const Region& result) const;
  Index level_step(const Region& result) const;

  std::vector<Dimension> dimensions_;
  std::size_t axis_ = 0;
  Input field_, of_;
  std::vector<double> coordinates_;
};

/// The parameters `of`, `dimension` and `method`, which both operators have.
std::vector<Parameter> column_parameters(const std::string& field_help, bool is_field_required);
Method method_of(const Rule& rule);

}  // namespace pileus::operators
