// Included files, and the namespaces of the files and their elements.

#include <gtest/gtest.h>

#include <fstream>

#include "config/config_test_support.h"
#include "core/testing/temporary_directory.h"

namespace pileus {
namespace {

namespace fs = std::filesystem;
using Texts = std::map<std::string, std::string>;

/// Reads "io.xml" of `files`; there are no other files.
testing::ReadResult read(const Texts& files) {
  testing::ReadResult result;
  const FindInclude find = [&](const std::string& from, const std::string& written) {
    const auto found = files.find(written);
    if (found != files.end()) return IncludedFile{from, written, written, found->second};
    Findings findings;
    findings.error({}, "there is no file " + written);
    throw ConfigError(std::move(findings));
  };
  result.config = read_config(files.at("io.xml"), "io.xml", testing::small_catalogue(), {{"part", "a.xml"}},
                              result.findings, false, find);
  return result;
}

std::string root(const std::string& content) {
  return "<io-configuration>\n" + content + "\n</io-configuration>\n";
}

const char* const kWinds = "<data-definition name='winds' frequency='1'><field name='u'/></data-definition>";

TEST(Include, brings_the_elements_of_a_file_wherever_it_stands) {
  const auto result = read({{"io.xml", root("<include file='{part}'/>")}, {"a.xml", root(kWinds)}});

  EXPECT_EQ(result.text(), "");
  ASSERT_EQ(result.config.data_groups.size(), 1U);
  EXPECT_EQ(result.config.data_groups[0].fields[0].name.where.text(), "a.xml:2:58");
  EXPECT_EQ(result.config.text_of("a.xml"), root(kWinds));
}

TEST(Include, of_one_file_in_two_namespaces_makes_two_of_everything) {
  const auto result =
      read({{"io.xml", root("<include file='a.xml' namespace='n'/><include file='a.xml' namespace='m'/>")},
            {"a.xml", root("<include file='b.xml' namespace='inner'/>")},
            {"b.xml", root(kWinds)}});

  EXPECT_EQ(result.text(), "");
  ASSERT_EQ(result.config.data_groups.size(), 2U);
  EXPECT_EQ(result.config.data_groups[0].scope, "n::inner");
  EXPECT_EQ(result.config.data_groups[1].scope, "m::inner");
}

TEST(Include, sets_options_of_its_file_and_of_what_that_includes_alone) {
  const std::string field =
      "<data-definition name='{a:one}' frequency='1'><field name='{b:b}_{part}'/></data-definition>";
  const auto result =
      read({{"io.xml", root("<include file='a.xml' set=' a = two ; b=c;'/><include file='a.xml' "
                            "namespace='n' set='part=p'/>")},
            {"a.xml", root("<include file='b.xml'/>")},
            {"b.xml", root(field)}});

  EXPECT_EQ(result.text(), "");
  ASSERT_EQ(result.config.data_groups.size(), 2U);
  EXPECT_EQ(result.config.data_groups[0].name.value, "two");
  EXPECT_EQ(result.config.data_groups[0].fields[0].name.value, "c_a.xml");
  EXPECT_EQ(result.config.data_groups[1].name.value, "one");
  EXPECT_EQ(result.config.data_groups[1].fields[0].name.value, "b_p");
}

TEST(Include, refuses_to_set_what_no_preset_has_that_writes_a_field) {
  const std::string writes =
      "<data-writing><file name='{f:f}.nc' write_time_frequency='1 h'>"
      "<include field='u' time_manipulation='none'/></file></data-writing>";
  const auto said = [&](const std::string& set) {
    return read({{"io.xml", root("<include file='a.xml' set='" + set + "'/>")},
                 {"a.xml", root(kWinds + writes)}})
        .text();
  };
  EXPECT_EQ(said("f=winds"), "");
  EXPECT_EQ(said("g=winds"), "io.xml:2:28: error: \"a.xml\" has no option {g}");
  EXPECT_EQ(said("f=a;f=b"), "io.xml:2:28: error: set=\"f=a;f=b\" gives f twice");
}

TEST(Include, refuses_to_set_what_is_no_option_of_the_file) {
  const std::string a = "<data-definition name='{winds:w}' frequency='1'><field name='u'/></data-definition>";
  EXPECT_EQ(read({{"io.xml", root("<include file='a.xml' set='wind=a'/>")}, {"a.xml", root(a)}}).text(),
            "io.xml:2:28: error: \"a.xml\" has no option {wind}; did you mean \"winds\"?");
  EXPECT_EQ(read({{"io.xml", root("<include file='a.xml' set='winds'/>")}, {"a.xml", root(a)}}).text(),
            "io.xml:2:28: error: set=\"winds\": expected \"key=value\", and a \";\" between two of them");
}

TEST(Include, of_one_file_twice_in_one_namespace_is_one_too_many) {
  const auto result =
      read({{"io.xml", root("<include file='a.xml'/>\n<include file='a.xml'/>")}, {"a.xml", root(kWinds)}});

  EXPECT_EQ(
      result.text(),
      "io.xml:3:16: error: \"a.xml\" is included at io.xml:2:16 already; remove one of the two, or give "
      "it a namespace");
}

TEST(Include, of_itself_is_an_error_that_shows_the_way) {
  const auto result = read({{"io.xml", root("<include file='a.xml'/>")},
                            {"a.xml", root("<include file='b.xml'/>")},
                            {"b.xml", root("<include file='./a.xml'/>\n<include file='io.xml'/>")},
                            {"./a.xml", root("")}});

  EXPECT_EQ(
      result.text(),
      "b.xml:2:16: error: the file includes itself: a.xml includes b.xml includes ./a.xml [included at "
      "a.xml:2:1, which is included at io.xml:2:1]\n"
      "b.xml:3:16: error: the file includes itself: io.xml includes a.xml includes b.xml includes io.xml "
      "[included at a.xml:2:1, which is included at io.xml:2:1]");
}

TEST(Include, of_more_files_than_any_configuration_has_is_one_error) {
  // Each file is included in two namespaces by the file before it: 2 + 4 + ... + 2^20 includes.
  Texts files = {{"io.xml", root("<include file='1.xml'/>")}};
  for (int i = 1; i <= 20; ++i) {
    const std::string next = "<include file='" + std::to_string(i + 1) + ".xml' namespace=";
    files[std::to_string(i) + ".xml"] = root(next + "'a'/>" + next + "'b'/>");
  }
  files["21.xml"] = root("");

  const auto result = read(files);

  ASSERT_EQ(result.findings.all().size(), 1U);
  EXPECT_NE(result.text().find(": error: more than 1000 files are included, those that are in others counted "
                               "each time; include fewer"),
            std::string::npos)
      << result.text();
}

TEST(Include, of_a_file_that_is_not_there_is_said_where_it_is_included) {
  EXPECT_EQ(read({{"io.xml", root("<include file='b.xml'/>")}}).text(),
            "io.xml:2:16: error: there is no file b.xml");
}

TEST(Include, says_how_a_file_with_a_mistake_was_reached) {
  const auto result = read({{"io.xml", root("<include file='a.xml'/>")},
                            {"a.xml", root("\n<include file='b.xml'/>")},
                            {"b.xml", root("<group name='g'><membre name='u'/></group>")}});

  EXPECT_EQ(
      result.text(),
      "b.xml:2:17: error: unknown element \"membre\" in group \"g\"; did you mean \"member\"? [included at "
      "a.xml:3:1, which is included at io.xml:2:1]");
}

TEST(Include, of_a_file_that_breaks_off_makes_what_is_missing_mean_nothing) {
  const auto result = read({{"io.xml", root("<include file='a.xml'/><data-writing><file name='f' "
                                            "write_time_frequency='1'><include group='g' "
                                            "time_manipulation='none'/></file></data-writing>")},
                            {"a.xml", "<io-configuration>\n<group name="}});

  EXPECT_TRUE(result.config.is_broken_off);
  EXPECT_EQ(result.text(),
            "a.xml:2:1: error: not well-formed XML: unclosed token; "
            "<io-configuration> of line 1 is not closed yet [included at io.xml:2:1]");
}

TEST(Include, brings_no_server_configuration) {
  const auto result = read({{"io.xml", root("<include file='a.xml'/><server-configuration/>")},
                            {"a.xml", root("<server-configuration/>")}});

  EXPECT_EQ(
      result.text(),
      "a.xml:2:1: error: <server-configuration> belongs in the file that the run is started with, not in one "
      "that is included [included at io.xml:2:1]");
}

TEST(IncludesOnDisk, are_looked_up_beside_the_file_and_then_among_the_presets) {
  const testing::TemporaryDirectory own;
  const fs::path folder = own.path();
  fs::create_directories(folder / "run");
  fs::create_directories(folder / "presets");
  std::ofstream(folder / "run" / "both.xml") << "beside";
  std::ofstream(folder / "presets" / "both.xml") << "preset";
  std::ofstream(folder / "presets" / "only.xml") << "preset";
  const FindInclude find = includes_on_disk(folder / "presets");
  const std::string from = folder / "run" / "io.xml";

  EXPECT_EQ(find(from, "both.xml").text, "beside");
  EXPECT_EQ(find(from, "both.xml").name, (folder / "run" / "both.xml").string());
  EXPECT_EQ(find(from, "only.xml").text, "preset");
  EXPECT_EQ(find(from, "../presets/only.xml").text, "preset");
  EXPECT_THROW(find(from, "./only.xml"), ConfigError);
  EXPECT_THROW(find(from, "none.xml"), ConfigError);
}

TEST(IncludesOnDisk, suggest_the_file_that_is_spelt_like_the_one_that_is_not_there) {
  const testing::TemporaryDirectory own;
  const fs::path folder = own.path();
  std::ofstream(folder / "winds.xml") << "beside";

  try {
    includes_on_disk({})(folder / "io.xml", "wnids.xml");
    FAIL() << "the file was found";
  } catch (const ConfigError& error) {
    const std::string place = (folder / "wnids.xml").string();
    EXPECT_EQ(error.findings().all().front().what,
              "there is no file \"wnids.xml\"; looked for " + place + "; did you mean \"winds.xml\"?");
  }
}

TEST(KnownIncludes, are_those_that_were_found_before) {
  const std::vector<IncludedFile> files = {{"io.xml", "a.xml", "conf/a.xml", "text"}};
  const FindInclude find = known_includes(files);

  EXPECT_EQ(find("io.xml", "a.xml").text, "text");
  EXPECT_THROW(find("other.xml", "a.xml"), ConfigError);
}

TEST(Namespace, keeps_equal_names_apart) {
  const std::string fields = "<field name='u'/></data-definition>";
  const auto result =
      read({{"io.xml", root("<data-definition name='d' frequency='1'>" + fields +
                            "<data-definition name='d' frequency='1' namespace='n'>" + fields +
                            "<data-handling namespace='m'><diagnostic field='u'>"
                            "<operator name='arithmetic' equation='n::u+1' result='u'/>"
                            "</diagnostic></data-handling>"
                            "<group name='g' namespace='n'><member name='n::u'/></group>"
                            "<group name='g'><member name='u'/><member name='m::u'/></group>")}});

  EXPECT_EQ(result.text(), "");
  EXPECT_EQ(result.config.data_groups.size(), 2U);
  EXPECT_EQ(result.config.diagnostics[0].scope, "m");
  EXPECT_EQ(result.config.groups.size(), 2U);
}

TEST(Namespace, is_a_name_and_what_is_named_has_none_in_its_own_name) {
  const auto result = read({{"io.xml", root("<group name='n::g'><member name='u:v'/></group>\n"
                                            "<data-handling namespace='a b'/>")}});

  EXPECT_EQ(
      result.text(),
      "io.xml:2:14: error: name=\"n::g\": a name is made of letters, digits, \"_\", \"-\" and \".\", not of "
      "\":\"\n"
      "io.xml:2:34: error: name=\"u:v\": a name is made of letters, digits, \"_\", \"-\" and \".\", not of "
      "\":\"\n"
      "io.xml:3:27: error: namespace=\"a b\": a name is made of letters, digits, \"_\", \"-\" and \".\", not "
      "of \" \"");
}

}  // namespace
}  // namespace pileus
