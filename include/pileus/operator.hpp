// An operator: a rule of the configuration that computes one value from others, part by part, on the servers.
//
// Pileus's own operators and those of a user's shared library have the same form. An operator declares itself
// once: its name, its parameters, what its result is (before the run) and how it is computed (in every step).
// This header needs nothing else of Pileus, and nothing is linked. docs/add-an-operator.md shows how.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace pileus::operators {

/// This number changes with everything that a compiled operator relies on.
inline constexpr std::uint32_t kInterfaceVersion = 8;

/// Global indices and sizes count elements, from 0.
using Index = std::int64_t;

/// The size of a dimension that nobody knows yet, as in `pileus check`, which has no model.
inline constexpr Index kUnknownSize = -1;

enum class Type : std::uint8_t {
  float64,
  float32,
  int32,
  int64,
  boolean  ///< a byte, 0 or 1
};

constexpr std::size_t size_bytes(Type type) {
  if (type == Type::boolean) return 1;
  return type == Type::float64 || type == Type::int64 ? 8 : 4;
}

enum class ParameterKind {
  text,           ///< any text
  word,           ///< one of `words`
  number,         ///< a finite decimal number
  whole_number,   ///< from 0
  whole_numbers,  ///< from 0, separated by commas
  name,           ///< the name of one field or result: an input of the rule
  names,          ///< names of dimensions, separated by commas
  expression,     ///< an equation or condition; the fields in it are inputs of the rule
  server,         ///< "auto" or the number of a server
  numbers,  ///< finite decimal numbers, separated by blanks or commas; in a configuration also "file:" and
            ///< the path of a text file with one in each line, which the operator gets as numbers
  table     ///< in a configuration "file:" and the path of a text file, of which the operator gets the text
};

struct Parameter {
  std::string name;  ///< the attribute's name in the configuration
  ParameterKind kind = ParameterKind::text;
  bool required = true;
  std::string default_value = {};
  std::vector<std::string> words = {};  ///< what a `word` may be
  std::string help = {};                ///< one line for the reference
  std::string units = {};               ///< the unit of a number; "" where it has none
};

struct Dimension {
  std::string name;
  Index size = 0;                        ///< of the whole domain
  std::vector<double> coordinates = {};  ///< one for each element, or empty
  std::string units = {};                ///< the coordinates' unit
  std::string long_name = {};            ///< what they are, of a dimension that an operator brings
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// What is known about a value before the run.
struct Quantity {
  std::string name;  ///< as in the configuration; in a result it means nothing
  Type type = Type::float64;
  std::vector<Dimension> dimensions = {};  ///< fastest first, as in memory; none: a scalar
  /// Elements equal to this number stand for no value.
  std::optional<double> missing = {};

  /// Position of the dimension, or -1.
  int axis(std::string_view dimension) const {
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      if (dimensions[d].name == dimension) return static_cast<int>(d);
    }
    return -1;
  }
};

/// A box in the global indices of a value, fastest dimension first.
struct Region {
  std::vector<Index> start, count;

  Index size() const {
    Index product = 1;
    for (Index n : count) product *= n;
    return product;
  }
  friend bool operator==(const Region&, const Region&) = default;
};

/// A parameter has a value that cannot be. what() says why, and the message of Pileus points at the
/// parameter.
class ParameterError : public std::runtime_error {
 public:
  ParameterError(std::string parameter, const std::string& what)
      : std::runtime_error(what), parameter_(std::move(parameter)) {}
  const std::string& parameter() const { return parameter_; }

 private:
  std::string parameter_;
};

/// One rule of a configuration: what its attributes say, and what its inputs are.
struct Rule {
  std::map<std::string, std::string>
      parameters;                ///< as written, defaults filled in, without blanks at the ends
  std::vector<Quantity> inputs;  ///< fields that `name` parameters name, then those in expressions, each once

