// The parser of equations: what binds first, what is folded, and where errors are.

#include "expression/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <random>
#include <vector>

namespace pileus::planning {
namespace {

double evaluated(const Program& program, const std::vector<double>& inputs) {
  std::vector<double> made;
  for (const Instruction& i : program.instructions) {
    switch (i.operation) {
      case Operation::constant: made.push_back(i.constant); break;
      case Operation::input: made.push_back(inputs.at(i.left)); break;
      case Operation::negate: made.push_back(-made.at(i.left)); break;
      case Operation::add: made.push_back(made.at(i.left) + made.at(i.right)); break;
      case Operation::subtract: made.push_back(made.at(i.left) - made.at(i.right)); break;
      case Operation::multiply: made.push_back(made.at(i.left) * made.at(i.right)); break;
      case Operation::divide: made.push_back(made.at(i.left) / made.at(i.right)); break;
      case Operation::power: made.push_back(std::pow(made.at(i.left), made.at(i.right))); break;
      case Operation::less: made.push_back(made.at(i.left) < made.at(i.right)); break;
      case Operation::less_equal: made.push_back(made.at(i.left) <= made.at(i.right)); break;
      case Operation::equal: made.push_back(made.at(i.left) == made.at(i.right)); break;
      case Operation::not_equal: made.push_back(made.at(i.left) != made.at(i.right)); break;
      default: throw std::logic_error("no parser makes this");
    }
  }
  return made.back();
}

struct Example {
  const char* equation;
  double value;  ///< with a = 2, b = 3, c = 5
};

double value_with_a_b_c(const Expression& expression) {
  std::vector<double> inputs;
  for (const auto& name : expression.names) inputs.push_back(name.text == "a" ? 2 : name.text == "b" ? 3 : 5);
  return evaluated(expression.program, inputs);
}

double value_with_a_b_c(const char* equation) { return value_with_a_b_c(parse_expression(equation)); }

TEST(Expression, binds_as_mathematics_does) {
  const Example examples[] = {
      {"1", 1},
      {"1.5", 1.5},
      {".5", 0.5},
      {"2.", 2},
      {"1e3", 1000},
      {"1E3", 1000},
      {"2.5e-1", 0.25},
      {"1e+2", 100},
      {"a", 2},
      {"(a)", 2},
      {"((a))", 2},
      {" a ", 2},
      {"a+b", 5},
      {"a-b", -1},
      {"a*b", 6},
      {"b/a", 1.5},
      {"a^b", 8},
      {"a+b*c", 17},
      {"a*b+c", 11},
      {"(a+b)*c", 25},
      {"a-b-c", -6},  // (2-3)-5
      {"a-(b-c)", 4},
      {"a-b+c", 4},  // (2-3)+5
      {"c/b/a", 5.0 / 3 / 2},
      {"12/b/a", 2},    // (12/3)/2
      {"12/(b/a)", 8},  // 12/1.5
      {"12/b*a", 8},    // (12/3)*2
      {"a^b^a", 512},   // 2^(3^2)
      {"(a^b)^a", 64},
      {"-a", -2},
      {"--a", 2},
      {"+a", 2},
      {"-a+b", 1},
      {"-a*b", -6},
      {"a*-b", -6},
      {"a--b", 5},
      {"a+-b", -1},
      {"-a^2", -4},  // -(2^2)
      {"(-a)^2", 4},
      {"a^-b", 0.125},
      {"2^-3", 0.125},
      {"a^-b^a", 1.0 / 512},  // 2^(-(3^2))
      {"-a^-a", -0.25},
      {"a*b^a", 18},
      {"(a*b)^a", 36},
      {"a^a*b", 12},
      {"6/a*b", 9},
      {"a - -a", 4},
      {"a\n+\tb", 5},
      {"(1+2)*(3+4)/(a+c)", 3},
  };

  for (const Example& example : examples) {
    EXPECT_DOUBLE_EQ(value_with_a_b_c(example.equation), example.value) << example.equation;
  }
}

TEST(Expression, a_word_that_begins_with_a_digit_is_a_name_unless_it_is_a_number) {
  EXPECT_EQ(parse_expression("3d_x+1").names.at(0).text, "3d_x");
  EXPECT_EQ(parse_expression("2e").names.at(0).text, "2e");
  EXPECT_TRUE(parse_expression("2e1").names.empty());
  EXPECT_EQ(parse_expression("2e-x").names.size(), 2U);  // 2e minus x
  EXPECT_EQ(parse_expression("_a1 + B").names.size(), 2U);
}

TEST(Expression, equal_sub_expressions_are_one_instruction) {
  // a, b, a+b, (a+b)*(a+b)
  EXPECT_EQ(parse_expression("(a+b)*(b+a)").program.instructions.size(), 4U);
  EXPECT_EQ(parse_expression("a*b - b*a").program.instructions.size(), 4U);
  // a, b, a-b, b-a, (a-b)*(b-a)
  EXPECT_EQ(parse_expression("(a-b)*(b-a)").program.instructions.size(), 5U);
}

TEST(Expression, constants_are_folded_as_they_stand) {
  EXPECT_EQ(parse_expression("(1+2)*4-6/2").program.instructions.size(), 1U);
  // The parser works left to right: (a*2)*3 has nothing to fold, a*(2*3) has.
  EXPECT_EQ(parse_expression("a*2*3").program.instructions.size(), 5U);
  EXPECT_EQ(parse_expression("a*(2*3)").program.instructions.size(), 3U);
  EXPECT_EQ(parse_expression("0.1+0.2").program.instructions.at(0).constant, 0.1 + 0.2);
}

TEST(Expression, powers_are_folded_only_where_they_are_exact) {
  EXPECT_EQ(parse_expression("2^10").program.instructions.size(), 1U);
  EXPECT_EQ(parse_expression("10^-2").program.instructions.size(), 3U);
  EXPECT_EQ(parse_expression("2^0.5").program.instructions.size(), 3U);
  EXPECT_EQ(parse_expression("3^60").program.instructions.size(), 3U);  // more than 53 bits
  EXPECT_EQ(parse_expression("0.5^-4").program.instructions.at(0).constant, 16);
}

TEST(Expression, an_option_that_is_not_known_yet_is_a_constant_of_unknown_value) {
  const Program program = parse_expression("a/({x_size}*{y_size})").program;

  ASSERT_EQ(program.instructions.size(), 3U);
  EXPECT_TRUE(std::isnan(program.instructions[1].constant) || std::isnan(program.instructions[0].constant));
}

TEST(Expression, names_say_where_they_stand_first) {
  const Expression expression = parse_expression("2*w + (u-w)");

  ASSERT_EQ(expression.names.size(), 2U);
  EXPECT_EQ(expression.names[0].text, "w");
  EXPECT_EQ(expression.names[0].offset, 2U);
  EXPECT_EQ(expression.names[1].offset, 7U);
}

TEST(Condition, holds_or_not_with_a_2_b_3_c_5) {
  const Example examples[] = {
      {"a < 2", 0},
      {"a <= 2", 1},
      {"a > 2", 0},
      {"a >= 2", 1},
      {"a == 2", 1},
      {"a != 2", 0},
      {"a lt b", 1},
      {"a le b", 1},
      {"b gt a", 1},
      {"a ge b", 0},
      {"a eq b", 0},
      {"a ne b", 1},
      {"a + b >= c", 1},
      {"a + b > c", 0},
      {"not a > 2", 1},
      {"not not a > 2", 0},
      // "and" binds before "or": c > 1 alone decides.
      {"c > 1 or a > 2 and b > 3", 1},
      {"(c > 1 or a > 2) and b > 3", 0},
      {"not a > 2 and b == 3", 1},
      {"not (a > 2 or b == 3)", 0},
      {"(a + b) * 2 > 9", 1},
  };

  for (const Example& example : examples) {
    EXPECT_EQ(value_with_a_b_c(parse_condition(example.equation)), example.value) << example.equation;
  }
}

TEST(Condition, spellings_and_sides_of_a_comparison_are_one_program) {
  EXPECT_EQ(parse_condition("a > 1").program, parse_condition("a gt 1").program);
  EXPECT_EQ(parse_condition("a > b and a > b").program.instructions.size(), 4U);
}

struct Mistake {
  std::string equation;
  std::size_t offset;
  const char* part;
};

TEST(Condition, a_mistake_is_named_with_its_place) {
  const Mistake mistakes[] = {
      {"", 0, "end of the condition"},
      {"a", 0, "is no comparison"},
      {"a + b", 0, "is no comparison"},
      {"a and b > 1", 0, "is no comparison"},
      {"b > 1 and a", 10, "is no comparison"},
      {"b > 1 or a", 9, "is no comparison"},
      {"not a", 4, "is no comparison"},
      {"1 < a < 3", 6, "cannot be compared again"},
      {"a = 3", 2, "found \"=\""},
      {"a > and", 4, "found \"and\""},
      {"a > 1 b", 6, "expected an operator"},
      {"(a > 1", 0, "never closed"},
      {"a => 1", 2, "\"=>\" is written \">=\""},
  };

  for (const Mistake& mistake : mistakes) {
    try {
      parse_condition(mistake.equation);
      ADD_FAILURE() << mistake.equation << " was taken";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset(), mistake.offset) << mistake.equation << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(mistake.part), std::string::npos) << error.what();
    }
  }
  // An equation has no comparisons.
  EXPECT_THROW(parse_expression("a > 1"), ExpressionError);
}

