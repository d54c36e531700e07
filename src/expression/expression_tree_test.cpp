// The parser of expressions: what it makes of functions, reductions and conditions, and where mistakes are.

#include "expression/expression_tree.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "expression/testing/operation_words.h"

namespace pileus::planning {
namespace {

std::string sign(Operation operation) {
  return operation == Operation::negate ? "neg" : std::string(testing::word_of(operation));
}

/// The tree as nested lists: "(mean[y,x] (* w theta))".
std::string listed(const ExpressionTree& tree, TreeIndex index) {
  const TreeNode& node = tree.nodes[index];
  if (node.kind == TreeKind::number) return std::to_string(static_cast<int>(node.number));
  if (node.kind == TreeKind::name) return node.word;
  std::string text = "(" + (node.kind == TreeKind::operation ? sign(node.operation) : node.word);
  for (std::size_t i = 0; i < node.dimensions.size(); ++i) {
    text += (i == 0 ? "[" : ",") + node.dimensions[i].text;
  }
  if (!node.dimensions.empty()) text += "]";
  for (TreeIndex operand : node.operands) text += " " + listed(tree, operand);
  for (const TreeNode::Argument& one : node.arguments)
    text +=
        " " + one.parameter.text + "=" + (one.value ? listed(tree, *one.value) : "'" + one.text.text + "'");
  if (node.weight) text += " weight " + listed(tree, *node.weight);
  if (node.by) text += " by " + listed(tree, *node.by) + " " + node.edges.text;
  if (node.condition) text += " | " + listed(tree, *node.condition);
  return text + ")";
}

std::vector<Declaration> some_operators() {
  return {{"interpolate",
           "",
           {{"field", ParameterKind::name, true},
            {"dimension", ParameterKind::names, true},
            {"of", ParameterKind::name, true},
            {"to", ParameterKind::text, true},
            {"method", ParameterKind::word, false, "linear", {"linear", "log"}}}},
          {"filter", "", {{"field", ParameterKind::name, true}}, RuleKind::filter}};
}

std::string read(const std::string& text, Language language = Language::expression) {
  const ExpressionTree tree = parse_tree(text, language, some_operators());
  return listed(tree, tree.root());
}

TEST(ExpressionTree, binds_as_the_language_says) {
  EXPECT_EQ(read("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(read("a / b * c % d"), "(% (* (/ a b) c) d)");
  EXPECT_EQ(read("a ^ b ^ c"), "(^ a (^ b c))");
  EXPECT_EQ(read("-a ^ 2"), "(neg (^ a 2))");
  EXPECT_EQ(read("a + b > c * d"), "(< (* c d) (+ a b))");
  EXPECT_EQ(read("dynamics::w + 1"), "(+ dynamics::w 1)");
}

TEST(ExpressionTree, functions_have_their_arguments) {
  EXPECT_EQ(read("sqrt(u^2 + v^2)"), "(sqrt (+ (^ u 2) (^ v 2)))");
  EXPECT_EQ(read("where(ql > 1, a, b)"), "(where (< 1 ql) a b)");
  EXPECT_EQ(read("exp(log(abs(sin(cos(a)))))"), "(exp (log (abs (sin (cos a)))))");
  EXPECT_EQ(read("min(a, b, c)"), "(min (min a b) c)");
  EXPECT_EQ(read("max(a, 0)"), "(max a 0)");
  EXPECT_EQ(read("where(w > 0, 1, 0) * 2", Language::equation), "(* (where (< 0 w) 1 0) 2)");
}

TEST(ExpressionTree, a_condition_of_an_equation_may_have_parentheses) {
  EXPECT_EQ(read("where((w > 0) and (p > 1), a, b)", Language::equation), "(where (* (< 0 w) (< 1 p)) a b)");
  EXPECT_EQ(read("where(not (w > 0), a, b)", Language::equation), "(where (== (< 0 w) 0) a b)");
  EXPECT_THROW(parse_tree("where(w > 0, (a > b), c)", Language::equation), ExpressionError);
  EXPECT_THROW(parse_tree("where(sqrt(a > b) > 0, a, c)", Language::equation), ExpressionError);
  EXPECT_THROW(parse_tree("where(w > 0, a, b) + (w > 0)", Language::equation), ExpressionError);
}

TEST(ExpressionTree, reductions_have_dimensions_and_conditions) {
  EXPECT_EQ(read("mean[y,x](vwp)"), "(mean[y,x] vwp)");
  EXPECT_EQ(read("mean [ y , x ] ( vwp )"), "(mean[y,x] vwp)");
  EXPECT_EQ(read("max(w)"), "(max w)");
  EXPECT_EQ(read("max[z](w)"), "(max[z] w)");
  EXPECT_EQ(read("cov[y,x](w, theta)"), "(cov[y,x] w theta)");
  EXPECT_EQ(read("mean[y,x](any[z](ql > 1))"), "(mean[y,x] (any[z] (< 1 ql)))");
  EXPECT_EQ(read("mean[y,x](w | ql > 1 and w > 0)"), "(mean[y,x] w | (* (< 1 ql) (< 0 w)))");
  EXPECT_EQ(read("w - mean[y,x](w)"), "(- w (mean[y,x] w))");
  EXPECT_EQ(read("count[z](w gt 0)"), "(count[z] (< 0 w))");
  EXPECT_EQ(read("mean[x_every_4](w)"), "(mean[x_every_4] w)");
}

TEST(ExpressionTree, reductions_have_weights) {
  EXPECT_EQ(read("mean[y,x](t, weight=area)"), "(mean[y,x] t weight area)");
  EXPECT_EQ(read("var(t,weight = area * h | t > 0)"), "(var t weight (* area h) | (< 0 t))");
  EXPECT_EQ(read("cov[y,x](u, v, weight=area)"), "(cov[y,x] u v weight area)");
  EXPECT_EQ(read("sum(weight, weight=weight)"), "(sum weight weight weight)");
  EXPECT_EQ(read("min(t, weight == 1)"), "(min t (== weight 1))");
}

TEST(ExpressionTree, reductions_have_bins) {
  EXPECT_EQ(read("mean[y,x](t, weight=area, by=lat, edges=-90:90:10)"),
            "(mean[y,x] t weight area by lat -90:90:10)");
  EXPECT_EQ(read("max(t, edges=[0, 1.5], by=-p | t > 0)"), "(max t by (neg p) 0, 1.5 | (< 0 t))");
  EXPECT_EQ(read("max(t, by=lat, edges=(-90):90:(1e1))"), "(max t by lat (-90):90:(1e1))");
  EXPECT_EQ(read("max(t, by=lat, edges=[(-5,0)])"), "(max t by lat -5,0)");
  EXPECT_EQ(read("2*count(t, by=lat, edges={bands})"), "(* 2 (count t by lat {bands}))");
}

TEST(ExpressionTree, operators_are_applied_like_functions) {
  EXPECT_EQ(read("interpolate[z](t, of=p, to=[500, 850], method = log)"),
            "(interpolate[z] field=t of=p to='500, 850' method='log')");
  EXPECT_EQ(read("interpolate[z](t, p, to=85000 50000)"), "(interpolate[z] field=t of=p to='85000 50000')");
  EXPECT_EQ(read("2 * interpolate(of=log(p), field=t*q, to='file:a, (b).txt') - t"),
            "(- (* 2 (interpolate of=(log p) field=(* t q) to='file:a, (b).txt')) t)");
  EXPECT_EQ(read("mean[y,x](interpolate[z](t, of=p, to={levels}) | t > 0)"),
            "(mean[y,x] (interpolate[z] field=t of=p to='{levels}') | (< 0 t))");
}

TEST(ExpressionTree, a_name_may_stand_for_a_truth_value) {
  EXPECT_EQ(read("any[z](is_cloudy)"), "(any[z] (!= is_cloudy 0))");
  EXPECT_EQ(read("is_cloudy and not is_rainy"), "(* (!= is_cloudy 0) (== (!= is_rainy 0) 0))");
  EXPECT_EQ(read("mean[y,x](w | is_cloudy)"), "(mean[y,x] w | (!= is_cloudy 0))");
}

TEST(ExpressionTree, a_word_is_a_function_only_before_a_parenthesis) {
  EXPECT_EQ(read("min + mean"), "(+ min mean)");
  EXPECT_EQ(read("sum(sum)"), "(sum sum)");
}

TEST(ExpressionTree, knows_where_everything_is_written) {
  const std::string text = "2 * mean[y,x](w | ql > 1)";
  const ExpressionTree tree = parse_tree(text, Language::expression);

  const TreeNode& product = tree.nodes.back();
  const TreeNode& mean = tree.nodes[product.operands[1]];
  EXPECT_EQ(text.substr(product.begin, product.end - product.begin), text);
  EXPECT_EQ(text.substr(mean.begin, mean.end - mean.begin), "mean[y,x](w | ql > 1)");
  EXPECT_EQ(mean.dimensions[1].offset, 11U);
}

struct Mistake {
  const char* text;
  std::size_t offset;
  const char* part;
};

void expect_mistakes(Language language, const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    try {
      ADD_FAILURE() << mistake.text << " was taken: " << read(mistake.text, language);
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset(), mistake.offset) << mistake.text << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(mistake.part), std::string::npos) << error.what();
    }
  }
}

TEST(ExpressionTree, a_mistake_is_named_with_its_place) {
  expect_mistakes(Language::expression,
                  {
                      {"", 0, "end of the expression"},
                      {"meen[y,x](w)", 0, "no function \"meen\"; did you mean \"mean\"?"},
                      {"2 * foo(w)", 4, "no function \"foo\"; there are abs, "},
                      {"sqrt[x](w)", 0, "is no reduction"},
                      {"sqrt(a, b)", 0, "takes 1 argument, not 2"},
                      {"where(a > 1, b)", 0, "takes 3 arguments, not 2"},
                      {"cov[y,x](w)", 0, "takes two arguments, not 1"},
                      {"mean[y,x](w, v)", 0, "takes one argument, not 2"},
                      {"mean[](w)", 5, "expected the name of a dimension, found \"]\""},
                      {"mean[y x](w)", 7, "expected \",\" or \"]\""},
                      {"mean[y,x] w", 10, "expected \"(\""},
                      {"mean[y,x](w", 9, "never closed"},
                      {"w | ql > 1", 2, "inside of a reduction"},
                      {"sqrt(w | w > 0)", 7, "restricts a reduction"},
                      {"any[z](w + 1)", 7, "\"w + 1\" is no comparison"},
                      {"mean[y,x,y](w)", 9, "dimension \"y\" is named twice"},
                      {"w \u2212 1", 2, "found \"\u2212\"; a minus is written \"-\""},
                      {"w lt2", 2, "found \"lt2\""},
                      {"a + 1 and b > 1", 0, "\"a + 1\" is no comparison"},
                      {"w > 0 > 1", 6, "cannot be compared again"},
                      {"w = 0", 2, "equality is written"},
                      {"w > 0 && w < 1", 6, "\"&&\" is written \"and\""},
                      {"w > 0 || w < 1", 6, "\"||\" is written \"or\""},
                      {"mean[y,x](w | w > 0 || w < 1)", 20, "\"||\" is written \"or\""},
                      {"! w", 0, "\"!\" is written \"not\""},
                      {"w <> 0", 2, "\"<>\" is written \"!=\""},
                      {"w => 0", 2, "\"=>\" is written \">=\""},
                      {"w /= 0", 2, "\"/=\" is written \"!=\""},
                      {"w > 0 .AND. w < 1", 6, "\".and.\" is written \"and\""},
                      {"w > 0.and.w < 1", 5, "\".and.\" is written \"and\""},
                      {"w .gt. 0", 2, "\".gt.\" is written \">\""},
                      {"cbrt(w)", 0, "write \"where(a < 0"},
                      {"range[y,x](w)", 0, "write \"max[y,x](a) - min[y,x](a)\""},
                      {"mean[y,x](w || a)", 12, "\"||\" is written \"or\""},
                      {"where(mask = 1, w, 0)", 11, "equality is written"},
                      {"mean[y,x](w | mask = 1)", 19, "equality is written"},
                      {"w ~= 0", 2, "\"~=\" is written \"!=\""},
                      {"w \u2265 0", 2, "is written \">=\""},
                      {"w\u00b2", 1, "is written \"^2\""},
                      {"w > 0 AND a > 0", 6, "it is written \"and\""},
                      {"w > 0 ? a : b", 6, "is written \"where(condition, a, b)\""},
                      {"a if w > 0", 2, "write \"where(condition, a, b)\""},
                      {"mean[y,x](w where a > 0)", 12, "behind \"|\""},
                      {"max[y,x](t, weight=area)", 12, "\"max\" takes no weight"},
                      {"sqrt(t, weight=area)", 8, "\"sqrt\" takes no weight"},
                      {"mean(t, weight=area, h)", 21, "what has no name stands before"},
                      {"mean(t, by=lat)", 0, "needs the edges of its bins"},
                      {"mean(t, edges=[0, 1])", 0, "needs what the bins are by"},
                      {"mean(t, by=lat, by=lon, edges=0:1:1)", 16, "\"by\" is given twice"},
                      {"sqrt(t, by=lat)", 8, "\"sqrt\" takes no by"},
                      {"mean(t, weight=)", 15, "expected a number, a name or \"(\""},
                      {"mean(weight=area)", 11, "equality is written"},
                      {"cov(t, weight=area)", 0, "takes two arguments, not 1"},
                      {"mean(t, weights=area)", 15, "weights behind"},
                      {"interpolate[z](t, p, q)", 21, "write the name of a parameter"},
                      {"interpolate[z](t, by=p)", 18, "\"interpolate\" has no parameter \"by\""},
                      {"interpolate[z](t, metod=log)", 18, "did you mean \"method\"?"},
                      {"interpolate[z](t, of=p, of=q)", 24, "\"of\" is given twice"},
                      {"interpolate[z](t, to=)", 21, "expected a value, found \")\""},
                      {"interpolate[z](t, to=[1)", 21, "this \"[\" is never closed"},
                      {"interpolate[z](t | t > 0)", 17, "\"interpolate\" is none"},
                      {"interpolate[z](t, of=p", 14, "never closed"},
                      {"interpolate + interpolate[z]", 28, "expected \"(\" after \"interpolate\""},
                      {"filter(t)", 0, "there is no function \"filter\""},
                      {"mean(w, axis=0)", 12, "dimensions stand in brackets"},
                      {"sum(w, w > 0)", 0, "a condition behind \"|\""},
                      {"1.5d0*w", 0, "an exponent is written \"e\""},
                      {"w[0]", 0, "field_slicer takes a part"},
                      {"w(:,1)", 0, "field_slicer takes a part"},
                      {"w[z=0]", 0, "field_slicer takes a part"},
                      {"trunc(w)", 0, "write \"sign(a) * floor(abs(a))\""},
                      {"sqr(w)", 0, "write \"a^2\""},
                      {"mean[{x](w)", 5, "never closed"},
                  });
  expect_mistakes(Language::equation, {{"mean[y,x](w)", 0, "write <diagnostic expression="},
                                       {"sum(w)", 0, "write <diagnostic expression="},
                                       {"range(w)", 0, "there is no function \"range\"; there are abs"},
                                       {"a * (w > 0)", 7, "expected an operator or \")\""}});
}

TEST(ExpressionTree, whatever_the_text_it_is_understood_or_refused_with_a_place_inside_it) {
  const char* const pieces[] = {"a",   "b1",  "mean", "[y,x]", "(",  ")",     ",",     "|",       "+",
                                "-",   "^",   "%",    "2",     ".5", " and ", "not ",  "<",       " gt ",
                                "{o}", "cov", "max(", " ",     "[",  "]",     "where", "any[z](", "sqrt("};
  for (unsigned seed = 0; seed < 20000; ++seed) {
    std::mt19937 random(seed);
    std::string text;
    for (std::size_t i = random() % 14; i > 0; --i) text += pieces[random() % std::size(pieces)];
    try {
      const ExpressionTree tree = parse_tree(text, Language::expression);
      ASSERT_FALSE(tree.nodes.empty());
      for (TreeIndex i = 0; i < tree.nodes.size(); ++i) {
        ASSERT_LE(tree.nodes[i].begin, tree.nodes[i].end) << text;
        ASSERT_LE(tree.nodes[i].end, text.size()) << text;
        for (TreeIndex operand : tree.nodes[i].operands) ASSERT_LT(operand, i) << text;
      }
    } catch (const ExpressionError& error) {
      ASSERT_LE(error.offset(), text.size()) << text;
    }
  }
}

}  // namespace
}  // namespace pileus::planning
