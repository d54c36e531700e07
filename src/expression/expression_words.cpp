#include "expression/expression_words.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/suggest.h"

namespace pileus::planning {
namespace {

/// Those that are operations of their own; kDeclaredFunctions follow.
constexpr std::array<ExpressionFunction, 10> kOfOperations = {{
    {"sqrt", "sqrt(a)", "the square root", Operation::square_root, 1},
    {"exp", "exp(a)", "e to the power of a", Operation::exponential, 1},
    {"log", "log(a)", "the natural logarithm", Operation::logarithm, 1},
    {"abs", "abs(a)", "the absolute value", Operation::absolute, 1},
    {"sin", "sin(a)", "the sine of an angle in radians", Operation::sine, 1},
    {"cos", "cos(a)", "the cosine of an angle in radians", Operation::cosine, 1},
    {"mod", "mod(a, b)", "the remainder of a / b, with the sign of b: a % b", Operation::modulo, 2},
    {"where", "where(condition, a, b)", "a where the condition holds, elsewhere b", Operation::select, 3},
    {"min", "min(a, b, ...)", "the smallest of several arguments", Operation::minimum, 2, true},
    {"max", "max(a, b, ...)", "the largest of several arguments", Operation::maximum, 2, true},
}};

constexpr auto kFunctions = [] {
  std::array<ExpressionFunction, kOfOperations.size() + kDeclaredFunctions.size()> all;
  std::ranges::copy(kOfOperations, all.begin());
  for (std::size_t i = 0; i < kDeclaredFunctions.size(); ++i) {
    const FunctionDeclaration& one = kDeclaredFunctions[i];
    all[kOfOperations.size() + i] = {one.word, one.written, one.help, operation_of(i),
                                     static_cast<std::size_t>(one.arguments)};
  }
  return all;
}();

/// In the order of their declarations; the last two bring their bins.
constexpr auto kReductionsWritten = [] {
  constexpr auto kCount = std::ranges::count(kDeclaredReductions, false, &ReductionDeclaration::is_weighted);
  std::array<ExpressionReduction, static_cast<std::size_t>(kCount) + 2> all;
  std::size_t i = 0;
  for (const ReductionDeclaration& one : kDeclaredReductions) {
    if (one.is_weighted) continue;
    all[i++] = {one.expression_word,         one.written, one.help, one.reduction, one.takes_pairs ? 2U : 1U,
                one.with_weights.has_value()};
  }
  all[i] = {
      kZonal,          "zonal(a)", "the mean over bands of latitude of a's grid, weighted by the grid's area",
      Reduction::mean, 1U,         true};
  all[i + 1] = {kHistogram,
                "histogram[y,x](a, edges=-5:5:0.5)",
                "how many values lie in each bin; with weight=mass how much weight",
                Reduction::count,
                1U,
                true};
  return all;
}();

/// The words that other languages have for ours.
constexpr auto kOtherWords = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"anint", "round"},    {"arccos", "acos"},  {"arcsin", "asin"},    {"arctan", "atan"},
    {"arctan2", "atan2"},  {"average", "mean"}, {"avg", "mean"},       {"ceiling", "ceil"},
    {"covariance", "cov"}, {"fabs", "abs"},     {"hist", "histogram"}, {"histcount", "histogram"},
    {"if", "where"},       {"ln", "log"},       {"maximum", "max"},    {"minimum", "min"},
    {"modulo", "mod"},     {"nint", "round"},   {"rint", "round"},     {"root_mean_square", "rms"},
    {"select", "where"},   {"sgn", "sign"},     {"signum", "sign"},    {"standard_deviation", "std"},
    {"stddev", "std"},     {"stdev", "std"},    {"total", "sum"},      {"variance", "var"},
});

struct Way {
  std::string_view word, written;
  bool reduces = false;
};
constexpr auto kWrittenOtherwise = std::to_array<Way>({
    {"acosh", "log(a + sqrt(a^2 - 1))"},
    {"aint", "sign(a) * floor(abs(a))"},
    {"asinh", "log(a + sqrt(a^2 + 1))"},
    {"atanh", "log((1 + a) / (1 - a)) / 2"},
    {"binary_dilation", "shell[y,x](a > 0, 1)", true},
    {"cbrt", "where(a < 0, -(-a)^(1/3), a^(1/3))"},
    {"csd", "cospectrum[x](a, b)", true},
    {"cumulate", "cumsum[z](a)", true},
    {"deg2rad", "a * 0.017453292519943295"},
    {"degrees", "a * 57.29577951308232"},
    {"dilate", "shell[y,x](a > 0, 1)", true},
    {"fft", "spectrum[x](a)", true},
    {"fft2", "spectrum[y,x](a)", true},
    {"find_objects", "objects[y,x](a > 0)", true},
    {"fix", "sign(a) * floor(abs(a))"},
    {"idxmax", "argmax[z](a)", true},
    {"idxmin", "argmin[z](a)", true},
    {"int", "sign(a) * floor(abs(a))"},
    {"linking_overlap", "track[y,x](a > 0)", true},
    {"linking_trackpy", "track[y,x](a > 0)", true},
    {"merge", "where(condition, a, b)"},
    {"nanmedian", "median[y,x](a)", true},
    {"nanquantile", "quantile[y,x](a, 0.95)", true},
    {"percentile", "quantile[y,x](a, 0.95)", true},
    {"periodogram", "spectrum[x](a)", true},
    {"pow", "a^b"},
    {"power", "a^b"},
    {"power_spectrum", "spectrum[x](a)", true},
    {"psd", "spectrum[x](a)", true},
    {"rad2deg", "a * 57.29577951308232"},
    {"radians", "a * 0.017453292519943295"},
    {"range", "max[y,x](a) - min[y,x](a)", true},
    {"rfft", "spectrum[x](a)", true},
    {"spectra", "spectrum[x](a)", true},
    {"sqr", "a^2"},
    {"square", "a^2"},
    {"trunc", "sign(a) * floor(abs(a))"},
    {"welch", "spectrum[x](a, window=hann)", true},
});