TEST(Expression, a_mistake_is_named_with_its_place) {
  const Mistake mistakes[] = {
      {"", 0, "end of the equation"},
      {"a+", 2, "end of the equation"},
      {"a b", 2, "expected an operator"},
      {"a 2", 2, "expected an operator"},
      {"*a", 0, "found \"*\""},
      {"a**2", 2, "written \"^\""},
      {"(a+b", 0, "never closed"},
      {"a+b)", 3, "no \"(\""},
      {"(a b)", 3, "or \")\""},
      {"()", 1, "found \")\""},
      {"a & b", 2, "found \"&\""},
      {"1.2.3", 0, "neither a number nor a name"},
      {"1.5x", 0, "neither a number nor a name"},
      {".", 0, "neither a number nor a name"},
      {"2*1e999", 2, "beyond the range"},
      {"a+{x", 2, "never closed"},
      {"a^", 2, "end of the equation"},
  };

  for (const Mistake& mistake : mistakes) {
    try {
      parse_expression(mistake.equation);
      ADD_FAILURE() << mistake.equation << " was taken";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset(), mistake.offset) << mistake.equation << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(mistake.part), std::string::npos) << error.what();
    }
  }
}

TEST(Expression, deep_nesting_is_refused_and_does_not_exhaust_the_stack) {
  const std::size_t many = 1000000;
  std::string powers = "a";
  for (std::size_t i = 0; i < many; ++i) powers += "^a";

  EXPECT_THROW(parse_expression(std::string(many, '(')), ExpressionError);
  EXPECT_THROW(parse_expression(std::string(many, '-') + "a"), ExpressionError);
  EXPECT_THROW(parse_expression(powers), ExpressionError);
  EXPECT_NO_THROW(parse_expression(std::string(150, '(') + "a" + std::string(150, ')')));
}