  const std::string& text(const std::string& parameter) const { return parameters.at(parameter); }
  double number(const std::string& parameter) const {
    return parsed<double>(parameter, text(parameter), "a number");
  }
  Index whole_number(const std::string& parameter) const { return whole(parameter, text(parameter)); }
  /// The items of a parameter that is a list, such as `names`.
  std::vector<std::string> list(const std::string& parameter) const {
    std::vector<std::string> pieces;
    const std::string& all = text(parameter);
    for (std::size_t from = 0; from <= all.size() && !all.empty();) {
      const std::size_t comma = std::min(all.find(',', from), all.size());
      const std::size_t first = std::min(all.find_first_not_of(" \t\n", from), comma);
      const std::size_t last = first == comma ? comma : all.find_last_not_of(" \t\n", comma - 1) + 1;
      pieces.push_back(all.substr(first, last - first));
      from = comma + 1;
    }
    return pieces;
  }
  std::vector<Index> whole_numbers(const std::string& parameter) const {
    std::vector<Index> numbers;
    for (const std::string& piece : list(parameter)) numbers.push_back(whole(parameter, piece));
    return numbers;
  }
  /// The numbers of a parameter that is a list of them, between blanks or commas.
  std::vector<double> numbers(const std::string& parameter) const {
    constexpr std::string_view kBetween = " \t\r\n,";
    std::vector<double> numbers;
    const std::string& all = text(parameter);
    for (std::size_t from = all.find_first_not_of(kBetween); from < all.size();) {
      const std::size_t end = std::min(all.find_first_of(kBetween, from), all.size());
      numbers.push_back(parsed<double>(parameter, all.substr(from, end - from), "a number"));
      from = all.find_first_not_of(kBetween, end);
    }
    return numbers;
  }
  /// The input whose name stands in a parameter of kind name.
  const Quantity& input(const std::string& parameter) const {
    for (const Quantity& one : inputs) {
      if (one.name == text(parameter)) return one;
    }
    throw ParameterError(parameter, "there is no input " + text(parameter));
  }
  /// Position of the dimension in an input. Errors: ParameterError if the input has no such dimension.
  int axis(const std::string& parameter, const Quantity& input, const std::string& dimension) const {
    const int axis = input.axis(dimension);
    if (axis >= 0) return axis;
    std::string known;
    for (const Dimension& one : input.dimensions) known += (known.empty() ? "" : ", ") + one.name;
    throw ParameterError(parameter, "\"" + input.name + "\" has no dimension \"" + dimension + "\"" +
                                        (known.empty() ? "; it is a scalar" : "; it has " + known));
  }

 private:
  template <class Number>
  static Number parsed(const std::string& parameter, const std::string& text, const std::string& expected) {
    Number value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, value);
    if (problem == std::errc{} && end == last) return value;
    throw ParameterError(parameter, "\"" + text + "\" is not " + expected);
  }
  static Index whole(const std::string& parameter, const std::string& text) {
    const auto value = parsed<Index>(parameter, text, "a whole number");
    if (value < 0) throw ParameterError(parameter, "\"" + text + "\" is less than 0");
    return value;
  }
};

/// What one model rank holds of one input in one step.
struct Part {
  Type type = Type::float64;
  const void* first = nullptr;  ///< dense, in the order of the region
  Region region;

  /// REQUIRES: T is the C++ type of `type`.
  template <class T>
  std::span<const T> as() const {
    return {static_cast<const T*>(first), static_cast<std::size_t>(region.size())};
  }
  /// The element as a double, whatever the type.
  double number(Index i) const {
    switch (type) {
      case Type::float64: return static_cast<const double*>(first)[i];
      case Type::float32: return static_cast<double>(static_cast<const float*>(first)[i]);
      case Type::int32: return static_cast<double>(static_cast<const std::int32_t*>(first)[i]);
      case Type::int64: return static_cast<double>(static_cast<const std::int64_t*>(first)[i]);
      case Type::boolean: return static_cast<double>(static_cast<const std::uint8_t*>(first)[i]);
    }
    return 0;
  }
};

/// Where an operator writes its result for one model rank. The region is never empty.
struct ResultPart {
  Type type = Type::float64;
  void* first = nullptr;  ///< dense, in the order of the region; zero at first
  Region region;

  /// REQUIRES: T is the C++ type of `type`.
  template <class T>
  std::span<T> as() const {
    return {static_cast<T*>(first), static_cast<std::size_t>(region.size())};
  }
};

/// Elements of an array: in each dimension `count` of them, every `step`-th from `first` on.
struct Picked {
  std::vector<Index> first, count, step;  ///< by dimension, fastest first
};

/// What an operator needs beside its part, along one dimension of an input: so many elements before the first
/// and behind the last element of its part of the result.
struct Halo {
  Index before = 0, after = 0;  ///< at most the size of the dimension
  /// The dimension goes on at its other end. Otherwise the halo ends at the border.
  bool is_periodic = false;
  friend bool operator==(const Halo&, const Halo&) = default;
};

/// Work that rules have in common, such as finding where levels lie in columns. It is done once for all rules
/// of a rank and step with the same text, the same values in these inputs, and the same part of the result.
struct Shared {
  std::string text;                 ///< what the work is, with all parameters that it follows from
  std::vector<std::size_t> inputs;  ///< the numbers of those that it is done on
  std::size_t bytes = 0;            ///< that it keeps for each element of the result
  /// What is found; as for `compute`.
  std::function<std::shared_ptr<const void>(const std::vector<Part>& inputs, const Region& result)> find;
  /// Fills the result as `compute` does, with what was found.
  std::function<void(const void* found, const std::vector<Part>& inputs, const ResultPart& result)> compute;
};

/// When a step is: model time is that of its end.
struct Moment {
  std::int64_t step = 0;
  double time_s = 0;
};

