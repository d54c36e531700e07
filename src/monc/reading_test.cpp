// The form of MONC's files: values without quotes, lines that do not count, comments, #include, and missing
// ends. Places in findings are places in the user's file.

#include <gtest/gtest.h>

#include "monc/fork.h"
#include "monc/test_support.h"

namespace pileus {
namespace {

using testing::dump;
using testing::read_monc;
using testing::Texts;

/// The findings without the name of the file and "error: ".
std::string said(const std::string& text, const Options& options = {}) {
  std::string out = read_monc(text, options).said();
  for (std::size_t at; (at = out.find("io.xml:")) != out.npos;) out.erase(at, 7);
  for (std::size_t at; (at = out.find(": error:")) != out.npos;) out.erase(at, 8);
  return out;
}

std::string dumped(const std::string& text, const Options& options = {}) {
  return dump(read_monc(text, options).config);
}

const std::string kAsk =
    "say which one it is with --dialect monc-leeds (the older) or --dialect monc-epcc (the newer), in a run "
    "with "
    "the option pileus_dialect";
const std::string kW =
    "<data-definition name=\"d\" frequency=\"2\">\n<field name=\"w\" type=\"array\"/>\n</data-definition>\n";

TEST(MoncReader, reads_values_without_quotes_up_to_a_blank_or_the_end_of_the_tag) {
  const std::string quoted =
      "<data-definition name=\"d\" frequency=\"2\" send_on_terminate=\"true\">\n"
      "<field name=\"w\" type=\"array\" optional=\"true\" collective=\"true\"/>\n</data-definition>";
  const std::string bare =
      "<data-definition name=d frequency=2 send_on_terminate=true>\n"
      "<field name=w type=\"array\"optional=true collective=true/>\n</data-definition>";

  EXPECT_EQ(said(bare), "");
  EXPECT_EQ(dumped(bare), dumped(quoted));
  EXPECT_NE(dumped(bare).find("data  \"d\"2never 1\n"), std::string::npos) << dumped(bare);
}

TEST(MoncReader, needs_no_root_and_takes_the_one_that_is_there) {
  EXPECT_EQ(said(kW), "");
  EXPECT_EQ(dumped("<io-configuration>\n" + kW + "</io-configuration>"), dumped(kW));
}

TEST(MoncReader, does_not_read_lines_that_begin_with_an_exclamation_mark_or_two_slashes) {
  EXPECT_EQ(said("! <group\n  // <file name=\"x\n" + kW), "");
  EXPECT_EQ(dumped("! <group\n  // <file name=\"x\n" + kW), dumped(kW));
}

TEST(MoncReader, does_not_mind_ends_of_elements_that_hold_nothing) {
  const std::string open =
      "<data-definition name=d frequency=2>\n<field name=\"w\" type=array>\n<field name=u type=array></field>"
      "</data-definition>";
  const auto result = read_monc(open);

  EXPECT_EQ(result.said(), "");
  ASSERT_EQ(result.config.data_groups.size(), 1U);
  EXPECT_EQ(result.config.data_groups[0].fields.size(), 2U);
}

TEST(MoncReader, says_where_things_stand_in_the_users_file) {
  const auto result = read_monc("! a line that does not count\r\n" + kW);

  ASSERT_EQ(result.config.data_groups.size(), 1U);
  EXPECT_EQ(result.config.data_groups[0].fields[0].name.where.text(), "io.xml:3:14");
}

TEST(MoncReader, ends_a_comment_where_it_ends_and_warns_of_tags_that_another_version_would_read) {
  EXPECT_EQ(said("<!-- a note -->" + kW), "");
  EXPECT_EQ(said("<!-- --\n a box\n<!-- -->\n" + kW), "");
  EXPECT_EQ(said("<!-- a note>\n" + kW), "");
  EXPECT_EQ(dumped("<!-- a note>\n" + kW), dumped(kW));
  const std::string two = "<!-- <group name=\"a\"><member name=\"b\"/></group> -->" + kW;
  EXPECT_EQ(said(two),
            "1:22 this is in the comment that begins at 1:1, which the older fork of MONC ends at its "
            "first \">\", and the newer does not where it begins a line: " +
                kAsk);
}

TEST(MoncReader, the_older_fork_ends_a_comment_at_the_first_bracket) {
  const std::string member = "<member name=\"w\"/></group>", text = "<!-- <a> <group name=\"g\">" + member;
  const Texts files = {{"io.xml", kW + text + " -->"}, {"same.xml", kW + "<group name=\"g\">" + member}};

  EXPECT_EQ(dump(read_monc(files, "io.xml", {}, "monc-leeds").config),
            dump(read_monc(files, "same.xml").config));
  EXPECT_NE(read_monc(files, "io.xml", {}, "monc-leeds").said().find("and is read nevertheless"),
            std::string::npos);
}

TEST(MoncReader, the_newer_fork_drops_lines_from_one_that_begins_a_comment_to_one_that_ends_it) {
  const Texts files = {
      {"io.xml", "  <!-- <a>\n#include \"gone.xml\"\n! -->\n" + kW + "<!-- x --> <group name=\"g\">\n"},
      {"w.xml", kW},
      {"open.xml", "#include \"open2.xml\"\n" + kW},
      {"open2.xml", "<!-- never\n"}};

  const auto result = read_monc(files, "io.xml", {}, "monc-epcc");

  EXPECT_EQ(dump(result.config), dumped(kW));
  EXPECT_EQ(result.said().substr(0, result.said().find(' ')), "io.xml:7:11:");
  EXPECT_NE(read_monc(files, "open.xml", {}, "monc-epcc")
                .said()
                .find("open2.xml:1:1: error: this comment is "
                      "never closed"),
            std::string::npos);
}

TEST(MoncReader, options_and_what_only_one_fork_has_tell_the_fork) {
  EXPECT_EQ(monc::fork_of({{"pileus_dialect", "monc-leeds"}, {"time_basis", "true"}}, ""), monc::Fork::leeds);
  EXPECT_EQ(monc::fork_of({{"iobridge_enabled", "true"}, {"l_thoff", "false"}}, ""), monc::Fork::epcc);
  EXPECT_EQ(monc::fork_of({{"iobridge_enabled", "true"}}, ""), monc::Fork::leeds);
  EXPECT_EQ(monc::fork_of({}, "<file write_precision=float>"), monc::Fork::epcc);
  EXPECT_EQ(monc::fork_of({{"x_size", "4"}}, kW), monc::Fork::unknown);
}

TEST(MoncReader, warns_of_text_between_elements) {
  EXPECT_EQ(
      said(kW + "  i\n"),
      "4:3: warning: the text \"i\" between elements means nothing; remove it, or begin its line with ! "
      "or //");
}

TEST(MoncReader, includes_files_by_their_path_from_a_folder_above) {
  const Texts files = {
      {"monc/run/io.xml", "<io-configuration>\n  #include \"io/cfg/w.xml\"\n</io-configuration>"},
      {"monc/io/cfg/w.xml", "\n" + kW}};
  const auto result = read_monc(files, "monc/run/io.xml");

  EXPECT_EQ(result.said(), "");
  EXPECT_EQ(dump(result.config), dumped(kW));
  ASSERT_EQ(result.config.data_groups.size(), 1U);
  EXPECT_EQ(result.config.data_groups[0].name.where.text(), "monc/io/cfg/w.xml:2:24");
  ASSERT_EQ(result.config.included.size(), 1U);
  EXPECT_EQ(result.config.included[0].written, "../io/cfg/w.xml");
}

TEST(MoncReader, includes_files_inside_an_element_too) {
  const Texts files = {
      {"io.xml", "<data-definition name=d frequency=2>\n#include \"w.xml\"\n</data-definition>"},
      {"w.xml", "<field name=\"w\" type=\"array\"/>"}};

  EXPECT_EQ(read_monc(files, "io.xml").said(), "");
  EXPECT_EQ(dump(read_monc(files, "io.xml").config), dumped(kW));
}

TEST(MoncReader, shows_how_a_mistake_in_an_included_file_was_reached) {
  const Texts files = {{"io.xml", "\n#include \"w.xml\"\n"},
                       {"w.xml", "<group nam=\"g\"><member name=\"w\"/></group>"}};

  EXPECT_EQ(read_monc(files, "io.xml").said(),
            "w.xml:1:8: error: unknown attribute \"nam\" of group; did you mean \"name\"? [included at "
            "io.xml:2:11]");
}

TEST(MoncReader, refuses_files_that_include_themselves_or_are_not_there) {
  const Texts files = {{"io.xml", "#include \"a.xml\""}, {"a.xml", "\n#include \"io.xml\""}};

  EXPECT_EQ(read_monc(files, "io.xml").said(),
            "a.xml:2:11: error: the file includes itself: io.xml includes a.xml includes io.xml [included at "
            "io.xml:1:11]");
  EXPECT_EQ(said("#include \"b.xml\""),
            "1:11 there is no file \"b.xml\" beside io.xml or in a folder above it; the path is meant from "
            "MONC's root: say where that is with --include-path, or PILEUS_INCLUDE_PATH in the environment");
  EXPECT_EQ(said("\n  #include b.xml"),
            "2:3 #include needs the path of a file in double quotes, such as #include \"io/winds.xml\"");
}

TEST(MoncReader, gives_up_where_files_include_each_other_over_and_over) {
  Texts files;
  for (int i = 0; i < 20; ++i) {
    const std::string next = "#include \"f" + std::to_string(i + 1) + ".xml\"\n";
    files["f" + std::to_string(i) + ".xml"] = next + next;
  }
  files["f20.xml"] = "! nothing";

  EXPECT_NE(read_monc(files, "f0.xml")
                .said()
                .find("more than 1000 files are included, those that are in others "
                      "counted each time"),
            std::string::npos);
}

TEST(MoncReader, says_that_a_comment_does_not_switch_an_include_off) {
  const Texts files = {{"io.xml", "<!-- #include \"w.xml\" -->"}, {"w.xml", kW}};

  EXPECT_EQ(dump(read_monc(files, "io.xml", {}, "monc-leeds").config), dumped(kW));
  EXPECT_EQ(read_monc(files, "io.xml", {}, "monc-leeds").said(),
            "io.xml:1:6: warning: a comment does not switch an #include off, in this fork of MONC neither: "
            "begin the line with ! or //, or remove it");
  EXPECT_EQ(read_monc(files, "io.xml", {}, "monc-epcc").said(), "");
  EXPECT_EQ(read_monc(files, "io.xml").said(),
            "io.xml:1:6: error: the older fork of MONC follows an #include in a comment, and the newer does "
            "not: " +
                kAsk);
}

struct BrokenFile {
  const char* name;
  std::string text, expected;
};

class BrokenMoncFile : public ::testing::TestWithParam<BrokenFile> {};

TEST_P(BrokenMoncFile, says_exactly) { EXPECT_EQ(said(GetParam().text), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    All, BrokenMoncFile,
    ::testing::Values(
        BrokenFile{"element",
                   "<data-definition name=d frequency=2>\n<feild name=w type=array/>\n</data-definition>",
                   "2:1 unknown element \"feild\" in data-definition \"d\"; did you mean \"field\"?"},
        BrokenFile{"section", "<grop name=g>\n<member name=w/>\n</grop>",
                   "1:1 unknown element \"grop\" in io-configuration; did you mean \"group\"?"},
        BrokenFile{"attribute", "<data-definition name=d freqency=2>\n<field name=w/>\n</data-definition>",
                   "1:25 unknown attribute \"freqency\" of data-definition; did you mean \"frequency\"?"},
        BrokenFile{"value",
                   "<data-definition name=d frequency=2>\n<field name=w type=aray/>\n</data-definition>",
                   "2:20 type=\"aray\": expected scalar, array or map; did you mean \"array\"?"},
        BrokenFile{"end", "<group name=g>\n<member name=w/>\n</grup>",
                   "3:1 </grup> ends no element that is open; did you mean \"group\"?"},
        BrokenFile{"no_end", "<group name=g>\n<member name=w/>\n<data-handling>\n</data-handling>",
                   "1:1 <group> is not closed before <data-handling> of line 3; it ends with </group>"},
        BrokenFile{"quote", "<group name=\"g>\n<member name=w/>\n</group>",
                   "1:13 the quote is not closed before the next \">\", which ends the tag in MONC's files"},
        BrokenFile{"tag", "<group name=g>\n<member name=w\n<member name=u/>\n</group>",
                   "2:1 the tag \"<member\" is not closed; it ends with > or />"},
        BrokenFile{
            "twice", "<group name=g name=h>\n<member name=w/>\n</group>",
            "1:15 the attribute \"name\" is given twice in one element; MONC takes the first, remove one "
            "of them"},
        BrokenFile{"comment", "<group name=g>\n<member name=w/>\n</group>\n<!-- and so on",
                   "4:1 this comment is never closed; it ends with -->"},
        BrokenFile{"bytes", "<group name=g>\n<member name=w units=\"\xB0\"/>\n</group>",
                   "2:16 unknown attribute \"units\" of member; known are name\n2:23 a control character, or "
                   "bytes that are no UTF-8; save the file as UTF-8"},
        BrokenFile{"word", "<group name=g now>\n<member name=w/>\n</group>",
                   "1:15: warning: \"now\" has no value, so it is not read; write NAME=VALUE"},
        BrokenFile{"root", "<io-configuration>\n<group name=g>\n<member name=w/>\n</group>",
                   "1:1 <io-configuration> is not closed; it ends with </io-configuration>"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MoncFiles, are_recognised_by_what_no_strict_file_holds) {
  const Dialect monc = monc_dialect();

  EXPECT_TRUE(monc.is_in("<io-configuration>\n  #include \"a.xml\"\n</io-configuration>", {}));
  EXPECT_TRUE(
      monc.is_in("<data-definition name=\"d\"><field name=\"w\" optional=true/></data-definition>", {}));
  EXPECT_FALSE(monc.is_in("<io-configuration>" + kW + "</io-configuration>", {}));
  EXPECT_FALSE(monc.is_in("<io-configuration><data-definition><field optional=true/></data-definition>", {}))
      << "a slip in a strict file";
  EXPECT_FALSE(monc.is_in("<io-configuration><!-- see #include in the manual --></io-configuration>", {}));
}

TEST(MoncFiles, are_recognised_by_any_bare_value_where_the_bridge_says_that_the_model_is_monc) {
  const Dialect monc = monc_dialect();
  const Options bridge = {{"pileus_dialect", "monc-epcc"}};
  const std::string bare =
      "<io-configuration><data-definition name=\"d\"><field name=\"w\" optional=true/></data-definition>";

  EXPECT_FALSE(monc.is_in(bare, {}));
  EXPECT_TRUE(monc.is_in(bare, bridge));
  EXPECT_TRUE(monc.is_in("<io-configuration><file a='>' b = 5/>", bridge));
  EXPECT_TRUE(monc.is_in("<!-- a=b --><group\nname=g>", bridge));
}

TEST(MoncFiles, are_not_recognised_in_well_formed_xml_where_the_bridge_says_that_the_model_is_monc) {
  const Dialect monc = monc_dialect();
  const Options bridge = {{"pileus_dialect", "monc-epcc"}};

  for (const char* strict :
       {"<?xml version='1.0' note=none?><a b = \n'c'/>", "<a b=\"x > y=true\" c='\"=5'>d=e</a>",
        "<a><!-- <b c=true/> isn't --><![CDATA[<b c=true>]]></a>", "<a><!-- it's --> b=c</a>"})
    EXPECT_FALSE(monc.is_in(strict, bridge)) << strict;
  for (const char* broken : {"<a b=", "<a b='c d=e", "<!-- a=b", "<", "a=b", "<a b=>"})
    EXPECT_FALSE(monc.is_in(broken, bridge)) << broken;
}

TEST(MoncFiles, with_a_root_and_bare_values_are_read_where_the_bridge_says_that_the_model_is_monc) {
  const Texts files = {{"io.xml",
                        "<io-configuration>\n<data-definition name=\"d\" frequency=2>\n"
                        "<field name=\"w\" type=\"array\" optional=true/>\n</data-definition>\n"
                        "</io-configuration>"}};

  const auto found = read_monc(files, "io.xml", {{"pileus_dialect", "monc-leeds"}}, "");

  EXPECT_FALSE(found.findings.has_errors()) << found.said();
  EXPECT_EQ(dump(found.config), dump(read_monc(files, "io.xml", {{"pileus_dialect", "monc-leeds"}}).config));
  EXPECT_TRUE(read_monc(files, "io.xml", {}, "").findings.has_errors());
}

TEST(MoncFiles, an_attribute_that_only_monc_has_is_suggested) {
  const auto result =
      read_monc("<data-handling><diagnostic field=d collectve=true></diagnostic></data-handling>");

  EXPECT_NE(
      result.said().find(
          "io.xml:1:36: error: unknown attribute \"collectve\" of diagnostic; did you mean \"collective\"?"),
      std::string::npos)
      << result.said();
}

TEST(MoncFiles, an_include_that_is_misspelt_is_suggested) {
  EXPECT_EQ(read_monc("#inclde \"w.xml\"\n<group name=g>\n<member name=w/>\n</group>").said().substr(0, 150),
            "io.xml:1:1: warning: the text \"#inclde \"w.xml\"\" between elements means nothing; remove it, "
            "or begin its "
            "line with ! or //; did you mean \"#include\"?");
}

TEST(MoncFiles, that_are_recognised_are_named_in_a_note) {
  const Texts files = {{"io.xml", "#include \"w.xml\""}, {"w.xml", kW}};

  EXPECT_EQ(
      read_monc(files, "io.xml", {}, "").said(),
      "io.xml: note: read in the dialect \"monc\", because only such files hold what it holds; --dialect "
      "strict reads it as strict XML");
  EXPECT_NE(read_monc(files, "io.xml", {}, "strict").said().find("not well-formed XML"), std::string::npos);
}

TEST(MoncFiles, can_be_included_in_a_strict_file) {
  const Texts files = {
      {"io.xml",
       "<io-configuration><include file=\"w.xml\" dialect=\"monc\" namespace=\"n\"/></io-configuration>"},
      {"w.xml", kW}};
  const auto result = read_monc(files, "io.xml", {}, "strict");

  EXPECT_EQ(result.said(), "");
  ASSERT_EQ(result.config.data_groups.size(), 1U);
  EXPECT_EQ(result.config.data_groups[0].scope, "n");
}

}  // namespace
}  // namespace pileus
