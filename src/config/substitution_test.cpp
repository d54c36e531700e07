#include "config/substitution.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

const Options kOptions = {{"x_size", "64"}, {"y_size", "32"}, {"braces", "{x_size}"}, {"empty", ""}};

TEST(Substitution, replaces_every_key) {
  const Substituted out = substitute("s/({x_size}*{y_size})", kOptions, false);

  EXPECT_EQ(out.text, "s/(64*32)");
  EXPECT_TRUE(out.is_changed);
  EXPECT_FALSE(out.is_open);
  EXPECT_TRUE(out.problems.empty());
}

TEST(Substitution, leaves_a_value_without_braces_alone) {
  const Substituted out = substitute("a+b}", kOptions, false);

  EXPECT_EQ(out.text, "a+b}");
  EXPECT_FALSE(out.is_changed);
}

TEST(Substitution, does_not_count_blanks_around_a_key) {
  EXPECT_EQ(substitute("{ x_size\t}", kOptions, false).text, "64");
}

TEST(Substitution, says_that_keys_do_not_nest) {
  const Substituted out = substitute("{a:{x_size}}", kOptions, false);

  EXPECT_TRUE(out.is_open);
  ASSERT_EQ(out.problems.size(), 1U);
  EXPECT_EQ(out.problems[0].what, "a key in the default of another: keys do not nest; write a value there");
}

TEST(Substitution, does_not_look_for_keys_in_what_it_inserted) {
  const Substituted out = substitute("{braces}{empty}", kOptions, false);

  EXPECT_EQ(out.text, "{x_size}");
  EXPECT_FALSE(out.is_open);
}

TEST(Substitution, of_an_expression_inserts_one_operand) {
  const Options options = {
      {"x", "-2"}, {"sum", "a + b"}, {"axes", "y, x"}, {"half", "0.5"}, {"braces", "{x}"}};
  const auto text_of = [&](std::string_view value) {
    return substitute(value, options, false, {}, true).text;
  };

  EXPECT_EQ(text_of("{x}^2 * {sum}"), "(-2)^2 * (a + b)");
  EXPECT_EQ(text_of("mean[{axes}](w) * {half} * {none:-1}"), "mean[y, x](w) * 0.5 * (-1)");
  const Substituted out = substitute("2*{braces}", options, false, {}, true);
  ASSERT_EQ(out.problems.size(), 1u);
  EXPECT_EQ(out.problems[0].at, 2u);
  EXPECT_EQ(
      out.problems[0].what,
      "the option \"braces\" is \"{x}\", whose braces are not replaced once more; give its value without "
      "them");
}

TEST(Substitution, names_the_place_of_a_missing_key_and_what_was_meant) {
  const Substituted out = substitute("1/{x_sise}", kOptions, false);

  EXPECT_EQ(out.text, "1/{x_sise}");
  EXPECT_TRUE(out.is_open);
  ASSERT_EQ(out.problems.size(), 1u);
  EXPECT_EQ(out.problems[0].at, 2u);
  EXPECT_EQ(out.problems[0].what, "no option \"x_sise\"; did you mean \"x_size\"?");
}

TEST(Substitution, takes_the_default_where_no_option_has_the_key) {
  EXPECT_EQ(substitute("{nz: 40 }", kOptions, false).text, "40");
  EXPECT_EQ(substitute("{x_size:40}", kOptions, false).text, "64");
  EXPECT_EQ(substitute("{nz:}", kOptions, false).text, "");
}

TEST(Substitution, suggests_only_keys_that_begin_alike) {
  const Substituted out = substitute("{z_size}", kOptions, false);

  ASSERT_EQ(out.problems.size(), 1u);
  EXPECT_EQ(out.problems[0].what,
            "no option \"z_size\"; the model gives it when it runs, --set z_size=... on a command line");
}

TEST(Substitution, leaves_a_missing_key_alone_where_that_is_allowed) {
  const Substituted out = substitute("{x_size}/{nz}", kOptions, true);

  EXPECT_EQ(out.text, "64/{nz}");
  EXPECT_TRUE(out.is_open);
  EXPECT_TRUE(out.problems.empty());
}

TEST(Substitution, makes_no_part_of_another_operand_of_an_option) {
  const Options options = {{"n", "10"}};
  for (const std::string token :
       {"2{n}", "{n}{n}", "{n}e3", "1{n}", "{n}.5", "1.{n}", "{n}w", "w_{n}", "{n:3}{m:4}"}) {
    const Substituted out = substitute("w*(" + token + ")", options, false, {}, true);

    ASSERT_EQ(out.problems.size(), 1U) << token;
    EXPECT_EQ(out.problems[0].what,
              "an option is one operand here, and in \"" + token +
                  "\" it would become a part of another: write an operator between them");
    EXPECT_TRUE(out.is_open);
  }
  for (const char* const value :
       {"2*{n}", "({n})", "{n} {n}", "mean[{n},x](w|{n}>0)", "a-{n}^{n}", "w gt{n}", "not{n}", "{n}and w"})
    EXPECT_TRUE(substitute(value, options, false, {}, true).problems.empty()) << value;
  EXPECT_EQ(substitute("p_{n}{n}", options, false).text, "p_1010")
      << "what is no expression may be put together";
}

TEST(Substitution, suggests_no_other_short_key) {
  EXPECT_EQ(substitute("{ny}", {{"nx", "1"}, {"nz", "1"}}, false).problems.at(0).what,
            "no option \"ny\"; the model gives it when it runs, --set ny=... on a command line");
}

TEST(Substitution, reports_every_problem_of_a_value) {
  const Substituted out = substitute("{a} {} {x_size:1} {b{x_size} {", kOptions, false);

  ASSERT_EQ(out.problems.size(), 4u);
  EXPECT_EQ(out.problems[0].at, 0u);
  EXPECT_EQ(out.problems[1].what, "{} names no option; write {key}");
  EXPECT_EQ(out.problems[2].at, 18u);
  EXPECT_EQ(out.problems[3].at, 29u);
  EXPECT_EQ(out.problems[3].what, "\"{\" without \"}\"; write {key} to insert the option of that name");
}

TEST(Substitution, reports_a_malformed_key_even_where_keys_may_be_missing) {
  EXPECT_EQ(substitute("{:1}", kOptions, true).problems.size(), 1u);
  EXPECT_EQ(substitute("{nz", kOptions, true).problems.size(), 1u);
}

TEST(Substitution, leaves_the_keys_of_a_write_period_alone_where_they_have_a_meaning) {
  const Options options = {{"time", "5"}, {"case", "bubble"}};

  const Substituted name = substitute("{case}_{ time }_{index}_{date}.nc", options, false, period_keys());
  EXPECT_EQ(name.text, "bubble_{time}_{index}_{date}.nc");
  EXPECT_FALSE(name.is_open);
  EXPECT_TRUE(name.problems.empty());
  EXPECT_EQ(substitute("{time}", options, false).text, "5");
  EXPECT_EQ(substitute("{tine}", options, false, period_keys()).problems.at(0).what,
            "no option \"tine\"; did you mean \"time\"?");
}

}  // namespace
}  // namespace pileus
