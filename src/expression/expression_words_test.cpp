#include "expression/expression_words.h"

#include <gtest/gtest.h>

#include "expression/expression_tree.h"

namespace pileus::planning {
namespace {

/// "there is no function ..." for a call of that word; "" if there is one.
std::string refusal_of(const std::string& word, Language language = Language::expression) {
  try {
    parse_tree(word + "(w)", language);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "";
}

TEST(ExpressionWords, every_word_is_written_with_itself_and_its_arguments) {
  for (const ExpressionFunction& one : expression_functions()) {
    EXPECT_EQ(one.written.find(std::string(one.word) + "("), 0U);
    EXPECT_FALSE(one.help.empty());
  }
  for (const ExpressionReduction& one : expression_reductions())
    EXPECT_EQ(one.written.find(std::string(one.word) + (one.word == kZonal ? "(" : "[y,x](")), 0U);
}

TEST(ExpressionWords, are_what_the_parser_knows) {
  for (const ExpressionFunction& one : expression_functions()) {
    std::string call = std::string(one.word) + "(";
    for (std::size_t i = 0; i < one.arguments; ++i)
      call += one.word == "where" && i == 0 ? "w > 0" : (i == 0 ? "w" : ", w");
    for (const Language language : {Language::equation, Language::expression})
      EXPECT_EQ(parse_tree(call + ")", language).nodes.back().operation, one.operation) << call;
  }
  for (const ExpressionReduction& one : expression_reductions()) {
    const std::string more = one.arguments == 2 ? ", w" : one.word == kHistogram ? ", edges=0:2:1" : "";
    const std::string call = std::string(one.word) + "[y,x](w > 0" + more + ")";
    EXPECT_EQ(parse_tree(call, Language::expression).nodes.back().word, one.word);
  }
}

TEST(ExpressionWords, what_others_call_a_function_is_suggested_as_ours) {
  const std::pair<const char*, const char*> cases[] = {
      {"ln", "log"},       {"avg", "mean"},     {"average", "mean"}, {"averge", "mean"},   {"stddev", "std"},
      {"variance", "var"}, {"variace", "var"},  {"sqrtt", "sqrt"},   {"arctan2", "atan2"}, {"arcsin", "asin"},
      {"nint", "round"},   {"ceiling", "ceil"}, {"modulo", "mod"}};
  for (const auto& [other, ours] : cases) {
    const std::string expected =
        "there is no function \"" + std::string(other) + "\"; did you mean \"" + ours + "\"?";
    EXPECT_EQ(refusal_of(other), expected);
  }
}

TEST(ExpressionWords, a_reduction_is_not_suggested_in_an_equation) {
  EXPECT_EQ(refusal_of("average", Language::equation),
            "there is no function \"average\"; there are abs, acos, asin, atan, atan2, ceil, cos, cosh, exp, "
            "floor, "
            "hypot, log, log10, log2, max, min, mod, round, sign, sin, sinh, sqrt, tan, tanh, where");
}

TEST(ExpressionWords, equations_hold_every_function_and_operator) {
  const std::string text = what_equations_hold();
  for (const ExpressionFunction& one : expression_functions())
    EXPECT_NE(text.find(one.written), std::string::npos) << one.written;
  EXPECT_NE(text.find("+ - * / % ^"), std::string::npos);
}

}  // namespace
}  // namespace pileus::planning
