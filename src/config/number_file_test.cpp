// Numbers of rules, in the configuration or in a file beside it.

#include <gtest/gtest.h>

#include "config/config_test_support.h"
#include "config/number_file.h"

namespace pileus {
namespace {

/// Reads a configuration with one rule that takes numbers; there is one other file, a.txt.
testing::ReadResult read(const std::string& levels, const std::string& file = "") {
  testing::ReadResult result;
  const FindInclude find = [&](const std::string& from, const std::string& written) {
    if (written == "a.txt") return IncludedFile{from, written, "folder/a.txt", file};
    Findings findings;
    findings.error({}, "there is no file " + written);
    throw ConfigError(std::move(findings));
  };
  Catalogue catalogue = testing::small_catalogue();
  catalogue.operators.push_back({"levels", "", {{"to", ParameterKind::numbers, true, "", {}, "levels"}}});
  const std::string text =
      "<io-configuration><data-handling><diagnostic field='d'>\n<operator name='levels' result='d' to='" +
      levels + "'/></diagnostic></data-handling></io-configuration>";
  result.config = read_config(text, "io.xml", catalogue, {}, result.findings, false, find);
  return result;
}

std::string numbers(const testing::ReadResult& result) {
  return result.config.diagnostics.at(0).rules.at(0).parameters.at("to").value;
}

TEST(NumberFile, stands_for_the_numbers_in_its_lines) {
  const auto result = read("file: a.txt", "# hPa\r\n1000\r\n\n  5e2\n-7.25");

  EXPECT_EQ(result.text(), "");
  EXPECT_EQ(numbers(result), "1000 5e2 -7.25");
}

TEST(NumberFile, travels_with_the_configuration) {
  const auto result = read("file:a.txt", "1");

  ASSERT_EQ(result.config.included.size(), 1U);
  EXPECT_EQ(result.config.included[0].from, "io.xml");
  EXPECT_EQ(result.config.included[0].written, "a.txt");
  EXPECT_EQ(result.config.text_of("folder/a.txt"), "1");
}

TEST(NumberFile, may_be_left_out_where_numbers_are_given) {
  EXPECT_EQ(read("1 2,3 ,\n4").text(), "");
  EXPECT_EQ(numbers(read("1 2")), "1 2");
}

TEST(NumberFile, of_an_expression_is_there_for_its_rules) {
  const std::vector<IncludedFile> on_disk = {{"io.xml", "a.txt", "folder/a.txt", "1 \n2"}};
  const FindInclude find = known_includes(on_disk);
  const std::string text =
      "<io-configuration><data-handling><diagnostic field='d' expression=\"interpolate[z](t, of=p, "
      "to='file: a.txt') + a(file:b.txt) + b('file:c.txt')\"/></data-handling></io-configuration>";
  Findings findings;

  const Config config = read_config(text, "io.xml", testing::small_catalogue(), {}, findings, false, find);

  ASSERT_EQ(config.included.size(), 1U);
  Text written{"file:a.txt", {"io.xml"}};
  EXPECT_EQ(put_file(written, true, known_includes(config.included)), "");
  EXPECT_EQ(written.value, "1 2");
}

TEST(NumberFile, that_is_wrong_is_reported_with_its_line) {
  EXPECT_EQ(read("file:b.txt").text(), "io.xml:2:40: error: to=\"file:b.txt\": there is no file b.txt");
  EXPECT_EQ(read("file:a.txt", "1\n2 3\n").text(),
            "io.xml:2:40: error: to=\"file:a.txt\": folder/a.txt:2: expected one number, not \"2 3\"");
  EXPECT_EQ(read("file:a.txt", "inf").text(),
            "io.xml:2:40: error: to=\"file:a.txt\": folder/a.txt:1: expected one number, not \"inf\"");
  EXPECT_EQ(read("file:a.txt", "# nothing\n").text(),
            "io.xml:2:40: error: to=\"file:a.txt\": folder/a.txt: there is no number in it");
}

TEST(NumberFile, numbers_that_are_none_are_reported) {
  const std::string expected =
      "expected numbers such as \"85000 50000\", or \"file:\" and the path of a text file";

  EXPECT_EQ(read("1 two").text(), "io.xml:2:40: error: to=\"1 two\": " + expected + "; \"two\" is no number");
  EXPECT_EQ(read(" , ").text(), "io.xml:2:41: error: to=\",\": " + expected);
  EXPECT_EQ(read("file:").text(), "io.xml:2:40: error: to=\"file:\": " + expected);
}

}  // namespace
}  // namespace pileus