/// Functions that other languages have and this one does not: a similar word of ours means something else.
constexpr auto kOfOthers = std::to_array<std::string_view>({
    "acosh", "arg", "asinh", "atanh", "conj",  "corr", "cot",   "csc",  "diff", "div",      "erf",  "expm1",
    "int",   "lag", "lead",  "lgt",   "log1p", "norm", "range", "rank", "real", "skewness", "sinc",
});

struct Foreign {
  std::string_view theirs, ours;
  bool is_of_conditions = true;
};
/// An operator stands after those that begin with it.
constexpr std::array<Foreign, 30> kForeignOperators = {{
    {"&&", "and"},
    {"&", "and"},
    {"||", "or"},
    {".and.", "and"},
    {".or.", "or"},
    {".not.", "not"},
    {".eq.", "=="},
    {".ne.", "!="},
    {".lt.", "<"},
    {".le.", "<="},
    {".gt.", ">"},
    {".ge.", ">="},
    {"/=", "!="},
    {"<>", "!="},
    {"~=", "!="},
    {"=<", "<="},
    {"=>", ">="},
    {"!", "not"},
    {"~", "not"},
    {"\u2264", "<="},
    {"\u2265", ">="},
    {"\u2260", "!="},
    {"?", "where(condition, a, b)", false},
    {"\u00b2", "^2", false},
    {"\u00b3", "^3", false},
    {"\u00d7", "*", false},
    {"\u00b7", "*", false},
    {"\u22c5", "*", false},
    {"\u00f7", "/", false},
    {"**", "^", false},
}};

template <class Words>
auto find(const Words& words, std::string_view word) {
  const auto found = std::ranges::find_if(words, [&](const auto& one) { return one.word == word; });
  return found == words.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ExpressionFunction> expression_functions() { return kFunctions; }
std::span<const ExpressionReduction> expression_reductions() { return kReductionsWritten; }
const ExpressionFunction* find_function(std::string_view word) { return find(kFunctions, word); }
const ExpressionReduction* find_reduction(std::string_view word) { return find(kReductionsWritten, word); }

std::vector<std::string> function_words(bool with_reductions) {
  std::set<std::string> words;
  for (const ExpressionFunction& one : kFunctions) words.emplace(one.word);
  if (with_reductions) {
    for (const ExpressionReduction& one : kReductionsWritten) words.emplace(one.word);
  }
  return {words.begin(), words.end()};
}

std::string function_meant(std::string_view word, bool with_reductions) {
  if (std::ranges::find(kOfOthers, word) != kOfOthers.end()) return "";
  const std::vector<std::string> known = function_words(with_reductions);
  std::vector<std::string> others;
  for (const auto& [other, ours] : kOtherWords) {
    if (!std::ranges::binary_search(known, ours)) continue;
    if (other == word) return std::string(ours);
    others.emplace_back(other);
  }
  if (const std::string near = nearest(word, known); !near.empty()) return near;
  const std::string near = nearest(word, others);
  const auto found = std::ranges::find(kOtherWords, near, [](const auto& pair) { return pair.first; });
  return found == kOtherWords.end() ? "" : std::string(found->second);
}

std::string_view written_otherwise(std::string_view word, bool with_reductions) {
  const Way* const way = find(kWrittenOtherwise, word);
  return way == nullptr || (way->reduces && !with_reductions) ? "" : way->written;
}

std::pair<std::string_view, std::string_view> foreign_operator(std::string_view text, bool may_compare) {
  const auto is_same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); };
  for (const Foreign& one : kForeignOperators) {
    if (one.is_of_conditions && !may_compare) continue;
    if (std::ranges::equal(one.theirs, text.substr(0, one.theirs.size()), is_same))
      return {one.theirs, one.ours};
  }
  return {};
}

std::string what_equations_hold() {
  std::string calls;
  for (const ExpressionFunction& one : kFunctions)
    calls += (calls.empty() ? "" : ", ") + std::string(one.written);
  return "numbers, fields, {options}, + - * / % ^ and ( ), and the functions " + calls +
         "; comparisons, and, or, not in the condition of where";
}

std::string operator_meant(std::string_view word, std::span<const Declaration> operators) {
  NearestWord nearest(word);
  for (const Declaration& one : operators)
    if (stands_in_expressions(one)) nearest.offer(one.name);
  return std::string(nearest.found());
}

}  // namespace pileus::planning