TEST(Expression, a_long_sum_is_not_nested) {
  std::string sum = "a";
  for (int i = 0; i < 999; ++i) sum += "-1";

  EXPECT_EQ(value_with_a_b_c(sum.c_str()), 2 - 999);
}

TEST(Expression, has_a_thousand_operands_at_most) {
  std::string sum = "a";
  for (int i = 0; i < 1000; ++i) sum += "-1";

  EXPECT_THROW(parse_expression(sum), ExpressionError);
}

TEST(Expression, whatever_the_text_it_is_understood_or_refused_with_a_place_inside_it) {
  const char* const pieces[] = {"a", "b1", "3d",  "2", ".5", "1e", "1e9", "+",     "-",    "*",  "/",   "^",
                                "(", ")",  "{o}", " ", "\n", "%",  "{",   " and ", "not ", "<=", " gt "};
  for (unsigned seed = 0; seed < 20000; ++seed) {
    std::mt19937 random(seed);
    std::string text;
    for (std::size_t i = random() % 12; i > 0; --i) text += pieces[random() % std::size(pieces)];
    try {
      const Expression expression = seed % 2 ? parse_condition(text) : parse_expression(text);
      const auto& steps = expression.program.instructions;
      ASSERT_FALSE(steps.empty());
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].operation == Operation::constant) continue;
        const bool is_input = steps[i].operation == Operation::input;
        ASSERT_LT(steps[i].left, is_input ? expression.names.size() : i) << text;
        ASSERT_TRUE(is_input || steps[i].operation == Operation::negate || steps[i].right < i) << text;
      }
    } catch (const ExpressionError& error) {
      ASSERT_LE(error.offset(), text.size()) << text;
    }
  }
}

}  // namespace
}  // namespace pileus::planning