/// A part of what is known, as a checkpoint keeps it.
struct Piece {
  Region region;  ///< in the global indices of the first input that is followed
  std::vector<std::byte> bytes;
};

/// Of an operator whose result follows from earlier steps too: what is known after each step, which never
/// changes afterwards. Rules with the same text and the same values in these inputs know the same. They take
/// each hand-over of their inputs, whatever files want, and checkpoints keep what they know.
struct Followed {
  std::string text;                 ///< what is followed, with all parameters that it follows from
  std::vector<std::size_t> inputs;  ///< the numbers of those that it is made of
  /// What is known of a part of the first of them takes so many bytes at most. Each step that is open has its
  /// own: `pileus explain` and the limit of memory count them.
  std::function<std::size_t(const Region& part)> bytes;
  /// What is known after a step; `before`: after the last step that had these inputs, null where there was
  /// none.
  std::function<std::shared_ptr<const void>(const void* before, const Moment& moment,
                                            const std::vector<Part>& inputs)>
      follow;
  /// Fills the result, in the place of Prepared::compute, with what is known after the step.
  std::function<void(const void* known, const std::vector<Part>& inputs, const ResultPart& result)> compute;
  /// What a run needs that goes on, in pieces that any layout has whole.
  std::function<std::vector<Piece>(const void* known, const Region& part)> keep;
  /// What is known of a part, from pieces of which some may be of other parts. Null: nothing.
  std::function<std::shared_ptr<const void>(const Region& part, const std::vector<Piece>& pieces)> restore;
};

/// What `prepare` returns for one rule: a description of the result, and the function that computes it.
struct Prepared {
  /// A dimension that no input has is a new one. Dimensions with the same name are the same dimension
  /// everywhere.
  Quantity result;
  /// The part of the result that a model rank has, from its parts of the inputs. Without this function a rank
  /// has, in each dimension, the part of the first input with that dimension, and all of it if no input has
  /// it. No two ranks may have the same element.
  std::function<Region(const std::vector<Region>& inputs)> region = {};
  /// Fills the result. Several threads call it at once, once for each model rank and step. If it throws, the
  /// result is absent, and the reason is reported once. The result must follow from the inputs alone.
  std::function<void(const std::vector<Part>& inputs, const ResultPart& result)> compute;
  /// By input, and by dimension of it: the elements that `compute` needs beside its part of the result, also
  /// where other model ranks hold them. Empty, or empty for an input: none. An input with a halo comes in
  /// double precision, and its part is that of the result, wider by the halo: with a periodic one it may
  /// begin
  /// below 0 or end beyond the dimension. REQUIRES: no `region`, `picks` or `shared`; such an input has
  /// the dimensions of the result that have a halo.
  std::vector<std::vector<Halo>> halos = {};
  /// For an operator of one input whose result is nothing but elements of that, in their order: which of the
  /// elements of its part a model rank's part of the result has. It is asked for parts of results that are
  /// not empty. Where nobody needs the other elements, model ranks then hand over these alone, and compute is
  /// not called: it must have the same result. It must give the same for the same part; where it throws, or
  /// names elements that are not there, the whole field is handed over.
  std::function<Picked(const Region& input)> picks = {};
  /// Where several rules take it together: the same result by another way.
  std::optional<Shared> shared = {};
  /// What `compute` takes while it runs, beside its inputs and its result: `pileus explain` and the limit of
  /// memory count it.
  std::size_t working_bytes = 0;
  /// Where the result follows from earlier steps too. REQUIRES: no `compute`, `halos`, `picks` or `shared`.
  std::optional<Followed> followed = {};
};

struct Operator {
  std::string name;  ///< in the configuration
  std::string help;  ///< one line
  std::vector<Parameter> parameters;
  /// Called before the run, once for each rule. Errors: ParameterError; what() of any other exception becomes
  /// the message.
  std::function<Prepared(const Rule&)> prepare;
  /// True if the operator looks at the `missing` of its inputs. Others are never given values that may be
  /// missing.
  bool knows_missing = false;
  /// The parameter that names a dimension, or several, along which the operator goes: of these each part has
  /// all. Where model ranks hold parts of them, servers bring these together, in double precision. "": no
  /// such parameter.
  std::string along = {};
};

}  // namespace pileus::operators

/// Stands once in a shared library: PILEUS_OPERATOR_LIBRARY(my_operator(), another_one()), each an Operator.
#define PILEUS_OPERATOR_LIBRARY(...)                                                               \
  extern "C" __attribute__((visibility("default"))) const std::uint32_t pileus_operator_interface; \
  const std::uint32_t pileus_operator_interface = pileus::operators::kInterfaceVersion;            \
  extern "C" __attribute__((visibility("default"))) void pileus_list_operators(                    \
      std::vector<pileus::operators::Operator>* operators) {                                       \
    *operators = {__VA_ARGS__};                                                                    \
  }
