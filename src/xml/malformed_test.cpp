#include "xml/malformed.h"

#include <gtest/gtest.h>

#include "xml/xml_document.h"

namespace pileus {
namespace {

/// The findings about a document with this in its third line.
std::string said_of(const std::string& line) {
  Findings findings;
  const XmlDocument document("<io-configuration>\n<!-- a > b -->\n" + line + "\n<a/>\n</io-configuration>",
                             "io.xml", findings);
  constexpr std::string_view kBegin = "not well-formed XML: ";
  const Finding& first = findings.all().front();
  const std::string place = std::to_string(first.where.line) + ":" + std::to_string(first.where.column) + " ";
  return place + (first.what.starts_with(kBegin) ? first.what.substr(kBegin.size()) : first.what);
}

TEST(Malformed, a_tag_without_its_end_is_named_with_its_line) {
  EXPECT_EQ(said_of("<field name=\"w\""),
            "4:1 \"<\" in the tag \"<field\" of line 3 before it, which is not closed; it ends with > or />");
}

TEST(Malformed, a_comment_behind_a_tag_without_its_end_is_not_what_is_wrong) {
  EXPECT_EQ(said_of("<field name=\"w\"\n<!-- a -->"),
            "4:1 \"<\" in the tag \"<field\" of line 3 before it, which is not closed; it ends with > or />");
}

TEST(Malformed, a_text_behind_a_tag_without_its_end_names_the_tag) {
  EXPECT_EQ(said_of("<diagnostic field=\"d\"\nmean[y,x](w)</diagnostic>"),
            "4:5 \"[\" cannot stand in the tag \"<diagnostic\" of line 3 before it, which ends with > or />");
}

TEST(Malformed, a_quote_that_is_open_is_told_from_a_tag_that_is) {
  EXPECT_EQ(said_of("<a b=\"c>"),
            "4:1 \"<\" in the value of an attribute: write &lt; or close the quote of line 3 before it");
  EXPECT_EQ(said_of("<a b='it is \"<\"'>"),
            "3:14 \"<\" in the value of an attribute: write &lt; or close the quote before it");
}

TEST(Malformed, a_value_that_runs_into_the_next_line_is_named_by_its_own) {
  EXPECT_EQ(said_of("<a b=\"c\n d=\"e\"/>"),
            "4:5 the quote of line 3 is closed before it; close it where its value ends");
}

TEST(Malformed, an_attribute_has_to_be_written_in_full) {
  EXPECT_EQ(said_of("<a b=c>"), "3:6 put the value of the attribute in quotes");
  EXPECT_EQ(said_of("<a b \"c\">"), "3:6 put \"=\" between the name of an attribute and its value");
  EXPECT_EQ(said_of("<a b>"), "3:5 an attribute needs a value: NAME=\"VALUE\"");
  EXPECT_EQ(said_of("<a b=\"c\"d=\"e\">"),
            "3:9 put a blank between attributes; a quote in a value is written &quot;");
}

TEST(Malformed, what_begins_like_markup_and_is_none_says_so) {
  const std::string mark = "what begins with \"<!\" is a comment, <!-- ... -->, or a text, <![CDATA[ ... ]]>";
  EXPECT_EQ(said_of("<!- x -->"), "3:4 " + mark);
  EXPECT_EQ(said_of("<![CDTA[x]]>"), "3:6 " + mark);
  EXPECT_EQ(said_of("<<field/>"), "3:2 \"<\" begins an element; elsewhere it is written &lt;");
  EXPECT_EQ(said_of("]]>"), "3:3 \"]]>\" ends no <![CDATA[ here; it is written ]]&gt;");
}

TEST(Malformed, a_comment_with_two_dashes_says_so_wherever_they_are) {
  EXPECT_EQ(said_of("<!-- a -- b -->"), "3:10 a comment must not hold \"--\"");
}

TEST(Malformed, an_ampersand_is_no_end_of_a_line) {
  EXPECT_EQ(said_of("<a b=\"c &\n\"/>"), "3:10 \"&\" is written &amp;");
  EXPECT_EQ(said_of("<a b=\"&lt\"/>"), "3:10 \"&lt\" needs a \";\" behind it; \"&\" itself is written &amp;");
}

TEST(Malformed, an_unknown_entity_is_found_in_a_tag_of_several_lines) {
  EXPECT_EQ(
      said_of("<a b=\"&lt;\"\n c=\"&gte;\"/>"),
      "4:5 undefined entity \"&gte;\"; known are &amp; &lt; &gt; &quot; &apos; and numbers such as &#960;; "
      "did you mean \"&gt;\"?");
}

TEST(Malformed, bytes_that_are_no_text_are_called_that_in_comments_too) {
  EXPECT_EQ(said_of("<!-- \xFF -->"), "3:6 bytes that are no UTF-8; save the file as UTF-8");
  EXPECT_EQ(said_of("<a b=\"\x01\"/>"), "3:7 a control character, which no XML may hold");
}

}  // namespace
}  // namespace pileus
