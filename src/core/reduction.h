#pragma once
// The reductions: each says once what it takes of its values, how rules and expressions write it, and what
// becomes of units. A new one is a name at the end of the enumeration and an entry of the table. How values
// are added and joined depends on what a Partial (math/partial.h) keeps of them alone.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

/// Codes of the wire and of checkpoints: a new one comes last.
enum class Reduction : std::uint8_t {
  sum,
  mean,
  min,
  max,
  variance,
  standard_deviation,
  covariance,
  count,
  any,
  all,
  root_mean_square,
  weighted_sum,
  weighted_mean,
  weighted_variance,
  weighted_standard_deviation,
  weighted_covariance,
  weighted_root_mean_square
};

/// What is kept of the values until the result is rounded.
enum class Keeps : std::uint8_t {
  sum,      ///< Σx and the count n
  extreme,  ///< the smallest of them, or of their negatives
  truth,    ///< likewise, of 1 where a value is not 0, else 0; a NaN is not 0
  count,    ///< n
  moments,  ///< n, Σx, Σx²; of pairs n, Σx, Σy, Σxy
  weighted  ///< n, Σw, and Σwx or Σwx²; about the mean Σw, Σwx, Σwx²; of pairs n, Σw, Σwx, Σwy, Σwxy
};

enum class UnitsOf : std::uint8_t { values, product, nothing };

struct ReductionDeclaration {
  Reduction reduction;
  const char* word;                  ///< in rules; of those with weights for messages
  const char* expression_word = "";  ///< in expressions
  const char* written = "";          ///< in expressions, with its arguments
  const char* help = "";
  Keeps keeps = Keeps::sum;
  const char* cell_method = nullptr;  ///< of CF, over an area; nullptr: it has no word
  UnitsOf units = UnitsOf::values;    ///< product: of both of a pair, or of a value with itself
  bool takes_pairs = false;
  bool is_weighted = false;      ///< takes a weight besides, the last of its operands
  bool is_largest = false;       ///< of extremes and truths: the largest
  bool is_of_nothing_0 = false;  ///< of no values it is 0 all the same
  bool is_about_mean = false;  ///< of moments: (n Σxy − Σx Σy) / n², else Σxy / n; weighted: Σw in place of n
  bool is_root = false;  ///< of moments: the square root of that
  /// That of the whole is that of what it gives for parts; a mean counts its values.
  bool is_that_of_parts = true;
  /// What joins its results of parts, and takes its place where all values are 0 or 1.
  std::optional<Reduction> of_results = {};
  /// The same with weights.
  std::optional<Reduction> with_weights = {};

  constexpr std::size_t operands() const { return 1U + (takes_pairs ? 1 : 0) + (is_weighted ? 1 : 0); }
};

// clang-format off
inline constexpr auto kDeclaredReductions = std::to_array<ReductionDeclaration>({
    {.reduction = Reduction::sum, .word = "sum", .expression_word = "sum", .written = "sum[y,x](a)",
     .help = "the sum", .keeps = Keeps::sum, .cell_method = "sum", .is_of_nothing_0 = true,
     .with_weights = Reduction::weighted_sum},
    {.reduction = Reduction::mean, .word = "mean", .expression_word = "mean", .written = "mean[y,x](a)",
     .help = "the mean", .keeps = Keeps::sum, .cell_method = "mean",
     .with_weights = Reduction::weighted_mean},
    {.reduction = Reduction::min, .word = "min", .expression_word = "min", .written = "min[y,x](a)",
     .help = "the smallest value", .keeps = Keeps::extreme, .cell_method = "minimum"},
    {.reduction = Reduction::max, .word = "max", .expression_word = "max", .written = "max[y,x](a)",
     .help = "the largest value", .keeps = Keeps::extreme, .cell_method = "maximum", .is_largest = true},
    {.reduction = Reduction::variance, .word = "variance", .expression_word = "var",
     .written = "var[y,x](a)", .help = "the variance of the population", .keeps = Keeps::moments,
     .cell_method = "variance", .units = UnitsOf::product, .is_about_mean = true,
     .is_that_of_parts = false, .with_weights = Reduction::weighted_variance},
    {.reduction = Reduction::standard_deviation, .word = "standard_deviation", .expression_word = "std",
     .written = "std[y,x](a)", .help = "the standard deviation of the population", .keeps = Keeps::moments,
     .cell_method = "standard_deviation", .is_about_mean = true, .is_root = true,
     .is_that_of_parts = false, .with_weights = Reduction::weighted_standard_deviation},
    {.reduction = Reduction::covariance, .word = "covariance", .expression_word = "cov",
     .written = "cov[y,x](a, b)", .help = "the covariance of the population", .keeps = Keeps::moments,
     .units = UnitsOf::product, .takes_pairs = true, .is_about_mean = true,
     .with_weights = Reduction::weighted_covariance},
    {.reduction = Reduction::count, .word = "count", .expression_word = "count",
     .written = "count[y,x](a)", .help = "how many values there are, or where a condition holds",
     .keeps = Keeps::count, .units = UnitsOf::nothing, .is_of_nothing_0 = true, .is_that_of_parts = false,
     .of_results = Reduction::sum},
    {.reduction = Reduction::any, .word = "any", .expression_word = "any",
     .written = "any[y,x](condition)", .help = "1 where the condition holds anywhere, else 0",
     .keeps = Keeps::truth, .units = UnitsOf::nothing, .is_largest = true, .of_results = Reduction::max},
    {.reduction = Reduction::all, .word = "all", .expression_word = "all",
     .written = "all[y,x](condition)", .help = "1 where the condition holds everywhere, else 0",
     .keeps = Keeps::truth, .units = UnitsOf::nothing, .of_results = Reduction::min},
    {.reduction = Reduction::root_mean_square, .word = "root_mean_square", .expression_word = "rms",
     .written = "rms[y,x](a)", .help = "the root of the mean of the squares", .keeps = Keeps::moments,
     .cell_method = "root_mean_square", .is_root = true, .is_that_of_parts = false,
     .with_weights = Reduction::weighted_root_mean_square},
    {.reduction = Reduction::weighted_sum, .word = "weighted sum",
     .keeps = Keeps::weighted, .cell_method = "sum", .units = UnitsOf::product, .is_weighted = true,
     .is_of_nothing_0 = true},
    {.reduction = Reduction::weighted_mean, .word = "weighted mean", .keeps = Keeps::weighted,
     .cell_method = "mean", .is_weighted = true, .is_that_of_parts = false},
    {.reduction = Reduction::weighted_variance, .word = "weighted variance", .keeps = Keeps::weighted,
     .cell_method = "variance", .units = UnitsOf::product, .is_weighted = true, .is_about_mean = true,
     .is_that_of_parts = false},
    {.reduction = Reduction::weighted_standard_deviation, .word = "weighted standard_deviation",
     .keeps = Keeps::weighted, .cell_method = "standard_deviation", .is_weighted = true,
     .is_about_mean = true, .is_root = true, .is_that_of_parts = false},
    {.reduction = Reduction::weighted_covariance, .word = "weighted covariance", .keeps = Keeps::weighted,
     .units = UnitsOf::product, .takes_pairs = true, .is_weighted = true, .is_about_mean = true,
     .is_that_of_parts = false},
    {.reduction = Reduction::weighted_root_mean_square, .word = "weighted root_mean_square",
     .keeps = Keeps::weighted, .cell_method = "root_mean_square", .is_weighted = true, .is_root = true,
     .is_that_of_parts = false},
});
// clang-format on

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kDeclaredReductions.size(); ++i)
    if (kDeclaredReductions[i].reduction != static_cast<Reduction>(i)) return false;
  return true;
}
static_assert(are_in_order(), "the entries stand in the order of the enumeration");

constexpr bool is_known(Reduction reduction) {
  return static_cast<std::size_t>(reduction) < kDeclaredReductions.size();
}
/// REQUIRES: is_known.
constexpr const ReductionDeclaration& declaration_of(Reduction reduction) {
  return kDeclaredReductions[static_cast<std::size_t>(reduction)];
}
/// The declaration that rules call so; null where there is none. Those with weights have no word of theirs.
inline const ReductionDeclaration* reduction_of_word(std::string_view word) {
  for (const ReductionDeclaration& one : kDeclaredReductions)
    if (!one.is_weighted && one.word == word) return &one;
  return nullptr;
}
constexpr Keeps keeps_of(Reduction reduction) { return declaration_of(reduction).keeps; }
constexpr const char* word_of(Reduction reduction) { return declaration_of(reduction).word; }

/// Partials of sums, extremes or counts take so many bytes in a message at most, and so many for each.
inline constexpr std::uint64_t kMostPartialsBytes = 64, kMostPartialBytes = 360;

/// As rules say them.
inline std::vector<std::string> reduction_words() {
  std::vector<std::string> words;
  for (const ReductionDeclaration& one : kDeclaredReductions)
    if (!one.is_weighted) words.emplace_back(one.word);
  return words;
}

}  // namespace pileus
